"""A file of storage snapshots or of items -> one batch of the raw store, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.other_rows import Rows
from ingest.raw_append import pieces_of
from ingest.source_file import open_source
from models.store import first_row, raw_writer

_READ_BYTES = 16 << 20


@dataclass(frozen=True)
class OtherBatch:
    """A batch as it stands in the raw store: records = kept + rejected.

    Attributes:
        batch_id: of raw_batch.
        source: `storage` or `items`.
        format: how the file was written.
        left_out: records of a kind that was not asked for.
        already: the same bytes, asked for in the same way, were in the store; nothing was appended.
    """

    batch_id: int
    source: str
    format: str
    records: int
    kept: int
    rejected: int
    left_out: int
    already: bool = False


@dataclass(frozen=True)
class Arrival:
    """How a file comes: where it goes and what raw_batch says of it. Times are UTC seconds.

    Attributes:
        table: the raw table of its rows.
        system: the storage system that was named; empty for items, and where the rows name their own.
        asked: what of the file was asked for; empty for all of it.
        at_s: the moment of a snapshot, where it was named.
    """

    source: str
    table: str
    system: str
    asked: str
    at_s: int | None
    who: str
    now_s: int
    program_version: str


def ingest_other(store: Path, file: Path, arrival: Arrival, read: Callable[[bytes], Rows]) -> OtherBatch:
    """Append one file, plain or gzip, as one batch in one transaction: all of it or nothing.

    Raises:
        HesuanError: no such file, whatever `read` refuses, a store that is held. Nothing is written then.
    """
    with open_source(file) as source:
        parts = []
        while part := source.read(_READ_BYTES):
            parts.append(part)
    data = b"".join(parts)
    rows = read(data)
    with raw_writer(store, now_s=arrival.now_s, program_version=arrival.program_version) as con:
        con.execute("BEGIN")
        batch = _twin(con, arrival, source.sha256)
        if batch is None:
            batch = _append(con, arrival, rows, file.name, source.sha256, len(data))
            _insert(con, "raw_source", batch.batch_id, pieces_of(data, 0))
        con.execute("COMMIT")
    return batch


def _twin(con: duckdb.DuckDBPyConnection, arrival: Arrival, sha256: str) -> OtherBatch | None:
    """The batch with these bytes, this system, this moment and this question, if there is one."""
    row = first_row(
        con,
        """SELECT batch_id, source, format, records_count, kept_count, rejected_count, steps_count FROM raw_batch
           WHERE source = ? AND cluster = ? AND sha256 = ? AND columns = ? AND read_at_s IS NOT DISTINCT FROM ?
           ORDER BY batch_id DESC LIMIT 1""",
        [arrival.source, arrival.system, sha256, arrival.asked, arrival.at_s],
    )
    return None if row is None else replace(OtherBatch(*row), already=True)


def _append(
    con: duckdb.DuckDBPyConnection, arrival: Arrival, rows: Rows, origin: str, sha256: str, size: int
) -> OtherBatch:
    """Append the batch and its rows within the caller's transaction."""
    row = first_row(con, "SELECT COALESCE(MAX(batch_id), 0) + 1 FROM raw_batch")
    kept, rejected = rows.kept.num_rows, rows.rejected.num_rows
    batch = OtherBatch(
        int(row[0]), arrival.source, rows.format, kept + rejected, kept, rejected, rows.left_out
    )
    con.execute(
        """INSERT INTO raw_batch BY NAME SELECT
               CAST(? AS BIGINT) AS batch_id, ? AS source, ? AS cluster, ? AS origin, ? AS format, ? AS columns, ? AS sha256,
               CAST(? AS BIGINT) AS size_bytes, CAST(? AS BIGINT) AS read_at_s, CAST(? AS BIGINT) AS records_count,
               CAST(? AS BIGINT) AS kept_count, CAST(? AS BIGINT) AS rejected_count, CAST(? AS BIGINT) AS steps_count,
               CAST(? AS BIGINT) AS ingested_at_s, ? AS ingested_by, ? AS program_version""",
        [
            batch.batch_id, batch.source, arrival.system, origin, batch.format, arrival.asked, sha256, size, arrival.at_s,
            batch.records, batch.kept, batch.rejected, batch.left_out, arrival.now_s, arrival.who, arrival.program_version,
        ],
    )  # fmt: skip
    _insert(con, arrival.table, batch.batch_id, rows.kept)
    _insert(con, "raw_rejected", batch.batch_id, rows.rejected)
    return batch


def _insert(con: duckdb.DuckDBPyConnection, table: str, batch_id: int, rows: pa.Table) -> None:
    if rows.num_rows:
        con.register("incoming", rows)
        con.execute(f"INSERT INTO {table} BY NAME SELECT {batch_id}::BIGINT AS batch_id, * FROM incoming")
        con.unregister("incoming")
