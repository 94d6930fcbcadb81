"""Tables as files for scripts and other programs: CSV and Parquet, the same values in both, the same bytes each time.

**CSV** is RFC 4180: comma, `"` doubled within quotes, CRLF at the end of a line, the form that finance systems import.
It is UTF-8 and opens with a byte order mark, without which Excel takes Chinese for GBK. Decimals are plain text with
their full scale (`0.00`, never `0E-2`), NULL is an empty field, an empty text is `""`.

Values stay exact: a text that begins with `=`, `+`, `-` or `@` is written as it is, without a guarding quote or tab in
front. Such a guard changes the value for every script, makes `-n 4` unlike the job name `-n 4` in the records, and
does not come off again by itself. A spreadsheet that opens the CSV by double click may take such a text for a formula:
people get the workbook instead, where text is text.

**Parquet** keeps decimal128 and integers, zstd, and says in its metadata (`hesuan.kind`) what the rows are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from models.errors import HesuanError

ROW_GROUP_ROWS = 122_880


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that takes its place when the block ends well; else nothing is left.

    Folders above `path` are made. A reader sees the old file or the whole new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_table(table: pa.Table, path: Path, kind: str) -> None:
    """Write `table` as CSV or Parquet, by the suffix of `path`, whole or not at all.

    Args:
        table: rows in the order in which they shall stand.
        path: `….csv` or `….parquet`; an old file is replaced.
        kind: what the rows are, such as `runs` or `lines`; ASCII, for the Parquet metadata and messages.

    Raises:
        HesuanError: `workbook.suffix`, another suffix.
    """
    writer = {".csv": _write_csv, ".parquet": _write_parquet}.get(path.suffix.lower())
    if writer is None:
        raise HesuanError("workbook.suffix", path=path, kind=kind)
    with replacing(path) as part:
        writer(table, part, kind)


def _write_csv(table: pa.Table, part: Path, _kind: str) -> None:
    # pyarrow's own CSV writer prints small decimals as 0E-8; polars prints them plainly.
    with part.open("wb") as file:
        pl.DataFrame(table).write_csv(file, include_bom=True, line_terminator="\r\n", quote_style="necessary")


def _write_parquet(table: pa.Table, part: Path, kind: str) -> None:
    # One chunk a column: else the pages, and so the bytes, depend on how the table was put together.
    whole = table.combine_chunks().replace_schema_metadata({"hesuan.kind": kind})
    pq.write_table(whole, part, compression="zstd", row_group_size=ROW_GROUP_ROWS)
