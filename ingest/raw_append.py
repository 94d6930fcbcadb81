"""Appending one batch to the raw store: rows stream in while the next ones are being read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeVar

import duckdb
import pyarrow as pa

from ingest.sacct_ids import DERIVED
from models.source_text import CODEC, PIECE_BYTES, pack

T = TypeVar("T")
# Parts that share one INSERT: long enough for DuckDB to write whole row groups at once, short enough that the packed
# source of these parts, which waits for the INSERT's end, stays small.
SEGMENT_PARTS = 16
_REJECTED = pa.schema(
    [
        ("record_no", pa.int64()),
        ("location", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("body", pa.binary()),
    ]
)
FINDING = pa.schema([("location", pa.string()), ("reason", pa.string()), ("detail", pa.string())])
_PIECE = pa.schema(
    [
        ("piece_no", pa.int64()),
        ("start_bytes", pa.int64()),
        ("end_bytes", pa.int64()),
        ("codec", pa.string()),
        ("body", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Part:
    """A part of a batch.

    Attributes:
        rows: raw_sacct's columns without batch_id.
        rejected: raw_rejected's columns without batch_id.
        findings: raw_finding's columns without batch_id.
        pieces: raw_source's columns without batch_id.
        steps_count: step rows, left out.
        done_bytes: how much of the input has been read, for people.
    """

    rows: pa.Table
    rejected: pa.Table
    findings: pa.Table
    pieces: pa.Table
    steps_count: int
    done_bytes: int


@dataclass
class _Beside:
    """What comes beside the rows of a segment and is inserted after them."""

    rejected: list[pa.Table] = field(default_factory=list)
    findings: list[pa.Table] = field(default_factory=list)
    pieces: list[pa.Table] = field(default_factory=list)
    steps_count: int = 0
    error: BaseException | None = None


def pieces_of(data: bytes, offset_bytes: int) -> pa.Table:
    """The packed pieces of a stretch of source text that begins at `offset_bytes`.

    `offset_bytes` is a multiple of PIECE_BYTES, so that pieces are numbered by their place.
    """
    starts = range(0, len(data), PIECE_BYTES)
    ends = [min(start + PIECE_BYTES, len(data)) for start in starts]
    return pa.table(
        [
            [(offset_bytes + start) // PIECE_BYTES for start in starts],
            [offset_bytes + start for start in starts],
            [offset_bytes + end for end in ends],
            [CODEC] * len(ends),
            [pack(data[start:end]) for start, end in zip(starts, ends, strict=True)],
        ],
        schema=_PIECE,
    )


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made in a thread of its own while the one before is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _batches(parts: Iterable[Part], beside: _Beside) -> Iterator[pa.RecordBatch]:
    """The rows of `parts` for DuckDB; what goes with them is put aside, an error too: DuckDB would hide it."""
    try:
        for part in parts:
            beside.rejected.append(part.rejected)
            beside.findings.append(part.findings)
            beside.pieces.append(part.pieces)
            beside.steps_count += part.steps_count
            yield from part.rows.to_batches()
    except BaseException as error:
        beside.error = error
        raise


def _insert(
    con: duckdb.DuckDBPyConnection, table: str, batch_id: int, rows: pa.Table | pa.RecordBatchReader
) -> None:
    con.register("incoming", rows)
    try:
        con.execute(f"INSERT INTO {table} BY NAME SELECT {batch_id}::BIGINT AS batch_id, * FROM incoming")
    finally:
        con.unregister("incoming")


def append_parts(con: duckdb.DuckDBPyConnection, batch_id: int, parts: Iterator[Part]) -> int:
    """Append the parts of a batch within the caller's transaction.

    Returns:
        The step rows that were left out.

    Raises:
        HesuanError: as the parts' maker raises it.
    """
    # Rows carry their number. Kept in order, DuckDB would write the table a second time at the checkpoint.
    con.execute("SET preserve_insertion_order = false")
    con.execute("SET enable_progress_bar = false")
    # DuckDB's share beside the chunks in memory: at ten million records all of it stays under 3 GiB.
    con.execute("SET memory_limit = '1GB'")
    steps_count = 0
    for first in parts:
        beside = _Beside()
        segment = chain([first], islice(parts, SEGMENT_PARTS - 1))
        reader = pa.RecordBatchReader.from_batches(first.rows.schema, _batches(segment, beside))
        try:
            _insert(con, "raw_sacct", batch_id, reader)
        except duckdb.Error:
            if beside.error is not None:
                raise beside.error from None
            raise
        for table, tables in (
            ("raw_rejected", beside.rejected),
            ("raw_finding", beside.findings),
            ("raw_source", beside.pieces),
        ):
            if any(one.num_rows for one in tables):
                _insert(con, table, batch_id, pa.concat_tables(tables))
        steps_count += beside.steps_count
    # The checkpoint that follows would try zstd on source text that is packed already.
    con.execute("SET disabled_compression_methods = 'zstd'")
    return steps_count


def add_text_findings(con: duckdb.DuckDBPyConnection, batch_id: int, cluster: str) -> None:
    """Findings about a batch of text as a whole: rows of other clusters, ids made from JobID."""
    con.execute(
        """INSERT INTO raw_finding
           SELECT batch_id, 'record ' || min(record_no), 'other-cluster',
                  count(*) || ' records name the cluster ' || cluster || ', not ' || ? || ': kept under their own name'
           FROM raw_sacct WHERE batch_id = ? AND cluster <> ? GROUP BY batch_id, cluster""",
        [cluster, batch_id, cluster],
    )
    con.execute(
        f"""INSERT INTO raw_finding
            SELECT batch_id, 'record ' || min(record_no), 'job-id-derived',
                   count(*) || ' array tasks or components have no JobIDRaw here; their ids were made from JobID. '
                   || 'Never ingest the same jobs with JobIDRaw too: they would count as other runs'
            FROM raw_sacct WHERE batch_id = ? AND job_id_raw >= {DERIVED} GROUP BY batch_id""",
        [batch_id],
    )
