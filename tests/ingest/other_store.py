"""A raw store for tests of storage and items: take a text, and look at what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest.items import ingest_items
from ingest.other_batch import OtherBatch
from ingest.storage import By, StorageQuestion, ingest_storage
from models.errors import HesuanError
from tests.ingest.raw_store import select

SEPTEMBER = 1_788_192_000  # 2026-09-01 in Shanghai, UTC seconds
NOW = SEPTEMBER + 40 * 86400
_numbers = count()


@dataclass(frozen=True)
class TakenOther:
    """One batch with its rows."""

    store: Path
    batch: OtherBatch
    rows: list[dict[str, Any]]
    rejected: list[dict[str, Any]]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        return [(row["location"], row["reason"]) for row in self.rejected]


def _file(folder: Path, source: str | bytes) -> Path:
    file = folder / f"other{next(_numbers)}.txt"
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    return file


def _taken(store: Path, batch: OtherBatch, table: str) -> TakenOther:
    rows, rejected = (
        select(store, f"SELECT * FROM {name} WHERE batch_id = ? ORDER BY record_no", batch.batch_id)
        for name in (table, "raw_rejected")
    )
    return TakenOther(store, batch, rows, rejected)


def take_storage(
    folder: Path,
    source: str | bytes,
    *,
    store: Path | None = None,
    system: str = "s1",
    at_s: int | None = SEPTEMBER,
    by: By | None = None,
) -> TakenOther:
    """Ingest a report into a new store (or `store`)."""
    store = store or folder / f"other{next(_numbers)}.duckdb"
    question = StorageQuestion(system, at_s, by, "Asia/Shanghai", NOW)
    batch = ingest_storage(store, _file(folder, source), question, who="t", program_version="t")
    return _taken(store, batch, "raw_storage")


def take_items(folder: Path, source: str | bytes, *, store: Path | None = None) -> TakenOther:
    """Ingest a list into a new store (or `store`)."""
    store = store or folder / f"other{next(_numbers)}.duckdb"
    batch = ingest_items(
        store, _file(folder, source), timezone="Asia/Shanghai", who="t", now_s=NOW, program_version="t"
    )
    return _taken(store, batch, "raw_item")


@contextmanager
def refused(key: str) -> Iterator[pytest.ExceptionInfo[HesuanError]]:
    """The block is refused with the text `key`."""
    with pytest.raises(HesuanError) as found:
        yield found
    assert found.value.key == key
