"""What a period takes over from the one before: use of pools, quotas and credits since their reset, and last month's use.

The month before is read from its published mart: a chain, so a year's tiers need the year's months built in order.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from models.calendar import Period, month_before
from models.engine import create_table, sql_text
from models.mart import read_manifest
from models.store import first_row
from models.tariff import PriceBook

_EMPTY = """
    CREATE TABLE carry_in (kind VARCHAR, name VARCHAR, owner VARCHAR, used_base HUGEINT);
    CREATE TABLE prior_use (tariff_no INTEGER, last_no INTEGER, owner VARCHAR, used_e6 HUGEINT);
"""


def needs_month_before(book: PriceBook, period: Period) -> bool:
    """Whether any rule of a version that is valid in the period looks at the month before."""
    valid = [
        version
        for version in book.versions
        if version.valid_from <= period.last_day
        and (version.valid_to is None or period.first_day < version.valid_to)
    ]
    return any(
        version.rules.last_month
        or any(pool.reset != "month" for pool in version.rules.pools)
        or any(quota.reset != "month" for quota in version.rules.quotas)
        or any(credit.valid_from < period.first_day for credit in version.rules.credits)
        for version in valid
    )


def create_carry_in(con: duckdb.DuckDBPyConnection, marts: Path, period: Period) -> str | None:
    """Fill carry_in and prior_use from the mart of the month before; gives its input hash, None where there is none."""
    con.execute(_EMPTY)
    before = month_before(period.name)
    name = read_manifest(marts).get(before)
    if name is None or not (marts / name).exists():
        return None
    quoted = str(marts / name).replace("'", "''")
    con.execute(f"ATTACH '{quoted}' AS prior (READ_ONLY)")
    try:
        for table in ("carry_in", "prior_use"):
            con.execute(f"INSERT INTO {table}\n{sql_text('sql', table)}")
        return str(first_row(con, "SELECT input_hash FROM prior.mart_fact")[0])
    finally:
        con.execute("DETACH prior")


def use_up(con: duckdb.DuckDBPyConnection, book: PriceBook) -> None:
    """Part the cells of core_cell by quotas, one after the other in the order of the book, then by the pools' steps."""
    con.execute(
        "CREATE TABLE core_segment AS SELECT sku_no, span_no, CAST(0 AS HUGEINT) AS from_base, priced_base AS to_base, "
        "'' AS quota_name, '' AS quota_owner FROM core_cell"
    )
    names = dict.fromkeys(quota.name for version in book.versions for quota in version.rules.quotas)
    for name in names:
        con.execute("CREATE OR REPLACE TABLE this_quota AS SELECT CAST(? AS VARCHAR) AS name", [name])
        create_table(con, "core_quota_pass")
        con.execute("DROP TABLE core_segment")
        con.execute("ALTER TABLE core_quota_pass RENAME TO core_segment")
    create_table(con, "core_pool_step")
    con.execute("DROP TABLE IF EXISTS this_quota")
