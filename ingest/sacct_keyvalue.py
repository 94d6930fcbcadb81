"""The key=value CSV of sonar and Jobanalyzer: every record names its fields, those that are zero left out.

    v=0.1.0,JobID=16390,JobIDRaw=16390,State=TIMEOUT,"AllocTRES=billing=19,cpu=1",JobName=train

A field that holds a comma, a quote or a newline is quoted, its quotes doubled (RFC 4180). A record begins with the
key that the file begins with, at the beginning of a line: one that a quote left open in the record before would
swallow is read all the same, and the broken one is rejected.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from ingest.sacct_chunk import Chunk, Place, Records, assemble, bytes_shown, refuse_naive
from ingest.sacct_fields import KEPT, canonical
from ingest.sacct_lines import Lines, Mask, Places, find, first_bad, only, split_lines
from ingest.sacct_typed import typed
from models.errors import HesuanError

_QUOTE, _COMMA = 0x22, 0x2C
# Durations of which "left out" says zero; a time or a number that is left out is not known.
_ZERO_WHEN_LEFT_OUT = ("ElapsedRaw", "Suspended")


def _records(lines: Lines, marker: bytes) -> tuple[Places, Places]:
    """First and last line of every record: from one line that begins with `marker` to the next."""
    view = np.frombuffer(lines.data + b"\n" * len(marker), np.uint8)
    begins = np.ones(len(lines), np.bool_)
    for at, byte in enumerate(marker):
        begins &= view[lines.starts + at] == byte
    begins[:1] = True
    first = np.flatnonzero(begins)
    return first, np.append(first[1:] - 1, len(lines) - 1)


def _fields(text: bytes, starts: Places, ends: Places) -> pl.DataFrame:
    """Every field of the records text[starts[i]:ends[i]]: `record` (i), `name`, `value`, as text.

    The records lie one after the other, one byte (their newline) apart, and have an even number of quotes.
    """
    quotes, commas = find(text, _QUOTE), find(text, _COMMA)
    record_of_comma = np.searchsorted(ends, commas, side="right")
    inside = record_of_comma < len(starts)
    commas, record_of_comma = commas[inside], record_of_comma[inside]
    before = np.searchsorted(quotes, commas) - np.searchsorted(quotes, starts[record_of_comma])
    separators = commas[before % 2 == 0]
    field_starts = np.sort(np.concatenate([starts, separators + 1]))
    bounds = np.append(field_starts, ends[-1] + 1 if len(ends) else 0)
    # Each field with the one byte that ends it, so that the fields of an Arrow array are the text as it lies there.
    array = pa.LargeStringArray.from_buffers(
        len(field_starts), pa.py_buffer(bounds.astype(np.int64)), pa.py_buffer(text)
    )
    fields = pl.Series("field", array).str.head(-1).str.strip_suffix("\r")
    quoted = fields.str.starts_with('"')
    bare = fields.str.slice(1, None).str.head(-1).str.replace_all('""', '"', literal=True)
    fields = bare.zip_with(quoted, fields)
    pair = fields.str.splitn("=", 2).struct.rename_fields(["name", "value"]).struct.unnest()
    return pair.with_columns(
        record=pl.Series(np.searchsorted(starts, field_starts, side="right") - 1, dtype=pl.Int64)
    )


def _rows(fields: pl.DataFrame, lines: Places) -> pl.DataFrame:
    """One row per record, with a column of text for each field that is kept."""
    names = {name: canonical(name) for name in fields["name"].unique().drop_nulls()}
    wanted = {name for choice in KEPT.values() for name in choice}
    long = fields.with_columns(pl.col("name").replace_strict(names, default=None)).filter(
        pl.col("name").is_in(wanted)
    )
    wide = long.pivot(on="name", index="record", values="value", aggregate_function="first")
    rows = pl.DataFrame({"record": np.arange(len(lines)), "line": lines}).join(
        wide, on="record", how="left", maintain_order="left"
    )
    needed = {"State", "Start", "End", "AllocTRES"} | ({"JobIDRaw"} if "JobID" not in wide.columns else set())
    empty = [pl.lit("").alias(name) for name in sorted(needed - set(rows.columns))]
    zero = [pl.col(name).fill_null("0") for name in _ZERO_WHEN_LEFT_OUT if name in rows.columns]
    return rows.drop("record").with_columns(*zero, *empty).with_columns(pl.selectors.string().fill_null(""))


def _refuse_without_allocation(rows: pl.DataFrame, names: set[str], file: Path) -> None:
    """Refuse a file in which runs have a length but no record says what was allocated to them.

    Raises:
        HesuanError: naming the field.
    """
    if names & {"AllocTRES", "AllocCPUS", "NCPUS"} or "ElapsedRaw" not in rows.columns:
        return
    if (rows["ElapsedRaw"] != "0").any():
        raise HesuanError(
            "ingest.column_missing", path=file, column="AllocTRES", columns=",".join(sorted(names))
        )


def _broken(first: Places, odd: Mask, *, final: bool) -> pl.DataFrame:
    """Records with an odd number of quotes, as NOTE."""
    lines = pl.DataFrame({"line": pl.Series(first[odd], dtype=pl.Int64)})
    end = int(first[-1]) if final and len(first) else -1
    cut = pl.col("line") == end
    return lines.select(
        "line",
        pl.when(cut).then(pl.lit("truncated")).otherwise(pl.lit("bad-quote")).alias("reason"),
        pl.when(cut)
        .then(pl.lit("the file ends inside a quoted field"))
        .otherwise(pl.lit("a quote is left open"))
        .alias("detail"),
    )


def _good_rows(shown: Lines, first: Places, last: Places, good: Mask, file: Path) -> pl.DataFrame:
    """Rows of the good records of a chunk, from its text as it is shown."""
    sizes = (shown.ends[last] + 1 - shown.starts[first])[good]
    wanted = np.repeat(good, last + 1 - first)
    ends = np.cumsum(sizes) - 1
    fields = _fields(only(shown, wanted), ends + 1 - sizes, ends)
    rows = _rows(fields, first[good])
    _refuse_without_allocation(rows, {canonical(name) for name in fields["name"].unique().drop_nulls()}, file)
    return rows


def read_key_values(
    data: bytes, marker: bytes, place: Place, *, file: Path, cluster: str, timezone: str | None, final: bool
) -> Chunk:
    """Read a chunk of key=value records.

    Args:
        data: bytes from the beginning of a record on. The last record is left to the next chunk.
        marker: what every record begins with, such as `v=`.
        place: where the chunk stands.
        file: for messages.
        cluster: of rows that name none.
        timezone: IANA zone of wall times, or None.
        final: the file ends with this chunk.

    Raises:
        HesuanError: most times are wall times and no zone is given, or no record says what was allocated.
    """
    lines = split_lines(data)
    first, last = _records(lines, marker)
    waits = len(lines)
    if not final:
        waits = int(first[-1]) if len(first) else 0
        first, last = first[:-1], last[:-1]
    bad = first_bad(data)
    shown = (
        lines
        if bad is None
        else split_lines(data.decode("utf-8", "replace").replace("\0", "\ufffd").encode())
    )
    quotes = find(shown.data, _QUOTE)
    odd = (np.searchsorted(quotes, shown.ends[last]) - np.searchsorted(quotes, shown.starts[first])) % 2 == 1
    rows = _good_rows(shown.first(waits), first, last, ~odd, file)
    read = typed(rows, cluster=cluster, timezone=timezone)
    refuse_naive([read], place, file)
    begins = np.zeros(len(lines), np.bool_)
    begins[first] = True
    ends = np.arange(len(lines))
    ends[first] = last
    return assemble(
        lines,
        place,
        Records(begins, ends),
        waits,
        rows=read.rows,
        faults=pl.concat([read.faults, _broken(first, odd, final=final)]),
        findings=pl.concat(
            [read.findings, bytes_shown(None if bad is None else data.count(b"\n", 0, bad), waits)]
        ),
        steps_count=len(read.steps),
    )
