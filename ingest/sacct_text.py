"""A chunk of sacct text -> rows for the raw store, rejects, findings. Pure: the caller holds the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from ingest.sacct_chunk import Chunk, Place, Records, assemble, bytes_shown, refuse_naive
from ingest.sacct_layout import Layout
from ingest.sacct_lines import Lines, Mask, Places, Readable, only, readable, split_lines
from ingest.sacct_repair import STEP, Outcome, Repair
from ingest.sacct_typed import NOTE, Typed, typed


def _fast_rows(fast: Readable, layout: Layout, regular: Mask) -> pl.DataFrame:
    """Regular lines split into the columns that are kept, and `line`."""
    names = dict(sorted(layout.kept.items(), key=lambda item: item[1]))
    if not regular.any():
        return pl.DataFrame(schema={"line": pl.Int64} | dict.fromkeys(names, pl.String))
    rows = pl.read_csv(
        only(fast.lines, regular),
        has_header=False,
        separator=fast.separator.decode("latin-1"),
        quote_char=None,
        infer_schema=False,
        empty_string_is_null=False,
        columns=list(names.values()),
    )
    rows.columns = list(names)
    return rows.with_columns(pl.Series("line", np.flatnonzero(regular)))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").replace("\0", "\ufffd")


def _repaired_rows(outcomes: Sequence[Outcome], layout: Layout) -> pl.DataFrame:
    """Rows of the records that were put together again, like `_fast_rows`."""
    good = [outcome for outcome in outcomes if outcome.fields]
    columns = {
        name: [_text(outcome.fields[place]) for outcome in good] for name, place in layout.kept.items()
    }
    return pl.DataFrame(
        {"line": [outcome.first for outcome in good]} | columns,
        schema={"line": pl.Int64} | dict.fromkeys(columns, pl.String),
    )


def _notes(outcomes: Sequence[Outcome]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Faults and findings of the slow way, as NOTE."""
    faults = [(one.first, one.reason, one.detail) for one in outcomes if one.reason not in {"", STEP}]
    joined = [
        (
            one.first,
            "given-back",
            f"{one.last - one.first + 1} lines, {one.surplus} delimiters given back to the texts of this record",
        )
        for one in outcomes
        if one.fields and (one.surplus or one.last > one.first)
    ]
    return (
        pl.DataFrame(faults, schema=NOTE, orient="row"),
        pl.DataFrame(joined, schema=NOTE, orient="row"),
    )


class _Taken(NamedTuple):
    """Lines that begin a record, their last lines, and those that the fast way must leave alone."""

    begins: Mask
    last: Places
    taken: Mask


def _records(regular: Mask, outcomes: Sequence[Outcome], waits: int) -> _Taken:
    begins, last = regular.copy(), np.arange(len(regular))
    taken = np.zeros(len(regular), np.bool_)
    taken[waits:] = True
    for outcome in outcomes:
        taken[outcome.first : outcome.last + 1] = True
        last[outcome.first] = outcome.last
    begins &= ~taken
    begins[[one.first for one in outcomes if one.fields or one.reason]] = True
    return _Taken(begins, last, taken)


def _slow(
    lines: Lines, layout: Layout, irregular: Mask, *, final: bool, cut: bool
) -> tuple[list[Outcome], int]:
    """The slow way over the irregular lines; what may go on in the next chunk waits for it."""
    outcomes, waits = Repair(lines, layout, final=final, cut=cut).run(np.flatnonzero(irregular).tolist())
    if final:
        return outcomes, waits
    waits = min(waits, len(lines) - 1)
    while outcomes and outcomes[-1].last >= waits:
        waits = outcomes.pop().first
    return outcomes, max(waits, 0)


def read_chunk(
    data: bytes,
    layout: Layout,
    place: Place,
    *,
    file: Path,
    cluster: str,
    timezone: str | None,
    final: bool,
) -> Chunk:
    """Read a chunk of records.

    Args:
        data: bytes from the beginning of a line on. A last record that may go on is left to the next chunk.
        layout: of the file.
        place: where the chunk stands.
        file: for messages.
        cluster: of rows that name none.
        timezone: IANA zone of wall times, or None.
        final: the file ends with this chunk.

    Raises:
        HesuanError: most times are wall times, and no zone is given.
    """
    lines = split_lines(data)
    cut = final and bool(data) and not data.endswith(b"\n")
    text = readable(lines, layout)
    regular = text.regular.copy()
    # The last line of a chunk may be followed by the rest of its text, and the last of a cut file be cut.
    if len(lines) and (cut or not final):
        regular[-1] = False
    first = typed(_fast_rows(text, layout, regular), cluster=cluster, timezone=timezone)
    refuse_naive([first], place, file)
    irregular = ~regular
    irregular[first.faults["line"].to_numpy()] = True
    outcomes, waits = _slow(lines, layout, irregular, final=final, cut=cut)
    second = typed(_repaired_rows(outcomes, layout), cluster=cluster, timezone=timezone)
    refuse_naive([first, second], place, file)
    records = _records(regular, outcomes, waits)
    slow_faults, given_back = _notes(outcomes)
    slow_faults, given_back = _notes(outcomes)
    faults = pl.concat([second.faults, slow_faults])
    kept = ~pl.col("line").is_in(pl.Series(np.flatnonzero(records.taken)).implode())
    findings = pl.concat(
        [
            first.findings.filter(kept),
            second.findings,
            given_back.filter(~pl.col("line").is_in(faults["line"].implode())),
            bytes_shown(text.repaired_line, waits),
        ]
    )
    rows = pl.concat([first.rows.filter(kept) if records.taken.any() else first.rows, second.rows])
    return assemble(
        lines,
        place,
        Records(records.begins, records.last),
        waits,
        rows=rows,
        faults=faults,
        findings=findings,
        steps_count=_steps_count(first, second, outcomes, records.taken),
    )


def _steps_count(first: Typed, second: Typed, outcomes: Sequence[Outcome], taken: Mask) -> int:
    fast = ~taken[first.steps.to_numpy()]
    return int(fast.sum()) + len(second.steps) + sum(one.reason == STEP for one in outcomes)
