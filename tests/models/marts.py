"""Built marts for tests: records in, the month's mart out, every check run on it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import duckdb

from models.build import SitePaths, build
from models.engine import check_names, check_rows
from models.site import Site
from models.tariff import PriceBook
from tests.models.raw_rows import fill_raw
from tests.models.sites import book, price, site, tariff

Record = dict[str, Any]
_numbers = count()

# Every resource has a price, so that whatever is used is priced.
EVERYTHING = book(
    tariff(
        price("CPU", "cpu", "0.1"),
        price("MEM", "mem", "0.01"),
        price("NODE", "node", "1"),
        price("BILL", "billing", "0.02"),
        price("DEV", "*:*", "3"),
        not_priced=(),
    )
)


def failing(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The names of the checks that fail on an open mart."""
    return {name for name in check_names() if check_rows(con, name, 1)}


def open_month(
    paths: SitePaths,
    period: str,
    *,
    of: Site | None = None,
    prices: PriceBook = EVERYTHING,
    fails: Iterable[str] = (),
) -> duckdb.DuckDBPyConnection:
    """Build one month of the store at `paths` and open it; exactly the checks in `fails` fail."""
    path = build(paths, of or site(), prices, period, program_version="test").path
    con = duckdb.connect(str(path), read_only=True)
    assert failing(con) == set(fails)
    return con


def month(
    folder: Path,
    *batches: list[Record],
    period: str = "2024-01",
    of: Site | None = None,
    prices: PriceBook = EVERYTHING,
    fails: Iterable[str] = (),
) -> duckdb.DuckDBPyConnection:
    """Fill a new store with `batches` and open the mart of `period`."""
    paths = SitePaths(folder / f"site{next(_numbers)}")
    fill_raw(paths.raw, *batches)
    return open_month(paths, period, of=of, prices=prices, fails=fails)


def table(con: duckdb.DuckDBPyConnection, query: str, *values: object) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return con.execute(query, list(values)).fetchall()


def use(con: duckdb.DuckDBPyConnection, column: str = "consumed_base") -> dict[tuple[str, str], int]:
    """Base units by (job id, resource), nothing left out but zeros."""
    rows = table(
        con,
        f"SELECT r.job_id, u.resource, SUM(u.{column}) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no"
        " GROUP BY ALL ORDER BY ALL",
    )
    return {(job, resource): int(base) for job, resource, base in rows if base}


def fates(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    """(job id, fate, reason) of every record that the month knows of, in the order of its batches."""
    return table(
        con,
        "SELECT CAST(job_id_raw AS VARCHAR), fate, reason FROM core_record WHERE fate <> 'outside' ORDER BY batch_id, record_no",
    )
