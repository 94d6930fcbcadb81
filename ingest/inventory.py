"""A file of Slurm's inventory -> one batch of the raw store, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.inventory_rows import SNAPSHOTS, SOURCES, TABLES, Rows, to_rows
from ingest.inventory_said import Inventory, read_inventory
from ingest.raw_append import pieces_of
from ingest.sacct_times import check_zone
from ingest.source_file import open_source
from models.errors import HesuanError
from models.store import first_row, raw_writer

_READ_BYTES = 16 << 20


@dataclass(frozen=True)
class InventoryBatch:
    """A batch of inventory as it stands in the raw store: records = kept + rejected.

    Attributes:
        batch_id: of raw_batch.
        source: `scontrol-node`, `scontrol-partition`, `scontrol-reservation`, `sacctmgr-event`, `sacctmgr-reservation`.
        taken_s: moment of a snapshot, UTC seconds; None for sacctmgr's tables.
        already: the same bytes for the same cluster and moment were in the store; nothing was appended.
    """

    batch_id: int
    source: str
    taken_s: int | None
    records: int
    kept: int
    rejected: int
    already: bool = False


def ingest_inventory(
    store: Path,
    file: Path,
    *,
    cluster: str,
    at_s: int | None = None,
    timezone: str | None = None,
    who: str,
    now_s: int,
    program_version: str,
) -> InventoryBatch:
    """Append one file of inventory as one batch, in one transaction.

    Takes `scontrol show node`, `partition` or `reservation` (over several lines, -o, --json of Slurm 23.02 and later,
    or what slurmrestd gives) and `sacctmgr --parsable2 show event` or `show reservation`; each of them also as gzip.

    Args:
        store: the raw store; made where there is none.
        file: the input.
        cluster: of things that name none.
        at_s: the moment of a snapshot, UTC seconds. JSON says when its things last changed, and may go without. For
            sacctmgr's tables the moment at which they were asked for; now by default.
        timezone: the IANA zone of wall times without an offset.
        who: the account that ingests.
        now_s: the present, UTC seconds.
        program_version: ours.

    Raises:
        HesuanError: no such file, no format that is known, no moment for a snapshot, a moment to come, a zone missing
            or unknown, a store that is held. Nothing is written then. A thing that cannot be read is rejected, and
            stops nothing.
    """
    check_zone(timezone)
    with open_source(file) as source:
        parts = []
        while part := source.read(_READ_BYTES):
            parts.append(part)
    data = b"".join(parts)
    said = read_inventory(data, file)
    taken_s = _moment(said, at_s, now_s, file)
    rows = to_rows(said, cluster=cluster, taken_s=taken_s, timezone=timezone, path=file)
    batch = InventoryBatch(
        0,
        SOURCES[said.kind],
        taken_s,
        rows.kept.num_rows + rows.rejected.num_rows,
        rows.kept.num_rows,
        rows.rejected.num_rows,
    )
    with raw_writer(store, now_s=now_s, program_version=program_version) as con:
        con.execute("BEGIN")
        twin = _twin(con, batch, cluster, source.sha256, at_s if taken_s is None else taken_s)
        if twin is None:
            read_at_s = taken_s or at_s or now_s
            what = [cluster, file.name, said.format, said.version, source.sha256, len(data), read_at_s]
            twin = _append(con, batch, said, rows, what, [now_s, who, program_version])
            _insert(con, "raw_source", twin.batch_id, pieces_of(data, 0))
        con.execute("COMMIT")
    return twin


def _moment(said: Inventory, at_s: int | None, now_s: int, file: Path) -> int | None:
    """When a snapshot was taken; None for a table that carries its times."""
    if at_s is not None and at_s > now_s:
        raise HesuanError("inventory.at_future", path=file)
    if said.kind not in SNAPSHOTS:
        return None
    taken_s = at_s if at_s is not None else said.moment_s
    if taken_s is None:
        raise HesuanError("inventory.at_missing", path=file)
    return taken_s


def _twin(
    con: duckdb.DuckDBPyConnection, batch: InventoryBatch, cluster: str, sha256: str, at_s: int | None
) -> InventoryBatch | None:
    """The batch with these bytes and this cluster, and of this moment where one was said, if there is one.

    A snapshot like the one before it is another snapshot: it says that nothing had changed.
    """
    row = first_row(
        con,
        """SELECT batch_id, records_count, kept_count, rejected_count FROM raw_batch
           WHERE source = ? AND cluster = ? AND sha256 = ? AND read_at_s = COALESCE(?, read_at_s)
           ORDER BY batch_id LIMIT 1""",
        [batch.source, cluster, sha256, at_s],
    )
    if row is None:
        return None
    batch_id, records, kept, rejected = row
    return InventoryBatch(batch_id, batch.source, batch.taken_s, records, kept, rejected, already=True)


def _append(
    con: duckdb.DuckDBPyConnection,
    batch: InventoryBatch,
    said: Inventory,
    rows: Rows,
    what: Sequence[object],
    by: Sequence[object],
) -> InventoryBatch:
    """Append the batch and its rows within the caller's transaction."""
    row = first_row(con, "SELECT COALESCE(MAX(batch_id), 0) + 1 FROM raw_batch")
    batch_id = int(row[0])
    cluster, origin, form, version, sha256, size, read_at_s = what
    con.execute(
        """INSERT INTO raw_batch BY NAME SELECT
               CAST(? AS BIGINT) AS batch_id, ? AS source, ? AS cluster, ? AS origin, ? AS format, ? AS source_version,
               ? AS sha256, CAST(? AS BIGINT) AS size_bytes, CAST(? AS BIGINT) AS read_at_s,
               CAST(? AS BIGINT) AS records_count, CAST(? AS BIGINT) AS kept_count,
               CAST(? AS BIGINT) AS rejected_count, 0 AS steps_count, CAST(? AS BIGINT) AS ingested_at_s,
               ? AS ingested_by, ? AS program_version""",
        [
            batch_id, batch.source, cluster, origin, form, version, sha256, size, read_at_s,
            batch.records, batch.kept, batch.rejected, *by,
        ],
    )  # fmt: skip
    _insert(con, TABLES[said.kind], batch_id, rows.kept)
    _insert(con, "raw_rejected", batch_id, rows.rejected)
    return InventoryBatch(batch_id, batch.source, batch.taken_s, batch.records, batch.kept, batch.rejected)


def _insert(con: duckdb.DuckDBPyConnection, table: str, batch_id: int, rows: pa.Table) -> None:
    if rows.num_rows:
        con.register("incoming", rows)
        con.execute(f"INSERT INTO {table} BY NAME SELECT {batch_id}::BIGINT AS batch_id, * FROM incoming")
        con.unregister("incoming")
