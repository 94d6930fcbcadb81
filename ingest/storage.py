"""A report of what a storage system holds -> one batch of raw_storage."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from ingest import storage_gpfs, storage_lfs
from ingest.other_batch import Arrival, OtherBatch, ingest_other
from ingest.other_csv import amounts, midnights, read_csv
from ingest.other_rows import Fault, Rows, sort_out
from ingest.sacct_times import check_zone, times
from ingest.storage_ceph import ceph_records
from ingest.storage_gpfs import gpfs_records
from ingest.storage_lfs import lfs_records
from models.errors import HesuanError

By = Literal["user", "group", "fileset"]

COLUMNS = (
    "system", "fileset", "account", "user_name", "taken_s", "used_bytes", "limit_bytes", "files_count",
)  # fmt: skip
# Powers of 1024 alone: a TB is 2^40 bytes in one centre and 10^12 in the next.
SCALES = {"bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
CSV_COLUMNS = (
    "taken_at", "day", "system", "fileset", "account", "user",
    *(f"used_{unit}" for unit in SCALES), *(f"limit_{unit}" for unit in SCALES), "files",
)  # fmt: skip
SYSTEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class StorageQuestion:
    """How a report is to be read.

    Attributes:
        system: the storage system; empty where the rows of a CSV name it.
        at_s: moment of the snapshot, UTC seconds; None where the rows of a CSV tell.
        by: whose quotas count, where a report has those of users, groups and filesets: the same bytes stand in each.
        timezone: IANA zone of local days and of wall times without an offset.
        now_s: the present, UTC seconds.
    """

    system: str
    at_s: int | None
    by: By | None
    timezone: str
    now_s: int


def ingest_storage(
    store: Path, file: Path, question: StorageQuestion, *, who: str, program_version: str
) -> OtherBatch:
    """Append one report, plain or gzip, as one batch in one transaction: all of it or nothing.

    Takes `lfs quota` of Lustre, `mmrepquota -Y` of Storage Scale, `ceph df detail -f json`, and CSV of people's own.

    Raises:
        HesuanError: no such file, no form that is known, no moment, no system, quotas of several kinds and none chosen,
            a moment to come, a store that is held. Nothing is written then. A row that cannot be read is rejected, and
            stops nothing.
    """
    check_zone(question.timezone)
    if question.system and not SYSTEM.fullmatch(question.system):
        raise HesuanError("other.bad_system", found=question.system)
    if question.at_s is not None and question.at_s > question.now_s:
        raise HesuanError("other.at_future", path=file)
    arrival = Arrival(
        "storage", "raw_storage", question.system, question.by or "", question.at_s, who, question.now_s, program_version
    )  # fmt: skip
    return ingest_other(store, file, arrival, lambda data: read_storage(data, file, question))


def read_storage(data: bytes, path: object, question: StorageQuestion) -> Rows:
    """The rows of a report, its form told by its content; raises as `ingest_storage`."""
    text = data.decode("utf-8", "replace")
    if re.search(storage_gpfs.BEGINS, text):
        return _snapshot(*gpfs_records(data, path), path, question, "mmrepquota")
    if re.search(storage_lfs.BEGINS, text):
        return _snapshot(*lfs_records(data, path), path, question, "lfs-quota")
    if text.lstrip("\ufeff \r\n\t").startswith("{"):
        return _snapshot(*ceph_records(data, path), path, question, "ceph-df")
    return _table(data, path, question)


def _snapshot(
    records: pl.DataFrame, faults: list[Fault], path: object, question: StorageQuestion, form: str
) -> Rows:
    """A report of one system at one moment, cut to the kind of quota that was asked for."""
    if not question.system:
        raise HesuanError("other.system_missing", path=path)
    if question.at_s is None:
        raise HesuanError("other.at_missing", path=path)
    kinds = records["by"].drop_nulls().unique().sort().to_list()
    if len(kinds) > 1 and question.by is None:
        raise HesuanError("other.several_kinds", path=path, kinds=", ".join(kinds))
    asked = (
        records
        if question.by is None
        else records.filter((pl.col("by") == question.by).fill_null(value=True))
    )
    placed = asked.with_columns(
        pl.lit(question.system).alias("system"), pl.lit(question.at_s, pl.Int64).alias("taken_s")
    )
    return sort_out(placed, faults, COLUMNS, form=form, left_out=records.height - asked.height)


def _table(data: bytes, path: object, question: StorageQuestion) -> Rows:
    """CSV with a header: when (`taken_at`, `day` or --at), where, whose, and how much in one unit."""
    first = next(iter(data.decode("utf-8", "replace").splitlines()), "")
    named = [name.strip() for name in first.removeprefix("\ufeff").split(",")]
    used = [unit for unit in SCALES if f"used_{unit}" in named]
    limits = [unit for unit in SCALES if f"limit_{unit}" in named]
    if not used:
        raise HesuanError("other.unknown_storage", path=path, seen=first[:40])
    if len(used) > 1 or len(limits) > 1 or {"taken_at", "day"} <= set(named):
        raise HesuanError("other.column_choice", path=path)
    if not {"taken_at", "day"} & set(named) and question.at_s is None:
        raise HesuanError("other.at_missing", path=path)
    records = read_csv(data, CSV_COLUMNS, path)
    if not question.system and "system" not in named:
        raise HesuanError("other.system_missing", path=path)
    taken = _taken(records, named, question)
    limit = amounts(records[f"limit_{limits[0]}"], SCALES[limits[0]]) if limits else None
    read = records.with_columns(
        taken.alias("taken_s"),
        pl.when(pl.col("system") == "")
        .then(pl.lit(question.system))
        .otherwise(pl.col("system"))
        .alias("system"),
        pl.col("user").alias("user_name"),
        amounts(records[f"used_{used[0]}"], SCALES[used[0]]).alias("used_bytes"),
        (pl.lit(None, pl.Int64) if limit is None else limit).alias("limit_bytes"),
        amounts(records["files"], 1).alias("files_count"),
    )
    return sort_out(read, _table_faults(f"used_{used[0]}", question), COLUMNS, form="csv")


def _taken(records: pl.DataFrame, named: list[str], question: StorageQuestion) -> pl.Series:
    if "day" in named:
        return midnights(records["day"], question.timezone)
    if "taken_at" not in named:
        return pl.Series([question.at_s] * records.height, dtype=pl.Int64)
    return times(records["taken_at"].str.replace(" ", "T"), question.timezone).earlier


def _table_faults(used: str, question: StorageQuestion) -> list[Fault]:
    when = pl.concat_str("taken_at", "day")
    return [
        Fault("field-count", pl.col("is_ragged"), pl.col("location")),
        Fault("bad-time", pl.col("taken_s").is_null(), when),
        Fault("future-time", pl.col("taken_s") > question.now_s, when),
        Fault("bad-system", ~pl.col("system").str.contains(rf"^{SYSTEM.pattern}$"), pl.col("system")),
        Fault("no-owner", pl.concat_str("fileset", "account", "user") == "", pl.col("location")),
        Fault("bad-amount", pl.col("used_bytes").is_null(), pl.col(used)),
    ]
