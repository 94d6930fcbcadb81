"""What a store says, in a few numbers that do not depend on the order of its rows."""

from __future__ import annotations

from pathlib import Path

from generated import PERIOD

from models.mart import mart_reader
from models.store import raw_reader

MARTS_TABLES = (
    "out_usage",
    "out_usage_line",
    "out_charge_line",
    "out_bill",
    "out_run",
    "out_user_day",
    "out_finding",
)
BATCH_TABLES = ("raw_sacct", "raw_rejected", "raw_finding", "raw_source")


def raw_digest(site: Path) -> tuple[object, ...]:
    """What the raw store holds, whatever the order of its rows."""
    with raw_reader(site / "raw.duckdb") as con:
        return tuple(
            con.execute(f"SELECT COUNT(*), BIT_XOR(hash(t)) FROM (SELECT * FROM {table}) AS t").fetchall()[0]
            for table in BATCH_TABLES
        )


def mart_digest(site: Path) -> dict[str, int]:
    """What the published mart says, whatever the order of its rows; its build number aside."""
    with mart_reader(site / "mart", PERIOD) as con:
        found = {
            table: con.execute(f"SELECT BIT_XOR(hash(t)) FROM (SELECT * FROM {table}) AS t").fetchall()[0][0]
            for table in MARTS_TABLES
        }
        found["input"] = con.execute("SELECT input_hash FROM mart_fact").fetchall()[0][0]
    return found
