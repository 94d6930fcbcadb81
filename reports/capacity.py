"""Where the capacity went: every core-, memory- and device-hour of the period by what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from models.units import Unit, in_units, unit_of
from reports.capacity_cost import IdleCost, idle_cost
from reports.files import write_table
from reports.load import Frame, read_frame

# What becomes of capacity, in the order in which a reader adds it up.
TERMS = ("allocated", "reserved_idle", "idle", "maintenance", "drained", "down", "unknown")
# Out of reach whoever had asked for it; unknown is not counted as available either.
_OUT = frozenset({"maintenance", "drained", "down", "unknown"})
# States of runs that ended without a result.
FAILED = frozenset({"failed", "timeout", "node_fail", "out_of_memory", "boot_fail", "deadline"})
_SUMS = ", ".join(f"SUM({name}_base)" for name in ("capacity", "over", *TERMS, "assumed", "blind"))
Row = Any


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


@dataclass(frozen=True)
class Capacity:
    """All clusters with an inventory; `without` names those with records only."""

    frame: Frame
    clusters: tuple[ClusterCapacity, ...]
    without: tuple[str, ...]
    costs: IdleCost


def _went(row: Sequence[Row]) -> Went:
    resource, capacity, over, *rest = row
    numbers = [int(value) for value in rest]
    *parts, assumed, blind = numbers
    return Went(resource, int(capacity), int(over), tuple(parts), assumed, blind)


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


def _parts(rows: Sequence[Row]) -> tuple[Part, ...]:
    """Rows of (name, day, resource, sums …), ordered by name and day, as parts."""
    found = []
    for (name, day), group in groupby(rows, key=lambda row: (row[0], row[1])):
        went = sorted((_went(row[2:]) for row in group), key=lambda one: order_of(one.resource))
        found.append(Part(name, day, tuple(went)))
    return tuple(found)


def _cluster(con: duckdb.DuckDBPyConnection, source: Source) -> ClusterCapacity:
    def rows(name: str, day: str, table: str, where: str) -> tuple[Part, ...]:
        query = (
            f"SELECT {name} AS name, {day} AS day, resource, {_SUMS} FROM {table} WHERE cluster = ? AND {where} "
            f"GROUP BY {name}, {day}, resource ORDER BY name, day"
        )
        return _parts(con.execute(query, [source.cluster]).fetchall())

    total = rows("''", "NULL", "out_capacity", "partition = ''")
    waste = con.execute(
        """SELECT state, resource, SUM(runs_count), SUM(held_base), SUM(told_base), SUM(used_base)
           FROM out_capacity_waste WHERE cluster = ? GROUP BY state, resource""",
        [source.cluster],
    ).fetchall()
    reserved = con.execute(
        """SELECT reservation, start_s, end_s, tenant, resource, kept_base, idle_base
           FROM out_capacity_reserved WHERE cluster = ? ORDER BY start_s, reservation, resource""",
        [source.cluster],
    ).fetchall()
    return ClusterCapacity(
        source,
        total[0].went,
        rows("''", "day", "out_capacity", "partition = ''"),
        rows("partition", "NULL", "out_capacity", "partition <> ''"),
        rows("node", "NULL", "out_capacity_node", "TRUE"),
        tuple(Waste(*row[:2], *map(int, row[2:])) for row in sorted(waste, key=lambda row: (order_of(row[1]), row[0]))),
        tuple(
            Reserved(name, start_s, end_s, tenant, resource, int(kept), int(idle))
            for name, start_s, end_s, tenant, resource, kept, idle in sorted(
                reserved, key=lambda row: (row[1], row[0], order_of(row[4]))
            )
        ),
    )  # fmt: skip


def read_capacity(con: duckdb.DuckDBPyConnection, *, draft: bool) -> Capacity:
    """The capacity of the opened mart."""
    sources = [
        Source(row[0], *(None if value is None else int(value) for value in row[1:]))  # type: ignore[arg-type] # as the SQL has them
        for row in con.execute(
            """SELECT cluster, nodes_count, snapshots_count, first_taken_s, last_taken_s, events_to_s, reservations_to_s,
                      covered_s, declared_s, period_s
               FROM out_capacity_source ORDER BY cluster"""
        ).fetchall()
    ]
    known = {row[0] for row in con.execute("SELECT DISTINCT cluster FROM out_capacity").fetchall()}
    clusters = tuple(_cluster(con, source) for source in sources if source.cluster in known)
    without = tuple(source.cluster for source in sources if source.cluster not in known)
    return Capacity(read_frame(con, draft=draft), clusters, without, idle_cost(con))


def capacity_table(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """The whole of out_capacity for scripts: cluster, partition (empty: the whole cluster), day, resource, base units.

    capacity + over = allocated + reserved_idle + idle + maintenance + drained + down + unknown, in `base_unit`, of which
    `base_per_unit` are one `unit`.
    """
    resources = [
        row[0] for row in con.execute("SELECT DISTINCT resource FROM out_capacity ORDER BY 1").fetchall()
    ]
    units = [unit_of(resource) for resource in resources]
    con.register(
        "units_of_capacity",
        pa.table(
            {
                "resource": pa.array(resources, pa.string()),
                "unit": pa.array([unit.unit for unit in units], pa.string()),
                "base_unit": pa.array([unit.base_unit for unit in units], pa.string()),
                "base_per_unit": pa.array([unit.base_per_unit for unit in units], pa.int64()),
            }
        ),
    )
    columns = ", ".join(
        f"CAST(c.{name}_base AS BIGINT) AS {name}"
        for name in ("capacity", "over", *TERMS, "assumed", "blind")
    )
    table = con.sql(
        f"""SELECT c.cluster, c.partition, c.day, c.resource, {columns}, u.base_unit, u.unit, u.base_per_unit
            FROM out_capacity AS c JOIN units_of_capacity AS u ON u.resource = c.resource
            ORDER BY c.cluster, c.partition, c.day, c.resource"""
    ).to_arrow_table()
    con.unregister("units_of_capacity")
    return table


def write_capacity(
    con: duckdb.DuckDBPyConnection, out: Path, *, formats: Sequence[str], lang: str, draft: bool
) -> tuple[Path, ...]:
    """Write the capacity report in the formats asked for (`pdf`, `xlsx`, `csv`); gives the files."""
    from reports.paper.capacity import write_pages  # noqa: PLC0415 - fonts are loaded for paper alone

    found = read_capacity(con, draft=draft)
    out.mkdir(parents=True, exist_ok=True)
    stem = out / f"capacity-{found.frame.facts.period}"
    paths = []
    if "pdf" in formats:
        paths.append(stem.with_suffix(".pdf"))
        write_pages(found, paths[-1], lang)
    if "xlsx" in formats:
        paths.append(stem.with_suffix(".xlsx"))
        from reports.capacity_workbook import write_capacity_workbook  # noqa: PLC0415 - only for workbooks

        write_capacity_workbook(found, paths[-1], lang)
    if "csv" in formats:
        paths.append(stem.with_suffix(".csv"))
        write_table(capacity_table(con), paths[-1], "capacity")
    return tuple(paths)
