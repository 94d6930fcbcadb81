"""A document: blocks on numbered pages with running heads and feet, written as one PDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reports.paper.kit.block import Block, paginate
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import (
    BODY,
    BODY_TOP,
    HAIRLINE,
    MARGIN,
    MM,
    NOTE,
    PAGE_HEIGHT,
    PALE,
    SECONDARY,
    WIDTH,
)
from reports.paper.kit.text import clean, cut, width


@dataclass(frozen=True)
class Furniture:
    """What stands on every page.

    Attributes:
        title, author, subject, creator: of the file's properties.
        lang: `zh` or `en`.
        letterhead: left and right of the first page's head.
        head: the same of the pages after it.
        foot: left of the foot.
        page: text with {page} and {pages}, right of the foot.
        mark: a word on every page, pale across it and in its head, such as DRAFT; empty for none.
    """

    title: str
    author: str
    subject: str
    creator: str
    lang: str
    letterhead: tuple[str, str]
    head: tuple[str, str]
    foot: str
    page: str
    mark: str = ""


def render(furniture: Furniture, blocks: Sequence[Block]) -> tuple[bytes, int]:
    """The PDF and its number of pages. The same arguments give the same bytes."""
    pages = paginate(blocks)
    pen = Pen(
        title=clean(furniture.title),
        author=clean(furniture.author),
        subject=clean(furniture.subject),
        creator=furniture.creator,
        lang=furniture.lang,
    )
    for number, page in enumerate(pages, 1):
        _furnish(pen, furniture, number, len(pages))
        y = BODY_TOP
        for n, block in enumerate(page):
            y -= block.space if n else 0.0
            block.paint(pen, y)
            y -= block.height
        pen.turn()
    return pen.finish(), len(pages)


def write_document(path: Path, furniture: Furniture, blocks: Sequence[Block]) -> int:
    """Write the PDF to `path` and give its number of pages; a reader never sees half a file."""
    content, pages = render(furniture, blocks)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)  # noqa: PTH105 - the name says that it replaces
    return pages


def _furnish(pen: Pen, furniture: Furniture, number: int, count: int) -> None:
    """Head, foot and mark of one page."""
    right = MARGIN + WIDTH
    head = PAGE_HEIGHT - MARGIN + 5.0 * MM
    if furniture.mark:
        pen.across(furniture.mark, 120.0, color=PALE)
        pen.text_centred(MARGIN + WIDTH / 2, head, furniture.mark, NOTE, bold=True)
    left, aside = furniture.letterhead if number == 1 else furniture.head
    room = WIDTH * 0.42
    if number == 1:
        pen.text(MARGIN, head, cut(left, BODY, room, bold=True), BODY, bold=True)
    else:
        pen.text(MARGIN, head, cut(left, NOTE, room), NOTE, color=SECONDARY)
    pen.text_right(right, head, cut(aside, NOTE, room), NOTE, color=SECONDARY)
    pen.rule(MARGIN, head - 5.0, WIDTH)
    foot = MARGIN - 4.0 * MM
    page = furniture.page.format(page=number, pages=count)
    pen.rule(MARGIN, foot + 10.0, WIDTH, color=HAIRLINE)
    pen.text(MARGIN, foot, cut(furniture.foot, NOTE, WIDTH - width(page, NOTE) - 12.0), NOTE, color=SECONDARY)
    pen.text_right(right, foot, page, NOTE, color=SECONDARY)
