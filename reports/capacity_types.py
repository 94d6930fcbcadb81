"""What the capacity report is made of: where resources went, what that rests on, what was held in vain and what was reserved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from models.units import Unit, in_units, unit_of

# What becomes of capacity, in the order in which a reader adds it up.
TERMS = ("allocated", "reserved_idle", "idle", "maintenance", "drained", "down", "unknown")
# Out of reach whoever had asked for it; unknown is not counted as available either.
_OUT = frozenset({"maintenance", "drained", "down", "unknown"})
# States of runs that ended without a result.
FAILED = frozenset({"failed", "timeout", "node_fail", "out_of_memory", "boot_fail", "deadline"})


@dataclass(frozen=True)
class Went:
    """Where one resource went, in base units: capacity + over = the sum of `parts`.

    Attributes:
        resource: `cpu`, `mem` or a device `gpu:<type>`.
        capacity: what there was.
        over: what runs held beyond it.
        parts: one for each of TERMS.
        assumed: the part of idle and reserved_idle that rests on an assumed coverage.
        blind: the part of allocated in time for which not all records were read: it says nothing about utilisation.
    """

    resource: str
    capacity: int
    over: int
    parts: tuple[int, ...]
    assumed: int
    blind: int

    @property
    def unit(self) -> Unit:
        """How the resource is counted."""
        return unit_of(self.resource)

    def base(self, term: str) -> int:
        """One of TERMS, in base units."""
        return self.parts[TERMS.index(term)]

    @property
    def available(self) -> int:
        """Capacity that could be used, of the time for which all records were read."""
        return self.capacity - self.blind - sum(self.base(term) for term in _OUT)

    @property
    def in_use(self) -> int:
        """What of `available` was allocated."""
        return self.base("allocated") - self.over - self.blind

    @property
    def utilisation(self) -> Decimal | None:
        """Allocated ÷ available; None where nothing was available. Use beyond capacity does not count."""
        return Decimal(self.in_use) / self.available if self.available > 0 else None

    def shown(self) -> tuple[Decimal, ...]:
        """Parts in hours of the unit to 2 decimals, so that they add up as printed."""
        marks = [in_units(sum(self.parts[:n]), self.unit, 2) for n in range(len(self.parts) + 1)]
        return tuple(after - before for before, after in pairwise(marks))

    def shown_capacity(self) -> tuple[Decimal, Decimal]:
        """Capacity and over in hours: together the sum of `shown`."""
        over = in_units(self.over, self.unit, 2)
        return in_units(sum(self.parts), self.unit, 2) - over, over


@dataclass(frozen=True)
class Part:
    """A day, a partition or a node, and where its resources went. `day` is None but for days."""

    name: str
    day: date | None
    went: tuple[Went, ...]


@dataclass(frozen=True)
class Source:
    """What the figures of a cluster rest on. Times are UTC seconds, None where there is no such source.

    Attributes:
        nodes: that some snapshot names within the period; 0: no inventory was read.
        snapshots: of nodes, ever read.
        covered_s, declared_s: seconds of the period for which job records were read: in all, and by a declared window.
        period_s: seconds of the period.
    """

    cluster: str
    nodes: int
    snapshots: int
    first_taken_s: int | None
    last_taken_s: int | None
    events_to_s: int | None
    reservations_to_s: int | None
    covered_s: int
    declared_s: int
    period_s: int

    @property
    def coverage(self) -> Decimal:
        """Covered ÷ period."""
        return Decimal(self.covered_s) / self.period_s


@dataclass(frozen=True)
class Waste:
    """What runs of one state held in the period, in base units; `told` is the part whose use sacct tells."""

    state: str
    resource: str
    runs: int
    held: int
    told: int
    used: int


@dataclass(frozen=True)
class Reserved:
    """A reservation's resource: what it kept and what of it lay idle, in base units. Times are UTC seconds."""

    reservation: str
    start_s: int
    end_s: int
    tenant: str
    resource: str
    kept: int
    idle: int


@dataclass(frozen=True)
class ClusterCapacity:
    """One cluster: its whole, its days, partitions and nodes, its runs by state, its reservations."""

    source: Source
    total: tuple[Went, ...]
    days: tuple[Part, ...]
    partitions: tuple[Part, ...]
    nodes: tuple[Part, ...]
    waste: tuple[Waste, ...]
    reserved: tuple[Reserved, ...]

    @property
    def name(self) -> str:
        """The cluster's."""
        return self.source.cluster


def order_of(resource: str) -> tuple[int, str]:
    """Cores first, memory second, then devices by name."""
    return ({"cpu": 0, "mem": 1}.get(resource, 2), resource)


def devices(went: Sequence[Went]) -> tuple[Went, ...]:
    """All devices of `went` as one, `devices`; nothing where there are none."""
    found = [one for one in went if one.resource not in {"cpu", "mem"}]
    if not found:
        return ()
    parts = tuple(sum(one.parts[n] for one in found) for n in range(len(TERMS)))
    sums = [
        sum(values) for values in zip(*((o.capacity, o.over, o.assumed, o.blind) for o in found), strict=True)
    ]
    capacity, over, assumed, blind = sums
    return (Went("devices", capacity, over, parts, assumed, blind),)


def failed_share(cluster: ClusterCapacity) -> tuple[int, Decimal | None]:
    """Core-milliseconds that failed runs held, and their part of what was allocated."""
    held = sum(one.held for one in cluster.waste if one.resource == "cpu" and one.state in FAILED)
    allocated = sum(one.base("allocated") for one in cluster.total if one.resource == "cpu")
    return held, Decimal(held) / allocated if allocated else None
