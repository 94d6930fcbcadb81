"""Kinds of values in the configuration files, as pydantic field types whose errors are keys of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, LiteralString

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

from models.toml_file import shown

DECIMAL_PLACES = 8
INTEGER_DIGITS = 9


def one_of(*choices: str | int) -> Callable[[object], object]:
    """Refuses a value that is none of `choices`."""

    def check(value: object) -> object:
        # True is 1 to Python, and no choice here.
        if isinstance(value, bool) or value not in choices:
            raise refusal("toml.choice", choices=tuple(str(choice) for choice in choices))
        return value

    return check


def within(low: int, high: int) -> Callable[[int], int]:
    """Refuses an integer outside `low`..`high`, both included."""

    def check(value: int) -> int:
        if not low <= value <= high:
            raise refusal("toml.range", low=low, high=high)
        return value

    return check


def matching(pattern: str, key: LiteralString) -> Callable[[str], str]:
    """Refuses a text that `pattern` does not match whole."""
    form = re.compile(pattern, re.ASCII)

    def check(value: str) -> str:
        if not form.fullmatch(value):
            raise refusal(key, value=shown(value))
        return value

    return check


def at_most(places: int, key: LiteralString = "toml.too_many_places") -> Callable[[Decimal], Decimal]:
    """Refuses a decimal with more than `places` decimal places that count: 1.50 has one."""

    def check(value: Decimal) -> Decimal:
        exponent = value.normalize().as_tuple().exponent
        if isinstance(exponent, int) and -exponent > places:
            raise refusal(key, places=places)
        return value

    return check


def refusal(key: LiteralString, **values: object) -> PydanticCustomError:
    """What a field type raises: a key of the catalogue and what its text names besides the field and its value."""
    return PydanticCustomError(key, key, values)


def _filled(value: str) -> str:
    if not value.strip():
        raise refusal("toml.empty_text")
    return value


def _day(value: object) -> object:
    if isinstance(value, datetime):
        raise refusal("toml.day_not_time", day=value.date().isoformat())
    if isinstance(value, str):
        day = value if re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) else "2026-01-01"
        raise refusal("toml.day_in_quotes", day=day)
    if not isinstance(value, date):
        raise refusal("toml.not_day")
    return value


def _decimal(value: object) -> object:
    """The decimal in quotes; a bare number is refused, for elsewhere it would become binary."""
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        if not Decimal(value).is_finite():
            raise refusal("toml.not_decimal")
        raise refusal("toml.negative" if value < 0 else "toml.decimal_unquoted")
    if not isinstance(value, str):
        raise refusal("toml.not_decimal")
    if re.fullmatch(r"-\d+(\.\d+)?", value, re.ASCII):
        raise refusal("toml.negative")
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?", value, re.ASCII)
    if not found:
        raise refusal("toml.not_decimal")
    if len(found[2] or "") > DECIMAL_PLACES:
        raise refusal("toml.too_many_places", places=DECIMAL_PLACES)
    if len(found[1].lstrip("0")) > INTEGER_DIGITS:
        raise refusal("toml.too_large", digits=INTEGER_DIGITS)
    return Decimal(value)


def _rate(value: Decimal) -> Decimal:
    if value > 1:
        raise refusal("toml.rate_range", rate=str(value / 100))
    return value


def _positive(value: Decimal) -> Decimal:
    if not value:
        raise refusal("toml.not_positive")
    return value


def _listed(value: list[str]) -> list[str]:
    if not value:
        raise refusal("toml.empty_list")
    return value


Filled = Annotated[str, AfterValidator(_filled)]
"""Text that says something."""

Word = Annotated[str, AfterValidator(matching(r"[a-z0-9][a-z0-9._-]*", "toml.id_form"))]
"""An id for ever: file names, scripts and other systems use it."""

Code = Annotated[str, AfterValidator(matching(r"[A-Za-z0-9][A-Za-z0-9._-]*", "toml.code_form"))]
"""A code on paper, such as an item's or a version's."""

Pattern = Annotated[str, AfterValidator(matching(r"[^\s?\[\]{}＊\u3000\x00-\x1f]+", "toml.pattern_form"))]
"""An exact word, or one with `*` for any characters; the other signs of file patterns are refused, not taken as such."""

Patterns = Annotated[list[Pattern], AfterValidator(_listed)]
"""Patterns, at least one."""

Day = Annotated[date, BeforeValidator(_day)]
"""A local day, written without quotes or time."""

Number = Annotated[Decimal, BeforeValidator(_decimal)]
"""A decimal in quotes: not negative, at most 8 places and 9 digits before the point."""

Positive = Annotated[Number, AfterValidator(_positive)]
"""A decimal in quotes above zero."""

Rate = Annotated[Number, AfterValidator(_rate)]
"""A decimal in quotes from 0 to 1."""

Currency = Annotated[str, AfterValidator(matching(r"[A-Z]{3}", "toml.currency_form"))]
"""An ISO 4217 code."""
