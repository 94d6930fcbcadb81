"""What draws: a page of text, rules and boxes on a reportlab canvas, positions in points from the lower left."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from reports.paper.kit.fonts import BOLD, REGULAR, font
from reports.paper.kit.style import HAIRLINE, INK, PAGE_HEIGHT, PAGE_WIDTH
from reports.paper.kit.text import width


class Pen:
    """Draws pages one after the other and yields the finished document.

    Shapes are drawn at once, text in one go when the page is turned, in the order of its making: it lies above the
    shapes, and whoever copies or searches it gets it as it is read.
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
        self._texts: list[tuple[float, float, str, bool, float, str]] = []
        self._colors: dict[str, Color] = {}
        self._marks = 0
        self._level = -1

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
            self._texts.append((x, y, text, bold, size, color))

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
        """An entry of the document's outline that leads to `y` on this page; a level that is skipped is closed up."""
        self._marks += 1
        self._level = min(level, self._level + 1)
        key = f"mark{self._marks}"
        self._canvas.bookmarkHorizontal(key, 0, y)
        self._canvas.addOutlineEntry(title, key, self._level)

    def turn(self) -> None:
        """Finish the page."""
        lines = self._canvas.beginText()
        face: tuple[bool, float] | None = None
        shade = ""
        for x, y, text, bold, size, color in self._texts:
            if color != shade:
                lines.setFillColor(self._color(color))
                shade = color
            if (bold, size) != face:
                lines.setFont(BOLD if bold else REGULAR, size)
                face = (bold, size)
            lines.setTextOrigin(x, y)
            # textOut would measure what is measured already.
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
