"""Records of snapshots and lists, sorted into what is kept and what could not be read, with its bytes and a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

_REJECTED = pa.schema(
    [
        ("record_no", pa.int64()),
        ("location", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("body", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Fault:
    """A reason to reject a record: a short stable code, where it holds, and what of the record shows it."""

    reason: str
    holds: pl.Expr
    detail: pl.Expr


@dataclass(frozen=True)
class Rows:
    """What a file gives: rows of its raw table and of raw_rejected, both without batch_id.

    Attributes:
        left_out: records of a kind that was not asked for.
        format: how the file was written, for raw_batch.
    """

    kept: pa.Table
    rejected: pa.Table
    left_out: int
    format: str


def numbered(records: pl.DataFrame) -> pl.DataFrame:
    """The records with `record_no`, their place from 1."""
    return records.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("record_no"))


def sort_out(
    records: pl.DataFrame, faults: Sequence[Fault], columns: Sequence[str], *, form: str, left_out: int = 0
) -> Rows:
    """Rows out of `records`; of several faults of a record the first is told.

    Args:
        records: columns `location`, `body` and those of the raw table; they are numbered here.
        faults: reasons to reject.
        columns: of the raw table, without batch_id and record_no.
        form: how the file was written.
        left_out: see Rows.
    """
    judged = numbered(records).with_columns(
        pl.coalesce(
            *(pl.when(fault.holds.fill_null(value=False)).then(pl.lit(fault.reason)) for fault in faults)
        ).alias("reason"),
        pl.coalesce(
            *(
                pl.when(fault.holds.fill_null(value=False)).then(fault.detail.fill_null(""))
                for fault in faults
            )
        ).alias("detail"),
    )
    kept = judged.filter(pl.col("reason").is_null()).select("record_no", *columns)
    rejected = judged.filter(pl.col("reason").is_not_null()).select(_REJECTED.names)
    return Rows(kept.to_arrow(), rejected.to_arrow().cast(_REJECTED), left_out, form)


def lines_of(data: bytes) -> pl.DataFrame:
    """The lines of a text as records: `location`, `body` (its bytes) and `text` (bad UTF-8 as U+FFFD)."""
    parts = data.removesuffix(b"\n").split(b"\n") if data else []
    bodies = pl.Series("body", parts, dtype=pl.Binary)
    texts = pl.Series("text", data.decode("utf-8", "replace").removesuffix("\n").split("\n") if data else [])
    return pl.DataFrame([bodies, texts]).with_columns(
        pl.format("line {}", pl.int_range(1, pl.len() + 1)).alias("location"),
        pl.col("text").str.strip_chars("\r"),
    )
