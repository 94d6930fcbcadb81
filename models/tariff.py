"""The price book as domain types: dated versions of prices and policies. `models/tariff_file.py` reads tariffs.toml.

A price matches by cluster, partition, QOS, resource and user class; the first row of the version that matches wins.
Money is Decimal; a version is known by the hash of what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

from models.tariff_rules import Rules

Treatment = Literal["bill", "refund", "free"]

# Slurm's base states that a policy can name; what it does not name is billed.
RUN_STATES = (
    "boot_fail",
    "cancelled",
    "completed",
    "deadline",
    "failed",
    "node_fail",
    "out_of_memory",
    "preempted",
    "requeued",
    "resizing",
    "revoked",
    "running",
    "suspended",
    "timeout",
    "unknown",
)


@dataclass(frozen=True)
class Price:
    """One row of a price book: what matches costs this much per unit (core-hour, GiB-hour, node-hour, device-hour).

    Attributes:
        item: code on the bill, ASCII.
        cluster, partition, qos, resource, user_class: exact words or patterns with `*`; resource is
            `cpu`, `mem`, `node`, `billing`, or a device such as `gpu:a100`, `gpu:*`.
        list_price, price: list and contracted price per unit, currency of the book.
        line_no: line in tariffs.toml, for messages.
    """

    item: str
    name: str
    name_en: str
    cluster: str
    partition: str
    qos: str
    resource: str
    user_class: str
    list_price: Decimal
    price: Decimal
    line_no: int


@dataclass(frozen=True)
class Tariff:
    """One version of the book, valid for charge times in local days [valid_from, valid_to).

    Attributes:
        runs: (state, treatment) of runs that ended so; what is not named is billed. `refund` shows on the bill
            as not charged because of the state; `free` as free by policy.
        suspended: (resource pattern, treatment `bill` or `free`) for the time a run was suspended, closest pattern first,
            default bill. CPU is never consumed while suspended, so it has no say here.
        not_priced: resource patterns that other prices include; anything else without a price stops the close.
        quantity_decimals: places to which a line's quantity is rounded before it is multiplied.
        rules: meters, bands, tiers and the like.
        sha256: hash of everything above in a canonical form, so that an edit is seen; `valid_to` as written.
    """

    version: str
    valid_from: date
    valid_to: date | None
    approved_by: str
    quantity_decimals: int
    prices: tuple[Price, ...]
    runs: tuple[tuple[str, Treatment], ...]
    suspended: tuple[tuple[str, Treatment], ...]
    not_priced: tuple[str, ...]
    sha256: str
    line_no: int
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Vat:
    """Value-added tax from a local day on. `inclusive`: prices hold it; `exclusive`: it is added; `none`."""

    valid_from: date
    mode: Literal["inclusive", "exclusive", "none"]
    rate: Decimal


@dataclass(frozen=True)
class PriceBook:
    """A site's tariffs.toml: versions in order of time without overlap or gap, tax rates in order of time."""

    currency: str
    versions: tuple[Tariff, ...]
    vat: tuple[Vat, ...]
