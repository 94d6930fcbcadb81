"""Where the capacity went: every core-, memory- and device-hour of the period by what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from models.units import unit_of
from reports.capacity_cost import IdleCost, idle_cost
from reports.capacity_types import TERMS, ClusterCapacity, Part, Reserved, Source, Waste, Went, order_of
from reports.files import write_table
from reports.load import Frame, read_frame

_SUMS = ", ".join(f"SUM({name}_base)" for name in ("capacity", "over", *TERMS, "assumed", "blind"))
Row = Any


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
