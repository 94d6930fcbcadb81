"""`mmrepquota -Y` of IBM Storage Scale (GPFS): colon separated rows, each kind named by its HEADER row, block counts in KiB.

A value's own `:` and `%` are written as %3A and %25, as all -Y output does. Owners are USR, GRP or FILESET; with quotas per
fileset a user has a row in each. `blockInDoubt`, what nodes may still hold of a quota, is not used yet and not counted.
"""

from __future__ import annotations

from urllib.parse import unquote

import polars as pl

from ingest.other_rows import Fault, lines_of
from models.errors import HesuanError

BEGINS = r"(?m)^mmrepquota:"
_NEEDED = ("filesystemName", "quotaType", "name", "blockUsage")
_WANTED = (*_NEEDED, "blockQuota", "blockLimit", "filesUsage", "filesetname")
_OF_KIND = {"USR": "user", "GRP": "group", "FILESET": "fileset"}
_SILENT = r"^\s*$|^\*\*\* Report for |^mmrepquota:[^:]*:HEADER:"


def gpfs_records(data: bytes, path: object) -> tuple[pl.DataFrame, list[Fault]]:
    """The rows as records of storage, with `by` (user, group or fileset), and what may be wrong.

    The fileset is DEVICE:FILESET, as Scale itself names one; DEVICE alone for what has none.

    Raises:
        HesuanError: `other.column_missing`: a HEADER row without a field that is needed, or no HEADER row.
    """
    lines = lines_of(data).with_columns(
        pl.when(pl.col("text").str.contains(r"^mmrepquota:[^:]*:HEADER:"))
        .then(pl.col("text"))
        .forward_fill()
        .alias("header")
    )
    parts = [
        _under(header, part, path)
        for (header,), part in lines.group_by("header", maintain_order=True)
        if part.filter(~pl.col("text").str.contains(_SILENT)).height
    ]
    read = pl.concat(parts) if parts else _under(_first_header(lines), lines.clear(), path)
    return read.with_columns(_columns()), _faults()


def _first_header(lines: pl.DataFrame) -> object:
    headers = lines["header"].drop_nulls()
    return headers[0] if headers.len() else None


def _under(header: object, lines: pl.DataFrame, path: object) -> pl.DataFrame:
    """The rows under one form of HEADER row, with the texts of the fields that are wanted."""
    names = str(header or "").split(":")
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise HesuanError("other.column_missing", path=path, columns=", ".join(missing))
    cells = pl.col("text").str.split(":")
    whole = cells.list.len() == len(names)
    return (
        lines.filter(~pl.col("text").str.contains(_SILENT))
        .drop("header")
        .with_columns(
            *(
                pl.when(whole).then(cells.list.get(names.index(name), null_on_oob=True)).alias(name)
                if name in names
                else pl.lit("").alias(name)
                for name in _WANTED
            )
        )
    )


def _plain(name: str) -> pl.Expr:
    """A name without the escapes of -Y output."""
    return pl.col(name).map_elements(unquote, return_dtype=pl.String, skip_nulls=True)


def _columns() -> list[pl.Expr]:
    """The columns of raw_storage but for system and taken_s, and `by`."""
    by = pl.col("quotaType").replace_strict(_OF_KIND, default=None, return_dtype=pl.String)
    name, within = _plain("name"), _plain("filesetname")
    device = _plain("filesystemName")
    inside = pl.when(by == "fileset").then(name).otherwise(within)
    hard, soft = (pl.col(column).cast(pl.Int64, strict=False) for column in ("blockLimit", "blockQuota"))
    return [
        by.alias("by"),
        pl.when(inside == "").then(device).otherwise(pl.format("{}:{}", device, inside)).alias("fileset"),
        pl.when(by == "group").then(name).otherwise(pl.lit("")).alias("account"),
        pl.when(by == "user").then(name).otherwise(pl.lit("")).alias("user_name"),
        (pl.col("blockUsage").cast(pl.Int64, strict=False) * 1024).alias("used_bytes"),
        (pl.when(hard > 0).then(hard).when(soft > 0).then(soft) * 1024).alias("limit_bytes"),
        pl.col("filesUsage").cast(pl.Int64, strict=False).alias("files_count"),
    ]


def _faults() -> list[Fault]:
    return [
        Fault("field-count", pl.col("quotaType").is_null(), pl.col("text")),
        Fault("no-owner", pl.col("by").is_null() | (pl.col("name") == ""), pl.col("text")),
        Fault(
            "bad-amount", pl.col("used_bytes").is_null() | (pl.col("used_bytes") < 0), pl.col("blockUsage")
        ),
    ]
