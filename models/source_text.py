"""The bytes of a record as its source said them, read back from the raw store."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from models.store import first_row

PIECE_BYTES = 1 << 20  # a record is shown by unpacking one or two pieces
CODEC = "lz4_raw"


def pack(data: bytes) -> bytes:
    """A piece of source text as raw_source keeps it."""
    return bytes(pa.compress(data, codec=CODEC, asbytes=True))


def unpack(body: bytes, size_bytes: int, codec: str = CODEC) -> bytes:
    """What `pack` was given, `size_bytes` long."""
    return bytes(pa.decompress(body, decompressed_size=size_bytes, codec=codec, asbytes=True))


def record_bytes(con: duckdb.DuckDBPyConnection, batch_id: int, start: int, end: int) -> bytes:
    """The bytes [start, end) of a batch's uncompressed source, as raw_sacct's source_*_bytes name them.

    Args:
        con: an open raw store.
        batch_id: the batch.
        start: first byte.
        end: the byte after the last.

    Returns:
        The bytes; fewer where the source is shorter.
    """
    wanted = con.execute(
        """SELECT rowid FROM raw_source
           WHERE batch_id = ? AND start_bytes < ? AND end_bytes > ? ORDER BY start_bytes""",
        [batch_id, end, start],
    ).fetchall()
    parts = []
    # By rowid, for a filter on the other columns would read the bodies of all the pieces beside them.
    for (rowid,) in wanted:
        row = first_row(
            con, "SELECT start_bytes, end_bytes, codec, body FROM raw_source WHERE rowid = ?", [rowid]
        )
        if row is not None:
            first, last, codec, body = row
            parts.append(unpack(body, last - first, codec)[max(start - first, 0) : end - first])
    return b"".join(parts)
