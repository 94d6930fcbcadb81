"""The other parts of a document: headings, paragraphs, key figures, pairs of a word and its value, blocks side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reports.paper.kit.block import Block, height
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import (
    ACCENT,
    BODY,
    BODY_LEADING,
    HEADING_1,
    HEADING_2,
    HEADING_3,
    INK,
    MARGIN,
    NOTE,
    NOTE_LEADING,
    SECONDARY,
    TABLE,
    TABLE_LEADING,
    WIDTH,
)
from reports.paper.kit.text import clean, cut, width, wrap

_HEADING = {1: (HEADING_1, 22.0, 0.0), 2: (HEADING_2, 19.0, 13.0), 3: (HEADING_3, 17.0, 10.0)}
GUTTER = 14.0


def title(text: str, aside: str, *, new_page: bool = False) -> Block:
    """A document's or part's title over the accent rule; `aside` stands small at the right."""
    aside = cut(aside, BODY, WIDTH * 0.6)
    lines = wrap(text, HEADING_1, WIDTH - width(aside, BODY) - GUTTER, bold=True)
    high = len(lines) * 22.0 + 5.0

    def paint(pen: Pen, top: float) -> None:
        for n, line in enumerate(lines):
            pen.text(MARGIN, top - 16.0 - n * 22.0, line, HEADING_1, bold=True)
        pen.text_right(MARGIN + WIDTH, top - 16.0, aside, BODY, color=SECONDARY)
        pen.rule(MARGIN, top - high, WIDTH, thick=1.2, color=ACCENT)
        pen.bookmark(clean(text), top, 0)

    return Block(high, paint, keep_next=True, new_page=new_page)


def heading(text: str, level: int = 2) -> Block:
    """A heading of level 2 or 3 that stays with what follows, an entry of the outline too."""
    size, leading, space = _HEADING[level]
    lines = wrap(text, size, WIDTH, bold=True)

    def paint(pen: Pen, top: float) -> None:
        for n, line in enumerate(lines):
            pen.text(MARGIN, top - size - n * leading, line, size, bold=True)
        pen.bookmark(clean(text), top, level - 1)

    return Block(len(lines) * leading, paint, space=space, keep_next=True)


def paragraph(
    text: str,
    *,
    size: float = BODY,
    leading: float = BODY_LEADING,
    color: str = INK,
    bold: bool = False,
    space: float = 4.0,
    x: float = MARGIN,
    wide: float = WIDTH,
) -> Block:
    """Running text; a block of its own, so a paragraph does not break."""
    lines = wrap(text, size, wide, bold=bold)

    def paint(pen: Pen, top: float) -> None:
        for n, line in enumerate(lines):
            pen.text(x, top - (n + 0.75) * leading, line, size, bold=bold, color=color)

    return Block(len(lines) * leading, paint, space=space)


def note(text: str, *, space: float = 4.0) -> Block:
    """A note under a table."""
    return paragraph(text, size=NOTE, leading=NOTE_LEADING, color=SECONDARY, space=space)


def noted(blocks: Sequence[Block], text: str) -> list[Block]:
    """A table with a note that never parts from its last row."""
    return [*blocks[:-1], *(replace(block, keep_next=True) for block in blocks[-1:]), note(text)]


def figures(pairs: Sequence[tuple[str, str, str]], *, space: float = 10.0) -> Block:
    """Key figures side by side: word, value, and what the value stands beside; long values are printed smaller."""
    wide = WIDTH / len(pairs)
    sizes = [_fitting(value, wide - GUTTER) for _, value, _ in pairs]
    asides = [wrap(aside, NOTE, wide - GUTTER) for _, _, aside in pairs]
    high = 30.0 + NOTE_LEADING * max(len(lines) for lines in asides)

    def paint(pen: Pen, top: float) -> None:
        for n, (word, value, _) in enumerate(pairs):
            x = MARGIN + n * wide
            pen.text(x, top - 8.0, word, NOTE, color=SECONDARY)
            pen.text(x, top - 24.0, cut(value, sizes[n], wide - GUTTER, bold=True), sizes[n], bold=True)
            for k, line in enumerate(asides[n]):
                pen.text(x, top - 35.0 - k * NOTE_LEADING, line, NOTE, color=SECONDARY)

    return Block(high, paint, space=space)


def _fitting(value: str, limit: float) -> float:
    """The largest size at which a key figure fits, or the smallest."""
    sizes = (HEADING_2, HEADING_3, TABLE, NOTE)
    return next((size for size in sizes if width(value, size, bold=True) <= limit), NOTE)


def pairs(items: Sequence[tuple[str, str]], *, columns: int = 2, space: float = 6.0) -> list[Block]:
    """Words and their values in a grid of `columns`, row by row; long values wrap, a missing one is left out."""
    filled = [(word, value) for word, value in items if value]
    rows = [filled[n : n + columns] for n in range(0, len(filled), columns)]
    wide = (WIDTH - GUTTER * (columns - 1)) / columns
    indents = [max(width(row[n][0], TABLE) for row in rows if n < len(row)) + 10.0 for n in range(columns)]
    return [_pair_row(row, wide, indents, space if n == 0 else 0.0) for n, row in enumerate(rows)]


def _pair_row(row: Sequence[tuple[str, str]], wide: float, indents: Sequence[float], space: float) -> Block:
    values = [wrap(value, TABLE, wide - indents[n]) for n, (_, value) in enumerate(row)]
    high = max(len(lines) for lines in values) * TABLE_LEADING + 2.0

    def paint(pen: Pen, top: float) -> None:
        for n, (word, _) in enumerate(row):
            x = MARGIN + n * (wide + GUTTER)
            pen.text(x, top - 9.0, word, TABLE, color=SECONDARY)
            for k, line in enumerate(values[n]):
                pen.text(x + indents[n], top - 9.0 - k * TABLE_LEADING, line, TABLE)

    return Block(high, paint, space=space, keep_next=True)


def beside(left: Sequence[Block], right: Sequence[Block], *, space: float = 12.0) -> Block:
    """Two stacks of blocks side by side as one block that never breaks; they were made for their own x and width."""

    def paint(pen: Pen, top: float) -> None:
        for stack in (left, right):
            y = top
            for n, block in enumerate(stack):
                y -= block.space if n else 0.0
                block.paint(pen, y)
                y -= block.height

    return Block(max(height(left), height(right)), paint, space=space)
