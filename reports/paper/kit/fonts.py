"""Noto Sans SC, registered with reportlab once per process, and the widths of its characters."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import cast

from reportlab.pdfbase import pdfmetrics, ttfonts

REGULAR = "NotoSansSC"
BOLD = "NotoSansSC-Bold"
_FILES = {REGULAR: "NotoSansSC_400Regular.ttf", BOLD: "NotoSansSC_700Bold.ttf"}
# What a CMap may hold in one bfchar block (PDF 32000-1, 9.10.3; Adobe technical note 5014).
_BLOCK = 100


def to_unicode_cmap(fontname: str, subset: list[int]) -> str:
    """ToUnicode CMap of a subset: code -> character, as UTF-16BE (PDF 32000-1, 9.10.3).

    reportlab 5.1 writes characters above U+FFFF with five digits, so that search and copy give another character.
    """
    pairs = [
        f"<{code:02X}> <{chr(point).encode('utf-16-be').hex().upper()}>" for code, point in enumerate(subset)
    ]
    blocks = [pairs[n : n + _BLOCK] for n in range(0, len(pairs), _BLOCK)]
    mapped = [line for block in blocks for line in (f"{len(block)} beginbfchar", *block, "endbfchar")]
    return "\n".join(
        (
            "/CIDInit /ProcSet findresource begin",
            "12 dict begin",
            "begincmap",
            f"/CIDSystemInfo << /Registry ({fontname}) /Ordering ({fontname}) /Supplement 0 >> def",
            f"/CMapName /{fontname} def",
            "/CMapType 2 def",
            "1 begincodespacerange",
            f"<00> <{len(subset) - 1:02X}>",
            "endcodespacerange",
            *mapped,
            "endcmap",
            "CMapName currentdict /CMap defineresource pop",
            "end",
            "end",
        )
    )


@cache
def font(name: str) -> ttfonts.TTFont:
    """The font `REGULAR` or `BOLD`; the first call reads its file (about 0.1 s)."""
    # reportlab looks this function up when a document is saved; there is no other place to put ours.
    ttfonts.makeToUnicodeCMap = to_unicode_cmap
    with as_file(files("reports") / "fonts" / _FILES[name]) as path:
        made = ttfonts.TTFont(name, str(path))
    pdfmetrics.registerFont(made)
    return made


@cache
def widths(name: str) -> dict[int, float]:
    """Advance of each character, by code point, in thousandths of the font's size."""
    return cast("dict[int, float]", font(name).face.charWidths)
