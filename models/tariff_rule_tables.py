"""The tables of a price book's rules, all under [[version]]: which keys each may hold, and what is left out."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from models.hostlist import expand
from models.toml_fields import (
    Day,
    Filled,
    Number,
    Pattern,
    Patterns,
    Positive,
    Word,
    at_most,
    matching,
    one_of,
    refusal,
    within,
)
from models.toml_file import TomlTable

LONGEST_S = 31 * 86_400
QUARTER = 15
NODES = r"(?:[A-Za-z0-9._-]|\[\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\])+"


def _minute(value: object) -> int:
    """Minute of the day of a text such as `23:30`: quarters of an hour, `24:00` too."""
    found = isinstance(value, str) and re.fullmatch(r"(\d\d):(\d\d)", value, re.ASCII)
    minute = int(found[1]) * 60 + int(found[2]) if found else -1
    if not found or int(found[2]) > 59 or minute > 24 * 60:
        raise refusal("tariff.clock_form")
    if minute % QUARTER:
        raise refusal("tariff.clock_quarter")
    return minute


def _before_midnight(value: int) -> int:
    if value == 24 * 60:
        raise refusal("tariff.clock_from_24")
    return value


def _weekdays(value: list[int]) -> list[int]:
    if not value:
        raise refusal("tariff.no_weekday")
    return value


def _hosts(value: str) -> str:
    if not expand(value):
        raise refusal("tariff.nodes_range")
    return value


Clock = Annotated[int, BeforeValidator(_minute)]
"""A wall time in quotes as minutes of the day, 0 to 1440."""

Multiplier = Annotated[Number, AfterValidator(at_most(4, "tariff.factor_places"))]
"""A factor: zero is free."""

Amount = Annotated[Positive, AfterValidator(at_most(6))]
"""Units of an item, such as core-hours, to a millionth."""

Money = Annotated[Positive, AfterValidator(at_most(2, "tariff.money_places"))]
"""An amount of the book's currency, whole fen."""

Nodes = Annotated[
    str,
    AfterValidator(matching(rf"{NODES}(?:,{NODES})*", "tariff.nodes_form")),
    AfterValidator(_hosts),
]
"""A Slurm host list."""

Owner = Annotated[Literal["tenant", "project", "user"], BeforeValidator(one_of("tenant", "project", "user"))]
Reset = Annotated[Literal["month", "year", "contract"], BeforeValidator(one_of("month", "year", "contract"))]
Seconds = Annotated[int, AfterValidator(within(0, LONGEST_S))]
Step = Annotated[int, AfterValidator(within(1, LONGEST_S))]
Weekdays = Annotated[list[Annotated[int, AfterValidator(within(1, 7))]], AfterValidator(_weekdays)]


def _any() -> list[str]:
    return ["*"]


class NamedTable(TomlTable):
    """What every rule has; `name_en` left out is `name`."""

    name: Filled
    name_en: str = ""


class MeterTable(TomlTable):
    """[[version.meter]]: how what a run holds becomes a priced quantity."""

    name: Filled
    cluster: Pattern = "*"
    partition: Pattern = "*"
    qos: Pattern = "*"
    user_class: Pattern = "*"
    resource: Pattern
    minimum_seconds: Seconds = 0
    granularity_seconds: Step = 1
    max_of: dict[str, Number] = Field(default_factory=dict)
    sum_of: dict[str, Number] = Field(default_factory=dict)
    board_share: bool = False


class BandTable(NamedTable):
    """[[version.band]]: a time of another price; `from` and `to` left out are the whole day."""

    items: Patterns
    factor: Multiplier
    weekdays: Weekdays = Field(default_factory=list)
    first_day: Day | None = None
    last_day: Day | None = None
    begin: Annotated[Clock, AfterValidator(_before_midnight)] | None = Field(None, alias="from")
    to: Clock | None = None
    by: Annotated[Literal["slot", "end"], BeforeValidator(one_of("slot", "end"))] = "slot"


class FactorTable(NamedTable):
    """[[version.factor]]: a QOS or user-class factor, or (on = "price") a discount."""

    items: Patterns = Field(default_factory=_any)
    cluster: Pattern = "*"
    partition: Pattern = "*"
    qos: Pattern = "*"
    user_class: Pattern = "*"
    tenants: Patterns = Field(default_factory=_any)
    factor: Multiplier
    on: Annotated[Literal["both", "price"], BeforeValidator(one_of("both", "price"))] = "both"


class LastMonthTable(NamedTable):
    """[[version.last_month]] without its steps."""

    items: Patterns
    owner: Owner
    allotment: Amount


class LastMonthStepTable(TomlTable):
    """One of the steps of [[version.last_month]]."""

    begin: Annotated[Number, AfterValidator(at_most(6))] = Field(alias="from")
    factor: Multiplier


class PoolTable(NamedTable):
    """[[version.pool]] without its steps."""

    items: Patterns
    owner: Owner
    reset: Reset
    contract_from: Day | None = None


class PoolStepTable(TomlTable):
    """One of the steps of [[version.pool]]; `price` left out is `list_price`."""

    above: Annotated[Number, AfterValidator(at_most(6))]
    list_price: Number
    price: Number | None = None


class QuotaTable(NamedTable):
    """[[version.quota]]: days are half-open [valid_from, valid_to)."""

    items: Patterns
    owner: Owner
    tenants: Patterns = Field(default_factory=_any)
    amount: Amount
    reset: Reset
    contract_from: Day | None = None
    valid_from: Day | None = None
    valid_to: Day | None = None


class CreditTable(NamedTable):
    """[[version.credit]]: charge days are half-open [valid_from, valid_to)."""

    tenant: Word
    items: Patterns = Field(default_factory=_any)
    amount: Money
    valid_from: Day
    valid_to: Day | None = None


class ContributionTable(NamedTable):
    """[[version.contribution]]: nodes that a tenant has put in."""

    tenant: Word
    cluster: Word
    nodes: Nodes
    resource: Pattern
    rate: Number
    valid_from: Day | None = None
    valid_to: Day | None = None


RULE_TABLES: dict[str, type[TomlTable]] = {
    "meter": MeterTable,
    "band": BandTable,
    "factor": FactorTable,
    "last_month": LastMonthTable,
    "pool": PoolTable,
    "quota": QuotaTable,
    "credit": CreditTable,
    "contribution": ContributionTable,
}
"""Kinds of rule -> their tables."""

RULE_NESTED = {"last_month": ("steps",), "pool": ("steps",)}
"""Kinds of rule -> the lists of tables inside them."""

RULE_HOMES = {
    f"[[version.{kind}]]": (*table.known_keys(), *RULE_NESTED.get(kind, ()))
    for kind, table in RULE_TABLES.items()
}
"""Headers -> their keys."""
