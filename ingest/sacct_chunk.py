"""A chunk of a text file, read: what both text formats hand to the raw store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from ingest.sacct_lines import Lines, Mask, Places
from ingest.sacct_typed import NOTE, Typed
from models.errors import HesuanError


@dataclass(frozen=True)
class Place:
    """Where a chunk stands in its batch.

    Attributes:
        offset_bytes: of its first byte in the uncompressed source.
        lines_before: physical lines before it.
        records_before: records before it, steps included.
    """

    offset_bytes: int = 0
    lines_before: int = 0
    records_before: int = 0


@dataclass(frozen=True)
class Chunk:
    """What was read from one chunk.

    Attributes:
        rows: raw_sacct's columns without batch_id.
        rejected: raw_rejected's columns without batch_id.
        findings: raw_finding's columns without batch_id.
        steps_count: step rows, left out.
        used_bytes: how much of the chunk was read; the rest belongs to the next.
        after: where the next chunk stands.
    """

    rows: pl.DataFrame
    rejected: pl.DataFrame
    findings: pl.DataFrame
    steps_count: int
    used_bytes: int
    after: Place


@dataclass(frozen=True)
class Records:
    """Which lines of a chunk begin a record, and where it ends.

    Attributes:
        begins: true for the first line of every record, steps and rejects included.
        last: the last line of the record that begins at a line.
    """

    begins: Mask
    last: Places


def refuse_naive(parts: Sequence[Typed], place: Place, file: Path) -> None:
    """Refuse a file of wall times without a zone. A few in a file of others are rejected one by one instead.

    Raises:
        HesuanError: naming the first such time and the fix.
    """
    naive = pl.concat(part.naive for part in parts)
    if naive.height > sum(part.zoned_count for part in parts):
        line, column, value = naive.row(0)
        raise HesuanError(
            "ingest.timezone_missing",
            path=file,
            line=place.lines_before + line + 1,
            column=column,
            value=value,
        )


def bytes_shown(line: int | None, waits: int) -> pl.DataFrame:
    """A finding, as NOTE, where bytes from `line` on are not shown as they came."""
    if line is None or line >= waits:
        return pl.DataFrame(schema=NOTE)
    detail = (
        "from here on bytes that are no UTF-8, or NUL, are shown as U+FFFD; the source is kept as it came"
    )
    return pl.DataFrame([(line, "not-utf8", detail)], schema=NOTE, orient="row")


def assemble(
    lines: Lines,
    place: Place,
    records: Records,
    waits: int,
    *,
    rows: pl.DataFrame,
    faults: pl.DataFrame,
    findings: pl.DataFrame,
    steps_count: int,
) -> Chunk:
    """Number the records of a chunk and say where their bytes are.

    Args:
        lines: of the chunk.
        place: where it stands.
        records: which lines are records.
        waits: the first line that is left to the next chunk.
        rows: raw_sacct's columns from `cluster` on, and `line`.
        faults: rejected records, as NOTE.
        findings: as NOTE.
        steps_count: step rows.
    """
    after = int(lines.ends[-1]) + 1 if len(lines) else 0
    used = int(lines.starts[waits]) if waits < len(lines) else min(after, len(lines.data))
    return Chunk(
        rows=_located(rows, lines, records, place),
        rejected=_bodies(faults.sort("line"), lines, records, place),
        findings=findings.sort("line").select(_location(place), "reason", "detail"),
        steps_count=steps_count,
        used_bytes=used,
        after=Place(
            place.offset_bytes + used,
            place.lines_before + waits,
            place.records_before + int(records.begins.sum()),
        ),
    )


def _location(place: Place) -> pl.Expr:
    return pl.format("line {}", pl.col("line") + place.lines_before + 1).alias("location")


def _numbered(frame: pl.DataFrame, records: Records, place: Place) -> pl.DataFrame:
    numbers = np.cumsum(records.begins) + place.records_before
    return frame.with_columns(record_no=pl.Series(numbers[frame["line"].to_numpy()], dtype=pl.Int64))


def _located(rows: pl.DataFrame, lines: Lines, records: Records, place: Place) -> pl.DataFrame:
    """Rows with their number and the place of their bytes in the source, instead of their line."""
    line = rows["line"].to_numpy()
    return (
        _numbered(rows, records, place)
        .with_columns(
            source_start_bytes=pl.Series(lines.starts[line] + place.offset_bytes, dtype=pl.Int64),
            source_end_bytes=pl.Series(lines.ends[records.last[line]] + place.offset_bytes, dtype=pl.Int64),
        )
        .drop("line")
    )


def _bodies(faults: pl.DataFrame, lines: Lines, records: Records, place: Place) -> pl.DataFrame:
    """Rejected records with their bytes."""
    bodies = [lines.joined(line, int(records.last[line])) for line in faults["line"]]
    return _numbered(faults, records, place).select(
        "record_no", _location(place), "reason", "detail", pl.Series("body", bodies, dtype=pl.Binary)
    )
