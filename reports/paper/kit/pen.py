"""What draws: a page of text, rules and boxes on a reportlab canvas, positions in points from the lower left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from io import BytesIO

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from reports.paper.kit.fonts import BOLD, REGULAR, font
from reports.paper.kit.style import HAIRLINE, INK, PAGE_HEIGHT, PAGE_WIDTH
from reports.paper.kit.text import width


class Pen:
    """Draws pages one after the other and yields the finished document.

    Shapes are drawn at once. Text is gathered by font and colour and drawn when the page is turned: fewer changes of
    font make smaller files in half the time, and text lies above shapes.
    """

    def __init__(self, *, title: str, author: str, subject: str, creator: str, lang: str) -> None:
        font(REGULAR)
        font(BOLD)
        self._file = BytesIO()
        self._canvas = Canvas(
            self._file,
            pagesize=(PAGE_WIDTH, PAGE_HEIGHT),
            pageCompression=1,
            # No clock and no random id: the same inputs give the same bytes.
            invariant=1,
            initialFontName=REGULAR,  # type: ignore[arg-type]  # the stubs take it for a number
            lang={"zh": "zh-CN", "en": "en"}[lang],
        )
        self._canvas.setTitle(title)
        self._canvas.setAuthor(author)
        self._canvas.setSubject(subject)
        self._canvas.setCreator(creator)
        self._texts: dict[tuple[bool, float, str], list[tuple[float, float, str]]] = defaultdict(list)
        self._colors: dict[str, Color] = {}
        self._marks = 0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        color: str = INK,
    ) -> None:
        """`text` from `x` on, on the baseline `y`."""
        if text:
            self._texts[bold, size, color].append((x, y, text))

    def text_right(
        self, x: float, y: float, text: str, size: float, *, bold: bool = False, color: str = INK
    ) -> None:
        """`text` that ends at `x`."""
        self.text(x - width(text, size, bold=bold), y, text, size, bold=bold, color=color)

    def text_centred(
        self, x: float, y: float, text: str, size: float, *, bold: bool = False, color: str = INK
    ) -> None:
        """`text` with its middle at `x`."""
        self.text(x - width(text, size, bold=bold) / 2, y, text, size, bold=bold, color=color)

    def rule(self, x: float, y: float, length: float, *, thick: float = 0.4, color: str = HAIRLINE) -> None:
        """A horizontal rule from `x` on."""
        self._canvas.setStrokeColor(self._color(color))
        self._canvas.setLineWidth(thick)
        self._canvas.line(x, y, x + length, y)

    def box(self, x: float, y: float, wide: float, high: float, *, fill: str) -> None:
        """A filled rectangle with its lower left corner at `x`, `y`."""
        self._canvas.setFillColor(self._color(fill))
        self._canvas.rect(x, y, wide, high, stroke=0, fill=1)

    def frame(
        self, x: float, y: float, wide: float, high: float, *, color: str, dash: Sequence[float] = ()
    ) -> None:
        """The outline of a rectangle."""
        self._canvas.setStrokeColor(self._color(color))
        self._canvas.setLineWidth(0.5)
        self._canvas.setDash(list(dash))
        self._canvas.rect(x, y, wide, high, stroke=1, fill=0)
        self._canvas.setDash([])

    def across(self, text: str, size: float, *, color: str) -> None:
        """A word across the whole page, rising to the right, under everything drawn after it."""
        self._canvas.saveState()
        self._canvas.translate(PAGE_WIDTH / 2, PAGE_HEIGHT / 2)
        self._canvas.rotate(52)
        self._canvas.setFont(BOLD, size)
        self._canvas.setFillColor(self._color(color))
        self._canvas.drawCentredString(0, -size / 3, text)
        self._canvas.restoreState()

    def bookmark(self, title: str, y: float, level: int) -> None:
        """An entry of the document's outline that leads to `y` on this page."""
        self._marks += 1
        key = f"mark{self._marks}"
        self._canvas.bookmarkHorizontal(key, 0, y)
        self._canvas.addOutlineEntry(title, key, level)

    def turn(self) -> None:
        """Finish the page."""
        for (bold, size, color), pieces in self._texts.items():
            lines = self._canvas.beginText()
            lines.setFillColor(self._color(color))
            lines.setFont(BOLD if bold else REGULAR, size)
            for x, y, text in pieces:
                lines.setTextOrigin(x, y)
                # textOut would measure what we have measured already.
                lines.textLine(text)
            self._canvas.drawText(lines)
        self._texts.clear()
        self._canvas.showPage()

    def finish(self) -> bytes:
        """The document."""
        self._canvas.save()
        return self._file.getvalue()

    def _color(self, code: str) -> Color:
        if code not in self._colors:
            self._colors[code] = HexColor(code)
        return self._colors[code]
