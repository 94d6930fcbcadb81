"""Marts of one priced resource, and what they say of energy."""

from __future__ import annotations

from typing import Any

import duckdb

from models.build import SitePaths, build
from tests.models.marts import table
from tests.models.sites import book, price, site, tariff

BOOK = book(tariff(price("CPU", "cpu", "1")))

Energy = dict[int, tuple[str, int | None]]


def mart(paths: SitePaths, period: str = "2026-09") -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        str(build(paths, site(), BOOK, period, program_version="test").path), read_only=True
    )


def of_runs(con: duckdb.DuckDBPyConnection, column: str = "energy_j") -> Energy:
    """Job id -> basis and joules; one run a job."""
    rows = table(
        con,
        f"SELECT r.job_id_raw, e.basis, e.{column} FROM core_run_energy AS e JOIN core_run AS r ON r.run_no = e.run_no",
    )
    assert len(rows) == table(con, "SELECT COUNT(*) FROM core_run")[0][0]
    return {job: (basis, joules) for job, basis, joules in rows}


def findings(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return table(
        con,
        """SELECT location, reason, detail, level FROM out_finding
           WHERE reason LIKE 'energy-%' OR reason IN ('bad-node-list', 'nodes-disagree') ORDER BY ALL""",
    )
