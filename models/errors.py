"""Errors that a user sees, and findings: bad data as a value.

A bad call raises `HesuanError`: what is wrong, where, what to do next. Bad data becomes a `Finding` that is
collected, counted and shown; it never stops a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from models.catalogue import text


class HesuanError(Exception):
    """A user's mistake or an unusable input, said in one line in the user's language.

    Args:
        key: a key of the catalogue, such as `tariff.overlap`.
        values: what the text of that key names.
    """

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = values
        super().__init__(text(key, "en", **values))

    def __reduce__(
        self,
    ) -> tuple[Callable[[str, dict[str, object]], HesuanError], tuple[str, dict[str, object]]]:
        """What it takes to cross from a process that writes bills to the one that asked for them."""
        return _again, (self.key, self.values)

    def text(self, lang: str) -> str:
        """The message in `zh` or `en`."""
        return text(self.key, lang, **self.values)


def _again(key: str, values: dict[str, object]) -> HesuanError:
    return HesuanError(key, **values)


@dataclass(frozen=True)
class Finding:
    """One thing in the data that somebody should look at.

    Attributes:
        source: where it was seen: `sacct`, `tariffs`, `site`, `check`.
        location: the place in it, such as `batch 3 record 17` or `tariffs.toml:12`.
        reason: a short stable code, such as `bad-time`; scripts filter by it.
        detail: the words for people, with the next step.
        level: `error` stops a close, `warning` should be looked at, `info` is for the record.
    """

    source: str
    location: str
    reason: str
    detail: str
    level: Literal["error", "warning", "info"] = "warning"
