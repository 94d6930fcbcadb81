"""The signature block: who made, checked and approved the bill, the payer's confirmation, room for two seals."""

from __future__ import annotations

from dataclasses import replace

from reports.paper.kit.block import Block
from reports.paper.kit.parts import GUTTER, heading
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import HAIRLINE, MARGIN, MM, NOTE, SECONDARY, TABLE, WIDTH
from reports.paper.kit.text import cut, width
from reports.paper.say import Say

SEAL = 40 * MM
"""Side of the room for a seal: an official seal is round, 40 to 42 mm with its rim at most."""

_LINE = 22.0
_INNER = 8.0


def signatures(say: Say) -> list[Block]:
    """Two boxes of one height that never part from their heading."""
    half = (WIDTH - GUTTER) / 2
    high = SEAL + 2 * _INNER + 16.0
    issuer = [say("prepared"), say("reviewed"), say("approved"), say("sign_date")]
    payer = [say("confirm_person"), say("sign_date")]

    def paint(pen: Pen, top: float) -> None:
        _party(pen, (MARGIN, top), half, high, title=say.issuer, seal=say("seal_issuer"), lines=issuer)
        x = MARGIN + half + GUTTER
        _party(pen, (x, top), half, high, title=say("confirm"), seal=say("seal_payer"), lines=payer)
        y = top - 16.0 - _INNER - 10.0
        for n, word in enumerate((say("confirm_yes"), say("confirm_no"))):
            pen.frame(x + _INNER, y - n * _LINE - 1.0, 8.0, 8.0, color=SECONDARY)
            pen.text(x + _INNER + 13.0, y - n * _LINE, word, TABLE)

    return [heading(say("sign")), replace(Block(high, paint), space=2.0)]


def _party(
    pen: Pen,
    corner: tuple[float, float],
    wide: float,
    high: float,
    *,
    title: str,
    seal: str,
    lines: list[str],
) -> None:
    """One side's box, `corner` at the upper left: lines to sign on at the left, the seal's place at the right."""
    x, top = corner
    pen.frame(x, top - high, wide, high, color=HAIRLINE)
    pen.text(x + _INNER, top - 14.0, cut(title, TABLE, wide - 2 * _INNER, bold=True), TABLE, bold=True)
    place = x + wide - SEAL - _INNER
    pen.frame(place, top - high + _INNER, SEAL, SEAL, color=HAIRLINE, dash=(2, 2))
    pen.text_centred(place + SEAL / 2, top - high + _INNER + SEAL / 2 - 3.0, seal, NOTE, color=SECONDARY)
    indent = max(width(word, TABLE) for word in lines) + 6.0
    for n, word in enumerate(reversed(lines)):
        y = top - high + _INNER + 6.0 + n * _LINE
        pen.text(x + _INNER, y, word, TABLE, color=SECONDARY)
        pen.rule(x + _INNER + indent, y - 2.0, place - x - 2 * _INNER - indent, color=SECONDARY)
