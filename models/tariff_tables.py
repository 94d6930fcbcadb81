"""The tables of tariffs.toml: which keys each may hold, and what is left out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from models.tariff_rule_tables import RULE_HOMES, RULE_TABLES
from models.toml_fields import Code, Currency, Day, Filled, Number, Pattern, Rate, one_of, within
from models.toml_file import TomlTable


class BookTable(TomlTable):
    """The file's beginning."""

    currency: Currency


class VatTable(TomlTable):
    """[[vat]]: tax from a day on; `rate` is left out where the mode is `none`."""

    valid_from: Day
    mode: Annotated[
        Literal["inclusive", "exclusive", "none"], BeforeValidator(one_of("inclusive", "exclusive", "none"))
    ]
    rate: Rate | None = None


class VersionTable(TomlTable):
    """[[version]] without its tables; `valid_to` is exclusive, left out: until the next version begins."""

    id: Code
    valid_from: Day
    valid_to: Day | None = None
    approved_by: Filled
    quantity_decimals: Annotated[int, AfterValidator(within(0, 6))] = 4
    not_priced: list[Pattern] = Field(default_factory=list)


class PriceTable(TomlTable):
    """[[version.price]]: a row of prices; `price` left out is `list_price`, `name_en` left out is `name`."""

    item: Code
    name: Filled
    name_en: str = ""
    cluster: Pattern = "*"
    partition: Pattern = "*"
    qos: Pattern = "*"
    resource: Pattern
    user_class: Pattern = "*"
    unit: Filled
    list_price: Number
    price: Number | None = None


VERSION_PARTS = ("runs", "suspended", "price", *RULE_TABLES)

PLAIN_HOMES = {
    "": BookTable.known_keys(),
    "[[vat]]": VatTable.known_keys(),
    "[[version]]": VersionTable.known_keys(),
    "[[version.price]]": PriceTable.known_keys(),
}
HOMES = PLAIN_HOMES | RULE_HOMES
"""Kinds of table as headers -> their keys, outer ones first: where a key belongs that stands elsewhere."""
