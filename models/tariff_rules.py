"""The rules of a price book beyond a plain price: meters, bands, factors, pools of tiers, quotas, credits, earnings.

The order in which they act is always the same, and bills print it: a *meter* makes a run's priced quantity; a *quota*
takes what is free; a *pool* chooses the price by what its owner has used so far; *factors* multiply it in the order of the
file, then the *band* does; amounts are rounded once; *credits* are taken off the bill, *earnings* added to it.

Patterns know `*` alone. Days are local, half-open unless said otherwise. Decimals are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

Owner = Literal["tenant", "project", "user"]
Reset = Literal["month", "year", "contract"]


@dataclass(frozen=True)
class Place:
    """Where a rule applies: patterns on the run's cluster, partition, QOS and the tenant's user class."""

    cluster: str
    partition: str
    qos: str
    user_class: str


@dataclass(frozen=True)
class Meter:
    """How what a run holds becomes a priced quantity of `resource`; the first meter that matches counts.

    Attributes:
        resource: pattern of the resources that it prices, such as `cpu` or `gpu:*`.
        minimum_s: a run counts for at least so many seconds; 0 for none.
        granularity_s: a started step of so many seconds counts whole; 1 for the second.
        weights: (resource pattern, units of `resource` that one core, GiB, node or device stands for). Empty: one for
            one. With weights `resource` is one exact word, and what they name needs no price of its own.
        combine: the largest of the weighted parts counts, or their sum.
        board_share: a MIG slice counts for its part of a board.
    """

    name: str
    place: Place
    resource: str
    minimum_s: int
    granularity_s: int
    weights: tuple[tuple[str, Decimal], ...]
    combine: Literal["max", "sum"]
    board_share: bool
    line_no: int


@dataclass(frozen=True)
class Band:
    """A time of another price: `factor` multiplies list and contracted price. The first band that holds a slot counts.

    Attributes:
        items: patterns of item codes.
        weekdays: 1 (Monday) to 7; empty for all.
        first_day, last_day: a window of local days, both within; None for always.
        from_minute, to_minute: local minutes of the day, half-open; from > to runs over midnight (and belongs to the day
            on which it began); both 0 for the whole day.
        by: `slot`: by when it was used; `end`: all of a run by the moment of its end.
    """

    name: str
    name_en: str
    items: tuple[str, ...]
    factor: Decimal
    weekdays: tuple[int, ...]
    first_day: date | None
    last_day: date | None
    from_minute: int
    to_minute: int
    by: Literal["slot", "end"]
    line_no: int


@dataclass(frozen=True)
class Factor:
    """A QOS or user-class factor (`on` = both) multiplies list and contracted price, a discount (`on` = price) the latter.

    All that match act, in the order of the file.
    """

    name: str
    name_en: str
    items: tuple[str, ...]
    place: Place
    tenants: tuple[str, ...]
    factor: Decimal
    on: Literal["both", "price"]
    line_no: int


@dataclass(frozen=True)
class LastMonth:
    """A discount by what the owner used in the month before: use of `items` ÷ `allotment` chooses the step.

    Attributes:
        allotment: units (core-hours …) a month that are the whole.
        steps: (share from which on it holds, factor on the contracted price), rising, the first from 0.
    """

    name: str
    name_en: str
    items: tuple[str, ...]
    owner: Owner
    allotment: Decimal
    steps: tuple[tuple[Decimal, Decimal], ...]
    line_no: int


@dataclass(frozen=True)
class Step:
    """One step of a pool: use above `above` units since the reset costs so much per unit."""

    above: Decimal
    list_price: Decimal
    price: Decimal


@dataclass(frozen=True)
class Pool:
    """Cumulative tiers (阶梯): each owner's use of `items` since the reset, in time order, chooses the price.

    Attributes:
        steps: rising; the first is above 0. Their prices stand in place of the row's.
        contract_from: local day on which a contract year begins; None unless `reset` is `contract`.
    """

    name: str
    name_en: str
    items: tuple[str, ...]
    owner: Owner
    reset: Reset
    contract_from: date | None
    steps: tuple[Step, ...]
    line_no: int


@dataclass(frozen=True)
class Quota:
    """Units that are free for each owner since the reset, used up in time order; quotas act in the order of the file.

    Attributes:
        tenants: patterns of the tenants that have it.
        amount: units of the items' resource.
        valid_from, valid_to: local days [from, to); None is open.
    """

    name: str
    name_en: str
    items: tuple[str, ...]
    owner: Owner
    tenants: tuple[str, ...]
    amount: Decimal
    reset: Reset
    contract_from: date | None
    valid_from: date | None
    valid_to: date | None
    line_no: int


@dataclass(frozen=True)
class Credit:
    """Money that is taken off a tenant's bills while it lasts; credits act in the order of their expiry, then of the file.

    Attributes:
        valid_from, valid_to: the charge periods [from, to) in whose bills it may be used; to None never expires.
    """

    name: str
    name_en: str
    tenant: str
    items: tuple[str, ...]
    amount: Decimal
    valid_from: date
    valid_to: date | None
    line_no: int


@dataclass(frozen=True)
class Contribution:
    """Nodes that a tenant has put in: use of them by others earns it `rate` per unit.

    Attributes:
        nodes: Slurm host list.
        resource: pattern of the resources that earn.
    """

    name: str
    name_en: str
    tenant: str
    cluster: str
    nodes: str
    resource: str
    rate: Decimal
    valid_from: date | None
    valid_to: date | None
    line_no: int


@dataclass(frozen=True)
class Rules:
    """All rules of one version, each kind in the order of the file."""

    meters: tuple[Meter, ...] = ()
    bands: tuple[Band, ...] = ()
    factors: tuple[Factor, ...] = ()
    last_month: tuple[LastMonth, ...] = ()
    pools: tuple[Pool, ...] = ()
    quotas: tuple[Quota, ...] = ()
    credits: tuple[Credit, ...] = ()
    contributions: tuple[Contribution, ...] = ()


Rule = Meter | Band | Factor | LastMonth | Pool | Quota | Credit | Contribution


def by_kind(rules: Rules) -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    """Each kind of rule, as tariffs.toml names it, with its rules, in the order in which they act."""
    return (
        ("meter", rules.meters),
        ("quota", rules.quotas),
        ("pool", rules.pools),
        ("factor", rules.factors),
        ("last_month", rules.last_month),
        ("band", rules.bands),
        ("credit", rules.credits),
        ("contribution", rules.contributions),
    )
