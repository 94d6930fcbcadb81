"""Text that fits: widths, lines that break where Chinese and ids may break, names cut in the middle."""

from __future__ import annotations

import re
from functools import lru_cache

from reports.paper.kit.fonts import BOLD, REGULAR, widths

ELLIPSIS = "…"
# A column that was made as wide as its text holds it, whatever the last bit of the sum says.
_SLACK = 0.01
# What must not begin a line and what must not end one (避头尾, GB/T 15834).
_CLOSING = "，。、；：！？）》」』】〉”’％%,.;:!?)]}…—"
_OPENING = "（《「『【〈“‘([{"
# A piece that is kept whole: an address of mail, a Latin word with the punctuation after which an id may break,
# blanks, or one character.
_PIECE = re.compile(
    r"[\w.+-]+@[A-Za-z0-9.-]+|[!-~\u00a0-\u024f\u2212]+?(?:[-_/:+&=|.,]+(?=[^\W\d])|(?=[^!-~\u00a0-\u024f\u2212])|$)| +|.",
    re.DOTALL,
)
# Control characters, line and paragraph separators: what users put into names and paper cannot show.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def clean(text: str) -> str:
    """`text` on one line: control characters and breaks become a blank."""
    return _UNPRINTABLE.sub(" ", text)


@lru_cache(maxsize=65_536)
def _thousandths(text: str, bold: bool) -> float:
    table = widths(BOLD if bold else REGULAR)
    return sum([table.get(ord(letter), 1000.0) for letter in text])


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of `text` in points."""
    return _thousandths(text, bold) * size / 1000


def wrap(text: str, size: float, limit: float, *, bold: bool = False) -> list[str]:
    """Lines of `text`, none wider than `limit` points; at least one.

    Breaks between Chinese characters, at blanks and after the punctuation of ids; a word wider than a line breaks
    anywhere. Closing punctuation never begins a line, opening punctuation never ends one.
    """
    whole = clean(text)
    limit += _SLACK
    if width(whole, size, bold=bold) <= limit:
        return [whole]
    lines: list[str] = []
    line, used = "", 0.0
    for piece in _pieces(whole, size, limit, bold=bold):
        if line and used + width(piece.rstrip(), size, bold=bold) > limit:
            lines.append(line.rstrip())
            line, used = "", 0.0
        kept = piece if line else piece.lstrip()
        line += kept
        used += width(kept, size, bold=bold)
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str, size: float, limit: float, *, bold: bool) -> list[str]:
    pieces: list[str] = []
    for piece in _PIECE.findall(text):
        glued = pieces and (piece[0] in _CLOSING or pieces[-1][-1] in _OPENING)
        if glued and width(pieces[-1] + piece, size, bold=bold) <= limit:
            pieces[-1] += piece
        elif glued and len(pieces[-1]) > 1 and len(piece) == 1:
            # A word that fills its line gives its last letter to the punctuation, which must not stand alone.
            pieces[-1:] = [pieces[-1][:-1], pieces[-1][-1] + piece]
        elif width(piece, size, bold=bold) > limit:
            pieces.extend(piece)
        else:
            pieces.append(piece)
    return pieces


def cut(text: str, size: float, limit: float, *, bold: bool = False) -> str:
    """`text`, or its beginning and end around an ellipsis where it is wider than `limit` points."""
    whole = clean(text)
    limit += _SLACK
    if width(whole, size, bold=bold) <= limit:
        return whole
    low, high = 0, len(whole)
    while low < high:
        kept = (low + high + 1) // 2
        if width(_middle(whole, kept), size, bold=bold) <= limit:
            low = kept
        else:
            high = kept - 1
    return _middle(whole, low)


def _middle(text: str, kept: int) -> str:
    tail = kept // 2
    return text[: kept - tail] + ELLIPSIS + (text[-tail:] if tail else "")
