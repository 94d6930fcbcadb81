"""The reconciliation of a period: what was read against what was billed, cluster by cluster, and use against money."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from models.engine import check_names, check_rows
from models.store import first_row
from models.units import CORE, in_units, unit_of
from reports.files import write_table
from reports.load import Frame, read_frame
from reports.tables import reconciliation

FATES = ("billed", "zero", "held", "superseded", "rejected")


@dataclass(frozen=True)
class FateRow:
    """Records of one fate and reason; `core_hours` is None where the records cannot tell."""

    fate: str
    reason: str
    records: int
    core_hours: Decimal | None


@dataclass(frozen=True)
class UseRow:
    """A resource's use in the period: consumed = priced + free + refunded + unbilled, in `unit` to 4 decimals.

    The parts are split so that they add up as printed.
    """

    resource: str
    unit: str
    consumed: Decimal
    priced: Decimal
    free: Decimal
    refunded: Decimal
    unbilled: Decimal


@dataclass(frozen=True)
class ClusterRows:
    """One cluster's page. `read` records came in the period's batches, `elsewhere` of them belong to other periods."""

    cluster: str
    read: int
    elsewhere: int
    fates: tuple[FateRow, ...]
    use: tuple[UseRow, ...]

    @property
    def records(self) -> int:
        """Records in, of this period."""
        return sum(row.records for row in self.fates)


@dataclass(frozen=True)
class Reconciliation:
    """All of it. `lines` + `tax` = `gross` where tax is added or held; `failed` names the checks that found rows."""

    frame: Frame
    clusters: tuple[ClusterRows, ...]
    tenants: int
    lines: Decimal
    net: Decimal
    tax: Decimal
    gross: Decimal
    checks: tuple[str, ...]
    failed: tuple[str, ...]


def _fates(con: duckdb.DuckDBPyConnection, cluster: str) -> tuple[tuple[FateRow, ...], int]:
    rows = con.execute(
        "SELECT fate, reason, records_count, cpu_core_ms FROM out_reconciliation WHERE cluster = ? ORDER BY fate, reason",
        [cluster],
    ).fetchall()
    elsewhere = sum(count for fate, _, count, _ in rows if fate == "other-period")
    ordered = sorted((row for row in rows if row[0] in FATES), key=lambda row: (FATES.index(row[0]), row[1]))
    found = tuple(
        FateRow(fate, reason, count, None if ms is None else in_units(int(ms), CORE, 2))
        for fate, reason, count, ms in ordered
    )
    return found, elsewhere


def _use(con: duckdb.DuckDBPyConnection, cluster: str) -> tuple[UseRow, ...]:
    rows: Sequence[Any] = con.execute(
        """
        SELECT resource, SUM(priced_base), SUM(free_base), SUM(refunded_base), SUM(unbilled_base)
        FROM out_usage WHERE cluster = ? GROUP BY resource ORDER BY resource
        """,
        [cluster],
    ).fetchall()
    return tuple(_use_row(resource, [int(part) for part in parts]) for resource, *parts in rows)


def _use_row(resource: str, parts: Sequence[int]) -> UseRow:
    unit = unit_of(resource)
    marks = [in_units(sum(parts[:n]), unit, 4) for n in range(len(parts) + 1)]
    shown = [after - before for before, after in itertools.pairwise(marks)]
    return UseRow(resource, unit.unit, marks[-1], *shown)


def read_reconciliation(con: duckdb.DuckDBPyConnection, *, draft: bool) -> Reconciliation:
    """The reconciliation of the opened mart, with every check run anew."""
    names = [
        name
        for (name,) in con.execute("SELECT DISTINCT cluster FROM out_reconciliation ORDER BY 1").fetchall()
    ]
    clusters = []
    for name in names:
        fates, elsewhere = _fates(con, name)
        read = sum(row.records for row in fates) + elsewhere
        clusters.append(ClusterRows(name, read, elsewhere, fates, _use(con, name)))
    money = first_row(
        con,
        """
        SELECT COUNT(*), COALESCE(SUM(billed_amount), 0), COALESCE(SUM(net), 0), COALESCE(SUM(tax), 0), COALESCE(SUM(gross), 0)
        FROM out_bill
        """,
    )
    lines = first_row(con, "SELECT COALESCE(SUM(billed_amount), 0) FROM out_charge_line")
    tenants, _, net, tax, gross = money
    failed = tuple(name for name in check_names() if check_rows(con, name, 1))
    return Reconciliation(
        read_frame(con, draft=draft),
        tuple(clusters),
        tenants,
        lines[0],
        net,
        tax,
        gross,
        check_names(),
        failed,
    )


def write_reconciliation(
    con: duckdb.DuckDBPyConnection, out: Path, *, formats: Sequence[str], lang: str, draft: bool
) -> tuple[tuple[Path, ...], bool]:
    """Write the reconciliation as PDF and as CSV; gives the files and whether everything adds up."""
    from reports.paper.reconciliation import write_pages  # noqa: PLC0415 - fonts are loaded for paper alone

    found = read_reconciliation(con, draft=draft)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    if "pdf" in formats:
        paths.append(out / f"reconciliation-{found.frame.facts.period}.pdf")
        write_pages(found, paths[-1], lang)
    if "csv" in formats:
        paths.append(out / f"reconciliation-{found.frame.facts.period}.csv")
        write_table(reconciliation(con), paths[-1], "reconciliation")
    return tuple(paths), not found.failed
