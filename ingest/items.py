"""A list of co-location, licences, account fees and one-off items -> one batch of raw_item.

CSV with the header kind,code,account,user,project,begin,end,quantity,unit,approved_by,note. `begin` is the first local day,
`end` the first one on which it is no more, as everywhere in hesuan.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ingest.other_batch import Arrival, OtherBatch, ingest_other
from ingest.other_csv import amounts, midnights, read_csv
from ingest.other_rows import Fault, Rows, sort_out
from ingest.sacct_times import check_zone
from models.errors import HesuanError

COLUMNS = (
    "kind", "code", "account", "user_name", "project", "begin_s", "end_s", "quantity_milli", "unit", "approved_by", "note",
)  # fmt: skip
CSV_COLUMNS = (
    "kind", "code", "account", "user", "project", "begin", "end", "quantity", "unit", "approved_by", "note",
)  # fmt: skip
NEEDED = ("kind", "code", "begin", "quantity")
# The units of each kind, the first where none is said; items carry words of their own.
UNITS = {"colo": ("rack", "kWh"), "licence": ("licence",), "account": ("account",)}
CODE = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"


def ingest_items(
    store: Path, file: Path, *, timezone: str, who: str, now_s: int, program_version: str
) -> OtherBatch:
    """Append one list, plain or gzip, as one batch in one transaction: all of it or nothing.

    Args:
        store: the raw store; made where there is none.
        file: the list.
        timezone: IANA zone of the days.
        who: the account that ingests.
        now_s: the present, UTC seconds.
        program_version: ours.

    Raises:
        HesuanError: no such file, a column that is missing or unknown, a store that is held. Nothing is written then. A
            row that cannot be read, or a one-off item that nobody approved, is rejected, and stops nothing.
    """
    check_zone(timezone)
    arrival = Arrival("items", "raw_item", "", "", None, who, now_s, program_version)
    return ingest_other(store, file, arrival, lambda data: read_items(data, file, timezone))


def read_items(data: bytes, path: object, timezone: str) -> Rows:
    """The rows of a list; raises as `ingest_items`."""
    records = read_csv(data, CSV_COLUMNS, path)
    empty = [name for name in NEEDED if (records[name] == "").all()]
    if records.height and empty:
        raise HesuanError("other.column_missing", path=path, columns=", ".join(empty))
    unit = pl.col("unit").str.to_lowercase()
    read = records.with_columns(
        pl.col("user").alias("user_name"),
        midnights(records["begin"], timezone).alias("begin_s"),
        midnights(records["end"], timezone).alias("end_s"),
        amounts(records["quantity"], 1000).alias("quantity_milli"),
        pl.when((unit == "") & (pl.col("kind") == "colo"))
        .then(pl.lit("rack"))
        .when((unit == "") | (unit == "license"))
        .then(pl.col("kind"))
        .when((unit == "kwh") & (pl.col("kind") == "colo"))
        .then(pl.lit("kWh"))
        .otherwise(pl.col("unit"))
        .alias("unit"),
    )
    return sort_out(read, _faults(), COLUMNS, form="csv")


def _faults() -> list[Fault]:
    kind, end = pl.col("kind"), pl.col("end_s")
    known = pl.col("kind").is_in(("colo", "licence", "account", "item"))
    wrong_unit = pl.lit(value=False)
    for name, units in UNITS.items():
        wrong_unit |= (kind == name) & ~pl.col("unit").is_in(units)
    return [
        Fault("field-count", pl.col("is_ragged"), pl.col("location")),
        Fault("bad-kind", ~known, kind),
        Fault("bad-code", ~pl.col("code").str.contains(CODE), pl.col("code")),
        Fault("bad-day", pl.col("begin_s").is_null(), pl.col("begin")),
        Fault("bad-day", (pl.col("end") != "") & end.is_null(), pl.col("end")),
        Fault("end-before-begin", end <= pl.col("begin_s"), pl.concat_str("begin", pl.lit(" "), "end")),
        Fault("bad-amount", pl.col("quantity_milli").is_null(), pl.col("quantity")),
        Fault("bad-unit", wrong_unit, pl.col("unit")),
        Fault("no-approver", (kind == "item") & (pl.col("approved_by") == ""), pl.col("code")),
    ]
