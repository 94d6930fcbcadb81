"""Many rows as the XML of a sheet, made by Polars column by column.

xlsxwriter takes cells one at a time, which for a hundred thousand runs is a quarter of a minute and a gigabyte. A
`RowsSheet` is a worksheet of xlsxwriter in all else; its rows come as ready XML (ECMA-376 part 1, §18.3.1: sheetData,
row, c; texts inline, §18.3.1.53). Control characters, which XML does not have, are written as Excel does: `_x0007_`
(§22.9.2.19).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

import polars as pl
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from models.format import UNKNOWN
from reports.workbook_cells import FORMULA_STARTS, ROW_LINE, SECONDARY, SMALLEST_SHOWN, TEXT_LINE, Book

CHUNK_ROWS = 20_000
# A cell holds 32,767 UTF-16 units; half as many characters always fit.
CELL_CHARS = 16_383
# Characters that XML 1.0 cannot say, and CR, which its readers turn into a line feed.
UNSAYABLE = [chr(code) for code in (*range(9), 11, 12, 13, *range(14, 32), 0xFFFE, 0xFFFF)]
LOOKS_ESCAPED = "_x[0-9A-Fa-f]{4}_"

RowKind = Literal["text", "money", "hours", "moment"]


@dataclass(frozen=True)
class RowStyles:
    """Formats of the cells: of each kind, and of what stands out."""

    text: Format
    guarded: Format
    money: Format
    hours: Format
    tiny: Format
    moment: Format
    dash: Format


def row_styles(book: Book) -> RowStyles:
    """The formats of `book` for rows, the same as its other sheets have."""
    return RowStyles(
        text=book.format(**TEXT_LINE),
        guarded=book.format(**TEXT_LINE, quote_prefix=True),
        money=book.number(2, **ROW_LINE),
        hours=book.number(2, **ROW_LINE),
        tiny=book.format(**ROW_LINE, num_format='"<0.01"'),
        moment=book.format(**TEXT_LINE, num_format="yyyy-mm-dd hh:mm:ss"),
        dash=book.format(**ROW_LINE, align="right", font_color=SECONDARY),
    )


class RowsSheet(Worksheet):  # type: ignore[misc] # xlsxwriter has no types
    """A worksheet whose rows are a frame: header in row 0, the frame below it, perhaps a last line of text."""

    def put(
        self,
        headers: Sequence[tuple[str, Format]],
        frame: pl.DataFrame,
        kinds: Sequence[RowKind],
        styles: RowStyles,
        *,
        height: int,
        last_line: tuple[str, Format] | None,
    ) -> None:
        """Say what the sheet holds; to be called once.

        Args:
            headers: text and format for each column.
            frame: `text` as String, `money` and `hours` as Decimal, `moment` as Float64; NULL becomes a dash.
            kinds: of each column.
            styles: formats of the cells.
            height: of the header, points.
            last_line: text and format of a line below the frame.
        """
        self._headers, self._frame, self._kinds, self._styles = headers, frame, kinds, styles
        self._height, self._last_line = height, last_line
        self._check_dimensions(0, 0)
        self._check_dimensions(frame.height + (last_line is not None), len(kinds) - 1)

    def _write_rows(self) -> None:
        # The only inner method of xlsxwriter that is replaced: it writes what stands in <sheetData>.
        header = "".join(
            _inline(f"{xl_col_to_name(col)}1", text, style) for col, (text, style) in enumerate(self._headers)
        )
        self.fh.write(f'<row r="1" ht="{self._height}" customHeight="1">{header}</row>')
        for part in _rows_xml(self._frame, self._kinds, self._styles):
            self.fh.write(part)
        if self._last_line:
            row = self._frame.height + 2
            self.fh.write(f'<row r="{row}">{_inline(f"A{row}", *self._last_line)}</row>')


def _inline(cell: str, text: str, style: Format) -> str:
    return f'<c r="{cell}" s="{style._get_xf_index()}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'  # noqa: SLF001 - xlsxwriter gives no other way to a format's number


def _rows_xml(frame: pl.DataFrame, kinds: Sequence[RowKind], styles: RowStyles) -> Iterator[str]:
    number = (pl.int_range(pl.len(), dtype=pl.Int64) + pl.col("first")).cast(pl.String)
    cells = [
        _cell(pl.col(name), kind, xl_col_to_name(col), styles)
        for col, (name, kind) in enumerate(zip(frame.columns, kinds, strict=True))
    ]
    row = pl.concat_str(pl.lit('<row r="'), pl.col("row"), pl.lit('">'), *cells, pl.lit("</row>"))
    for first in range(0, frame.height, CHUNK_ROWS):
        chunk = frame.slice(first, CHUNK_ROWS).with_columns(pl.lit(first + 2, pl.Int64).alias("first"))
        yield chunk.with_columns(number.alias("row")).select(row.str.join("")).item()


def _cell(value: pl.Expr, kind: RowKind, column: str, styles: RowStyles) -> pl.Expr:
    start = pl.concat_str(pl.lit(f'<c r="{column}'), pl.col("row"), pl.lit('" s="'))

    def style(of: Format) -> pl.Expr:
        return pl.lit(str(of._get_xf_index()))  # noqa: SLF001 - as above

    if kind == "text":
        dangerous = value.str.slice(0, 1).is_in(sorted(FORMULA_STARTS))
        chosen = pl.when(dangerous).then(style(styles.guarded)).otherwise(style(styles.text))
        open_text, close = pl.lit('" t="inlineStr"><is><t xml:space="preserve">'), pl.lit("</t></is></c>")
        cell = pl.concat_str(start, chosen, open_text, _escaped(value), close)
    else:
        chosen = style({"money": styles.money, "moment": styles.moment, "hours": styles.hours}[kind])
        if kind == "hours":
            # What rounds to zero but is not must not look like zero.
            is_tiny = (value > 0) & (value < SMALLEST_SHOWN)
            chosen = pl.when(is_tiny).then(style(styles.tiny)).otherwise(chosen)
        cell = pl.concat_str(start, chosen, pl.lit('"><v>'), value.cast(pl.String), pl.lit("</v></c>"))
    dash = pl.concat_str(start, style(styles.dash), pl.lit(f'" t="inlineStr"><is><t>{UNKNOWN}</t></is></c>'))
    return pl.coalesce(cell, dash)


def _escaped(value: pl.Expr) -> pl.Expr:
    cut = value.str.slice(0, CELL_CHARS)
    said = (
        pl.when(cut.str.contains(LOOKS_ESCAPED))
        .then(cut.str.replace_all("_x", "_x005F_x", literal=True))
        .otherwise(cut)
    )
    xml = said.str.replace_many(["&", "<", ">"], ["&amp;", "&lt;", "&gt;"])
    return xml.str.replace_many(UNSAYABLE, [f"_x{ord(char):04X}_" for char in UNSAYABLE])
