"""A chunk of sacct text -> rows for the raw store, rejects, findings. Pure: the caller holds the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from ingest.sacct_chunk import Chunk, Place, Records, assemble, bytes_shown, refuse_naive
from ingest.sacct_layout import Layout
from ingest.sacct_lines import Lines, Mask, Readable, only, readable, split_lines
from ingest.sacct_repair import STEP, Outcome, Repair
from ingest.sacct_typed import NOTE, typed


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


class _Slow(NamedTuple):
    """Faults of the slow way, and one finding for all that it put together, as NOTE."""

    faults: pl.DataFrame
    findings: pl.DataFrame


def _notes(outcomes: Sequence[Outcome]) -> _Slow:
    faults = [(one.first, one.reason, one.detail) for one in outcomes if one.reason not in {"", STEP}]
    placed = [one for one in outcomes if one.fields and (one.surplus or one.last > one.first)]
    given_back = [
        (
            placed[0].first,
            "given-back",
            f"the first of {len(placed)} records with delimiters or newlines in a text: given back to it",
        )
        for _ in placed[:1]
    ]
    return _Slow(
        pl.DataFrame(faults, schema=NOTE, orient="row"), pl.DataFrame(given_back, schema=NOTE, orient="row")
    )


def _taken(count: int, outcomes: Sequence[Outcome], waits: int) -> Mask:
    """Lines that the slow way took over, or that are left to the next chunk."""
    taken = np.zeros(count, np.bool_)
    taken[waits:] = True
    for outcome in outcomes:
        taken[outcome.first : outcome.last + 1] = True
    return taken


def _records(begins: Mask, outcomes: Sequence[Outcome]) -> Records:
    """Where records begin and end: the regular lines that are left, and what the slow way made."""
    made = [one for one in outcomes if one.fields or one.reason]
    first = np.array([one.first for one in made], np.int64)
    begins[first] = True
    last = np.arange(len(begins))
    last[first] = [one.last for one in made]
    return Records(begins, last)


def _together(fast: pl.DataFrame, slow: pl.DataFrame, taken: Mask | None) -> pl.DataFrame:
    """Rows of both ways; those of the fast way only where the slow one did not take over."""
    if taken is not None and fast.height:
        fast = fast.filter(~pl.Series(taken[fast["line"].to_numpy()]))
    return pl.concat([fast, slow]) if slow.height else fast


def _slow(
    lines: Lines, layout: Layout, irregular: Mask, *, final: bool, cut: bool
) -> tuple[list[Outcome], int]:
    """The slow way over the irregular lines, and the first line that is left to the next chunk.

    The last line of a chunk always is, if the file goes on: the rest of its text may follow.
    """
    places = np.flatnonzero(irregular).tolist()
    outcomes, waits = Repair(lines, layout, final=final, cut=cut).run(places)
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
    cut = bool(data) and not data.endswith(b"\n")
    if cut and not final:
        lines, cut = lines.first(len(lines) - 1), False
    text = readable(lines, layout)
    regular = text.regular.copy()
    irregular = ~regular
    if cut:
        irregular[-1] = True
    if cut or not final:
        regular[-1:] = False
    first = typed(_fast_rows(text, layout, regular), cluster=cluster, timezone=timezone)
    refuse_naive([first], place, file)
    irregular[first.faults["line"].to_numpy()] = True
    outcomes, waits = _slow(lines, layout, irregular, final=final, cut=cut)
    second = typed(_repaired_rows(outcomes, layout), cluster=cluster, timezone=timezone)
    refuse_naive([first, second], place, file)
    slow = _notes(outcomes)
    taken = _taken(len(lines), outcomes, waits)
    return assemble(
        lines,
        place,
        _records(regular & ~taken, outcomes),
        waits,
        rows=_together(first.rows, second.rows, taken if irregular.any() else None),
        faults=pl.concat([second.faults, slow.faults]),
        findings=pl.concat(
            [
                _together(first.findings, second.findings, taken),
                slow.findings,
                bytes_shown(text.repaired_line, waits),
            ]
        ),
        steps_count=int((~taken[first.steps.to_numpy()]).sum())
        + len(second.steps)
        + sum(one.reason == STEP for one in outcomes),
    )
