"""The words of the capacity report on paper."""

from __future__ import annotations

from dataclasses import dataclass

from models.catalogue import text
from models.words import resource_word, unit_word
from reports.capacity_types import Went


@dataclass(frozen=True)
class Say:
    """The words of the report in one language."""

    lang: str

    def __call__(self, name: str, /, **values: object) -> str:
        """The text `capacity.<name>`."""
        return text(f"capacity.{name}", self.lang, **values)

    def resource(self, went: Went) -> str:
        """The resource's word; all devices together have one of their own."""
        return self("devices") if went.resource == "devices" else resource_word(went.resource, self.lang)

    def unit(self, went: Went) -> str:
        """The unit's word."""
        return unit_word(went.unit.unit, self.lang)
