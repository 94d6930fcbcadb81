"""Tables: columns that find their widths, rows that never break, headers that repeat on every page.

Numbers stand right, text left; units stand in the header. Hairlines part the rows, 0.8 points stand under the header
and above totals, there are no vertical rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from reports.paper.kit.block import Block
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import (
    ACCENT,
    HAIRLINE,
    INK,
    MARGIN,
    NOTE,
    SECONDARY,
    TABLE,
    TABLE_LEADING,
    WIDTH,
)
from reports.paper.kit.text import cut, width, wrap

PAD = 4.0
_ABOVE = 2.0
_BELOW = 3.0
# Text columns get at least this share of the table; where numbers leave less, the print becomes smaller.
_LEAST_TEXT = 0.22
_SIZES = (TABLE, 7.5, 6.5)

Cell = str | tuple[str, str]
"""A cell's text, or its text and a small second text below it."""


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        title, unit: the header, the unit on a line of its own.
        number: aligned on the decimal point and as wide as its widest cell; else text that shares the rest of
            the width.
        cut: text longer than the column is cut in the middle instead of wrapped.
    """

    title: str
    unit: str = ""
    number: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Row:
    """A row: one cell for each column.

    Attributes:
        kind: `total` has a rule above and is bold, `subtotal` is bold.
        label: stands right-aligned before the last cell, over the empty cells to its left.
    """

    cells: Sequence[Cell]
    kind: Literal["plain", "subtotal", "total"] = "plain"
    label: str = ""


@dataclass(frozen=True)
class _Piece:
    """A line of text within a row: left end, baseline below the row's upper edge."""

    x: float
    drop: float
    text: str
    size: float
    bold: bool
    color: str


@dataclass(frozen=True)
class _Grid:
    """Where a table's cells stand: one edge more than columns, the size of the print, decimals by column."""

    columns: Sequence[Column]
    edges: Sequence[float]
    size: float
    places: Sequence[int]

    @property
    def wide(self) -> float:
        return self.edges[-1] - self.edges[0]


def table(
    columns: Sequence[Column], rows: Sequence[Row], *, x: float = MARGIN, wide: float = WIDTH
) -> list[Block]:
    """The header and the rows as blocks; nothing where there are no rows.

    The first two rows stay with the header, the last two with each other, and totals with the row before them.
    """
    if not rows:
        return []
    grid = _grid(columns, rows, x, wide)
    header = _header(grid)
    blocks = [header]
    last = len(rows) - 1
    for n, row in enumerate(rows):
        following = rows[n + 1] if n < last else None
        summed = following is not None and (following.kind != "plain" or following.label != "")
        keep = summed or (n < last and n in {0, last - 1})
        blocks.append(_row(grid, row, header, keep_next=keep))
    return blocks


def _grid(columns: Sequence[Column], rows: Sequence[Row], x: float, wide: float) -> _Grid:
    """The largest print at which the numbers leave room for the text."""
    cells = [[row.cells[n] for row in rows] for n in range(len(columns))]
    places = [_places(cells[n]) if column.number else 0 for n, column in enumerate(columns)]
    for size in _SIZES:
        natural = [_natural(column, cells[n], places[n], size) for n, column in enumerate(columns)]
        left = wide - sum(span for span, column in zip(natural, columns, strict=True) if column.number)
        if left >= wide * _LEAST_TEXT:
            break
    shared = _share([n for n, column in enumerate(columns) if not column.number], natural, left)
    spans = [shared.get(n, span) for n, span in enumerate(natural)]
    return _Grid(columns, list(accumulate(spans, initial=x)), size, places)


def _natural(column: Column, cells: Sequence[Cell], places: int, size: float) -> float:
    """Width at which nothing in the column would wrap, and numbers stand with their decimal points in line."""
    widest = max(width(column.title, size, bold=True), width(column.unit, NOTE))
    for cell in cells:
        if isinstance(cell, str):
            # Totals are bold and as wide as the widest number can be.
            widest = max(widest, width(cell, size, bold=column.number) + _hang(cell, places, size))
        else:
            widest = max(widest, width(cell[0], size), width(cell[1], NOTE))
    return widest + 2 * PAD


def _places(cells: Sequence[Cell]) -> int:
    """The most decimals in a column of numbers."""
    return max((_decimals(cell) for cell in cells if isinstance(cell, str) and cell), default=0)


def _decimals(cell: str) -> int:
    return len(cell.rpartition(".")[2]) if "." in cell else 0


def _hang(cell: Cell, places: int, size: float) -> float:
    """What stands free at the right of a number that has fewer decimals than its column."""
    if not isinstance(cell, str) or not cell or _decimals(cell) == places:
        return 0.0
    missing = "0" * (places - _decimals(cell)) + ("" if "." in cell else ".")
    return width(missing, size)


def _share(places: Sequence[int], natural: Sequence[float], left: float) -> dict[int, float]:
    """Widths of the text columns: who needs less than an even share gets what it needs, the others share the rest.

    Where all fit, what is over goes to the columns by their need.
    """
    needed = sum(natural[n] for n in places)
    if needed <= left:
        return {n: natural[n] * left / needed for n in places}
    given: dict[int, float] = {}
    waiting = sorted(places, key=lambda n: natural[n])
    for n in waiting:
        even = (left - sum(given.values())) / (len(waiting) - len(given))
        given[n] = min(natural[n], even)
    return given


def _cell(grid: _Grid, n: int, cell: Cell, *, bold: bool, hang: bool = True) -> tuple[list[_Piece], int]:
    """The pieces of the cell in column `n`, and the number of its lines at the table's leading."""
    column, left, right = grid.columns[n], grid.edges[n] + PAD, grid.edges[n + 1] - PAD
    main, small = (cell, "") if isinstance(cell, str) else cell
    if column.number:
        right -= _hang(cell, grid.places[n], grid.size) if hang else 0.0
        lines, notes = [main], [small] if small else []
    elif column.cut:
        lines = [cut(main, grid.size, right - left, bold=bold)]
        notes = [cut(small, NOTE, right - left)] if small else []
    else:
        lines = wrap(main, grid.size, right - left, bold=bold)
        notes = wrap(small, NOTE, right - left) if small else []
    pieces = []
    for k, text in enumerate([*lines, *notes]):
        note = k >= len(lines)
        size, heavy = (NOTE, False) if note else (grid.size, bold)
        at = right - width(text, size, bold=heavy) if column.number else left
        drop = _ABOVE + (k + 0.75) * TABLE_LEADING
        if text:
            pieces.append(_Piece(at, drop, text, size, heavy, SECONDARY if note else INK))
    return pieces, len(lines) + len(notes)


def _cells(
    grid: _Grid, cells: Sequence[Cell], *, bold: bool, hang: bool = True
) -> tuple[list[_Piece], float]:
    """The pieces of a row, and its height."""
    found = [_cell(grid, n, cell, bold=bold, hang=hang) for n, cell in enumerate(cells)]
    lines = max(count for _, count in found)
    return [piece for pieces, _ in found for piece in pieces], lines * TABLE_LEADING + _ABOVE + _BELOW


def _header(grid: _Grid) -> Block:
    cells = [(column.title, column.unit) for column in grid.columns]
    pieces, high = _cells(grid, cells, bold=True, hang=False)

    def paint(pen: Pen, top: float) -> None:
        pen.rule(grid.edges[0], top - high, grid.wide, thick=0.8, color=INK)
        _write(pen, pieces, top)

    return Block(high, paint, keep_next=True)


def _row(grid: _Grid, row: Row, header: Block, *, keep_next: bool) -> Block:
    bold = row.kind != "plain"
    pieces, high = _cells(grid, row.cells, bold=bold)
    if row.label:
        at = grid.edges[-2] - width(row.label, grid.size, bold=bold)
        pieces.append(_Piece(at, _ABOVE + 0.75 * TABLE_LEADING, row.label, grid.size, bold, INK))

    def paint(pen: Pen, top: float) -> None:
        pen.rule(grid.edges[0], top - high, grid.wide, color=HAIRLINE)
        if row.kind == "total":
            pen.rule(grid.edges[0], top, grid.wide, thick=0.8, color=ACCENT)
        _write(pen, pieces, top)

    return Block(high, paint, keep_next=keep_next, head=header)


def _write(pen: Pen, pieces: Sequence[_Piece], top: float) -> None:
    for piece in pieces:
        pen.text(piece.x, top - piece.drop, piece.text, piece.size, bold=piece.bold, color=piece.color)
