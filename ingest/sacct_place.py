"""Which delimiters of a record stand between its columns, and which inside a text that a user wrote.

sacct escapes nothing. A record with more delimiters than columns is read by what its other columns may look like:
only a text column can hold a delimiter or a newline, so every way of giving the surplus back to the text columns
is tried at once (a lattice of column × surplus used so far), and kept if all the other columns fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.sacct_fields import RELAXED, STRICT, Kind
from ingest.sacct_layout import Layout

# A record with more surplus delimiters than this is refused: the lattice is columns × surplus.
MOST_SURPLUS = 2000


@dataclass(frozen=True)
class Placing:
    """How the pieces of a record make its fields.

    Attributes:
        fields: the bytes of each column.
        surplus: delimiters that were given back to texts.
        ambiguous: a column that is kept, other than JobName, that another placing would fill otherwise; or ''.
    """

    fields: tuple[bytes, ...]
    surplus: int
    ambiguous: str = ""


def pieces(record: bytes, layout: Layout) -> list[bytes] | None:
    """The record split at every delimiter; None where a terminated record lacks its end."""
    body = record.removesuffix(b"\r") if layout.crlf else record
    if layout.terminated:
        if not body.endswith(layout.delimiter):
            return None
        body = body[: -len(layout.delimiter)]
    return body.split(layout.delimiter)


def fits(parts: Sequence[bytes], kinds: Sequence[Kind], patterns: Mapping[Kind, re.Pattern[bytes]]) -> bool:
    """Whether each of `parts` may stand in the column of its place."""
    return all(patterns[kind].fullmatch(part) for part, kind in zip(parts, kinds, strict=False))


def _lattice(
    parts: Sequence[bytes], kinds: Sequence[Kind], patterns: Mapping[Kind, re.Pattern[bytes]]
) -> list[list[bool]]:
    """open[column][used]: the columns from `column` on fit when those before it took `used` surplus pieces.

    One row more than columns: the last says that all the surplus must be used. Filled from the last to the first.
    """
    surplus = len(parts) - len(kinds)
    rows = [[False] * surplus + [True]]
    for column in range(len(kinds) - 1, -1, -1):
        after = rows[-1]
        if kinds[column] == "text":
            last = max((used for used in range(surplus + 1) if after[used]), default=-1)
            rows.append([used <= last for used in range(surplus + 1)])
        else:
            pattern = patterns[kinds[column]]
            rows.append(
                [after[used] and bool(pattern.fullmatch(parts[column + used])) for used in range(surplus + 1)]
            )
    return rows[::-1]


def _ambiguous(layout: Layout, parts: Sequence[bytes], lattice: Sequence[Sequence[bool]]) -> str:
    """The first kept column, other than JobName, that can have two different values; '' where there is none."""
    kept = {place: name for name, place in layout.kept.items() if name != "JobName"}
    at = {0}
    for column, kind in enumerate(layout.kinds):
        if column in kept and len({parts[column + used] for used in at}) > 1:
            return kept[column]
        after = lattice[column + 1]
        if kind == "text":
            at = {used for used in range(min(at), len(after)) if after[used]}
        else:
            at = {used for used in at if after[used]}
    return ""


def _fill(layout: Layout, parts: Sequence[bytes], lattice: Sequence[Sequence[bool]]) -> tuple[bytes, ...]:
    """The fields of the placing that gives each text, from the first on, as little as can be."""
    fields, used = [], 0
    for column, kind in enumerate(layout.kinds):
        after = lattice[column + 1]
        then = next(one for one in range(used, len(after)) if after[one]) if kind == "text" else used
        fields.append(layout.delimiter.join(parts[column + used : column + then + 1]))
        used = then
    return tuple(fields)


def place(record: bytes, layout: Layout) -> Placing | None:
    """The fields of a record, its surplus delimiters given back to the texts; None where nothing fits.

    Of several placings that differ in texts alone the one that gives the earlier texts less is taken.
    """
    parts = pieces(record, layout)
    if parts is None:
        return None
    surplus = len(parts) - len(layout.names)
    if surplus < 0 or surplus > MOST_SURPLUS:
        return None
    for patterns in (STRICT, RELAXED):
        if surplus == 0:
            if fits(parts, layout.kinds, patterns):
                return Placing(tuple(parts), 0)
            continue
        lattice = _lattice(parts, layout.kinds, patterns)
        if lattice[0][0]:
            return Placing(_fill(layout, parts, lattice), surplus, _ambiguous(layout, parts, lattice))
    return None
