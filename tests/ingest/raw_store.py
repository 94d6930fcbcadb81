"""A raw store for tests: take bytes or a file, and look at what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest import raw_append, source_parts
from ingest.slurm import Batch, ingest_file
from ingest.source_file import open_source
from ingest.source_parts import read_source
from models.source_text import record_bytes, unpack
from models.store import raw_reader

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
SACCT = SHARED / "data" / "sacct"
REAL = SHARED / "data" / "slurm-real"
_numbers = count()


@dataclass(frozen=True)
class Taken:
    """One batch, and its rows as dictionaries in the order of their records."""

    store: Path
    batch: Batch
    rows: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    findings: list[dict[str, Any]]

    @property
    def reasons(self) -> list[str]:
        return [row["reason"] for row in self.rejected]

    @property
    def found(self) -> list[str]:
        return [row["reason"] for row in self.findings]

    def source(self, row: dict[str, Any]) -> bytes:
        """The bytes of a kept row, read back from the store."""
        with raw_reader(self.store) as con:
            return record_bytes(con, self.batch.batch_id, row["source_start_bytes"], row["source_end_bytes"])


def select(store: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    """Rows of a query on a raw store, as dictionaries."""
    with raw_reader(store) as con:
        result = con.execute(sql, list(values))
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def take(folder: Path, source: bytes | Path, *, store: Path | None = None, **options: Any) -> Taken:
    """Ingest bytes or a file into a new store (or `store`)."""
    if isinstance(source, bytes):
        file = folder / f"in{next(_numbers)}.txt"
        file.write_bytes(source)
    else:
        file = source
    store = store or folder / f"raw{next(_numbers)}.duckdb"
    given = {"cluster": "c1", "who": "tester", "now_s": 1_800_000_000, "program_version": "test"} | options
    batch = ingest_file(store, file, **given)
    number = batch.batch_id
    return Taken(
        store,
        batch,
        select(store, "SELECT * FROM raw_sacct WHERE batch_id = ? ORDER BY record_no", number),
        select(store, "SELECT * FROM raw_rejected WHERE batch_id = ? ORDER BY record_no", number),
        select(store, "SELECT * FROM raw_finding WHERE batch_id = ? ORDER BY location, reason", number),
    )


def read_parts(folder: Path, data: bytes, chunk_bytes: int | None = None) -> tuple[list[Any], list[Any], int]:
    """Rows, rejects and steps of bytes, without a store; in chunks of `chunk_bytes`."""
    file = folder / f"in{next(_numbers)}.txt"
    file.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch, open_source(file) as opened:
        if chunk_bytes is not None:
            patch.setattr(source_parts, "CHUNK_BYTES", chunk_bytes)
            patch.setattr(raw_append, "PIECE_BYTES", chunk_bytes)
        parts = list(read_source(opened, cluster="c1", columns=None, timezone=None).parts)
    rows = [row for part in parts for row in part.rows.to_pylist()]
    rejected = [row for part in parts for row in part.rejected.to_pylist()]
    source = b"".join(
        unpack(piece["body"], piece["end_bytes"] - piece["start_bytes"])
        for part in parts
        for piece in part.pieces.to_pylist()
    )
    assert source == data
    return sorted(rows, key=lambda row: row["record_no"]), rejected, sum(part.steps_count for part in parts)


def text(header: str, *rows: str, end: str = "\n") -> bytes:
    """A sacct file of a header line and rows."""
    return "".join(line + end for line in (header, *rows)).encode("utf-8", "surrogateescape")
