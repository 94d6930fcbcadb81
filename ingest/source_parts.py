"""An open file -> what it is, and its parts for the raw store, one chunk in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

from ingest.raw_append import FINDING, Part, pieces_of
from ingest.sacct_chunk import Chunk, Place
from ingest.sacct_keyvalue import read_key_values
from ingest.sacct_layout import BOM, find_layout, key_value_marker
from ingest.sacct_text import read_chunk
from ingest.source_file import SourceFile
from models.errors import HesuanError

TEXT, JSON = "text", "json"
CHUNK_BYTES = 32 << 20  # a multiple of PIECE_BYTES
HEAD_BYTES = 4 << 20  # another: a short first chunk, so that the store has work early

# (data, where it stands, the file ends with it) -> what was read from it
Reader = Callable[[bytes, Place, bool], Chunk]


@dataclass(frozen=True)
class Source:
    """An input file, understood.

    Attributes:
        file: open, at the place to which `parts` has read.
        format: `text` or `json`.
        version: of Slurm or its data parser, where the source says it.
        columns: names as read, comma separated; None where the format has none.
        parts: to be used once.
    """

    file: SourceFile
    format: str
    version: str | None
    columns: str | None
    parts: Iterator[Part]


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.newest())


def _chunks(source: SourceFile, head: bytes, place: Place, read: Reader) -> Iterator[Part]:
    """Parts of a text file whose first bytes are `head` and whose first record is at `place`."""
    data, block, block_start = head[place.offset_bytes :], head, 0
    while True:
        following = source.read(CHUNK_BYTES)
        chunk = read(data, place, not following)
        yield Part(
            rows=_arrow(chunk.rows),
            rejected=_arrow(chunk.rejected),
            findings=_arrow(chunk.findings),
            pieces=pieces_of(block, block_start),
            steps_count=chunk.steps_count,
            done_bytes=source.done_bytes,
        )
        if not following:
            return
        block, block_start = following, block_start + len(block)
        data, place = data[chunk.used_bytes :] + following, chunk.after


def _json(source: SourceFile, head: bytes, cluster: str) -> Source:
    """A JSON document whole: it has no records that could be told apart before its end."""
    from ingest.sacct_json import read_json  # noqa: PLC0415 - text needs none of it

    parts = [head]
    while part := source.read(CHUNK_BYTES):
        parts.append(part)
    read = read_json(b"".join(parts), cluster=cluster)
    columns: list[tuple[str, ...]] = list(zip(*read.findings, strict=True)) or [(), (), ()]
    findings = pa.table(columns, schema=FINDING)
    pieces = pieces_of(read.source, 0)
    whole = Part(read.records, read.rejected, findings, pieces, read.steps, source.total_bytes)
    return Source(source, JSON, read.source_version, None, iter([whole]))


def read_source(
    source: SourceFile, *, cluster: str, columns: Sequence[str] | None, timezone: str | None
) -> Source:
    """Tell the format of a file by its first bytes, and read it.

    Args:
        source: the file, at its beginning.
        cluster: of rows that name none.
        columns: of text without a header line.
        timezone: IANA zone of wall times, or None.

    Raises:
        HesuanError: it is of no known format, or a column that a bill needs is missing.
    """
    head, path = source.read(min(HEAD_BYTES, CHUNK_BYTES)), source.path
    body = head.removeprefix(BOM).lstrip()
    if not body and not columns:
        raise HesuanError("ingest.empty_file", path=path)
    if body.startswith(b"{"):
        return _json(source, head, cluster)
    marker = key_value_marker(head)
    if marker is not None:
        return _key_values(source, head, marker, path, cluster, timezone)
    layout = find_layout(head, path, columns)

    def read(data: bytes, place: Place, final: bool) -> Chunk:
        return read_chunk(data, layout, place, file=path, cluster=cluster, timezone=timezone, final=final)

    first = Place(layout.skip_bytes, 1 if layout.header else 0)
    return Source(source, TEXT, None, ",".join(layout.names), _chunks(source, head, first, read))


def _key_values(
    source: SourceFile, head: bytes, marker: bytes, path: Path, cluster: str, timezone: str | None
) -> Source:
    def read(data: bytes, place: Place, final: bool) -> Chunk:
        return read_key_values(
            data, marker, place, file=path, cluster=cluster, timezone=timezone, final=final
        )

    first = Place(len(BOM) if head.startswith(BOM) else 0)
    return Source(source, TEXT, None, None, _chunks(source, head, first, read))
