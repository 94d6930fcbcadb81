"""Blocks: pieces of a page that never break, and the choice of where pages break between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.paper.kit.pen import Pen
from reports.paper.kit.style import BODY_HEIGHT

# A part's last page holds at least this much, points: a header and five table rows.
LAST_PAGE = 110.0


@dataclass(frozen=True)
class Block:
    """A piece of a page.

    Attributes:
        height: points.
        paint: draws the block on the pen below the given y, its upper edge.
        space: points before it, dropped at the top of a page.
        keep_next: never separated from the block that follows.
        head: drawn again above this block when it opens a page: a table's header row.
        new_page: begins a page.
    """

    height: float
    paint: Callable[[Pen, float], None]
    space: float = 0.0
    keep_next: bool = False
    head: Block | None = None
    new_page: bool = False


def paginate(blocks: Sequence[Block]) -> list[list[Block]]:
    """The blocks of each page in order, repeated headers among them.

    A page breaks as late as it can where a block does not keep with the next; a run of blocks that keep together and
    are higher than a page breaks where the page is full.
    """
    pages: list[list[Block]] = []
    for part in _parts(blocks):
        starts = _starts(part)
        ends = [*starts[1:], len(part)]
        pages.extend(_with_head(part[start:end]) for start, end in zip(starts, ends, strict=True))
    return pages


def height(page: Sequence[Block]) -> float:
    """Points that the blocks take as one page, with a header that the first of them repeats."""
    return sum(block.height for block in page) + sum(block.space for block in page[1:]) + _head_height(page)


def _head_height(page: Sequence[Block]) -> float:
    return page[0].head.height if page and page[0].head else 0.0


def _with_head(page: Sequence[Block]) -> list[Block]:
    head = page[0].head
    return [head, *page] if head else list(page)


def _parts(blocks: Sequence[Block]) -> list[Sequence[Block]]:
    """Runs of blocks, each of which begins a page."""
    starts = [n for n, block in enumerate(blocks) if block.new_page or n == 0]
    return [blocks[start:end] for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True)]


def _starts(part: Sequence[Block]) -> list[int]:
    """Indices of the blocks that open the pages of one part."""
    starts = [0]
    used = 0.0
    position = 0
    while position < len(part):
        block = part[position]
        first = position == starts[-1]
        more = block.height + (_head_height(part[position:]) if first else block.space)
        if used + more > BODY_HEIGHT and not first:
            position = _break_before(part, starts[-1], position)
            starts.append(position)
            used = 0.0
        else:
            used += more
            position += 1
    if len(starts) > 1:
        starts[-1] = _fuller_last(part, starts[-2], starts[-1])
    return starts


def _break_before(part: Sequence[Block], start: int, overflow: int) -> int:
    """The latest place at or before `overflow` where the page that opens at `start` may end."""
    for place in range(overflow, start, -1):
        if not part[place - 1].keep_next:
            return place
    return overflow


def _fuller_last(part: Sequence[Block], before: int, last: int) -> int:
    """Where the last page opens so that it is never two lines: earlier than `last` if need be."""
    for place in range(last, before, -1):
        if not part[place - 1].keep_next and height(part[place:]) >= LAST_PAGE:
            return place if height(part[place:]) <= BODY_HEIGHT else last
    return last
