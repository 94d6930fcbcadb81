"""A table as a sheet that one can filter, print and check: header, rows, totals as named formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from reports.workbook_cells import ACCENT, Book, Kind, shown_places, writer_of

SheetT = TypeVar("SheetT", bound=Worksheet)
A4 = 9
WIDEST, NARROWEST = 44, 6
HEADER_HEIGHT = 32


@dataclass(frozen=True)
class Column:
    """One column of a sheet.

    Attributes:
        kind: `text` (str), `money` (Decimal, 2 places), `hours` (Decimal, shown with 2 places), `count` (int),
            `quantity` (Decimal, shown with its own places), `price` (Decimal, the places that it needs, at least 2),
            `day` (date). None is shown as a dash.
        total: name of the workbook's range that holds the column's sum; empty: not summed.
        total_value: the exact sum, written beside the formula for viewers that do not calculate.
    """

    header: str
    kind: Kind
    values: Sequence[Any]
    total: str = ""
    total_value: Decimal = Decimal(0)


def summed(header: str, kind: Kind, values: Sequence[Decimal | int], total: str) -> Column:
    """A column of numbers with its exact sum."""
    return Column(header, kind, values, total, sum((Decimal(value) for value in values), Decimal(0)))


def add_sheet(book: Book, name: str, document: str, kind: type[SheetT] = Worksheet) -> SheetT:
    """A sheet for A4 landscape, one page wide, with `document` and page numbers in the footer."""
    sheet: SheetT = book.workbook.add_worksheet(name, worksheet_class=kind)
    sheet.set_landscape()
    sheet.set_paper(A4)
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer(f"&L&8{document.replace('&', '&&')}&C&8&A&R&8&P / &N")
    sheet.hide_gridlines(2)
    return sheet


def write_table(sheet: Worksheet, book: Book, columns: Sequence[Column], total_word: str = "") -> int:
    """Header in row 0, values below it, totals after an empty row, so that a filter leaves them alone.

    Args:
        sheet: a new sheet of `book`.
        book: the open workbook.
        columns: all of one length.
        total_word: the first cell of the totals; empty: no totals.

    Returns:
        The last row used, counted from 0.
    """
    rows = len(columns[0].values)
    for col, column in enumerate(columns):
        sheet.set_column(col, col, limited_width(_body_width(column), header_width(column.header)))
        sheet.write_string(0, col, column.header, header_format(book, left=column.kind in ("text", "day")))
    sheet.set_row(0, HEADER_HEIGHT)
    writers = [writer_of(sheet, book, column.kind) for column in columns]
    for row, values in enumerate(zip(*(column.values for column in columns), strict=True), 1):
        for col, value in enumerate(values):
            writers[col](row, col, value)
    last = rows
    if total_word:
        last = max(rows, 1) + 2
        _write_totals(sheet, book, columns, last, total_word)
    finish_table(sheet, rows, last, len(columns))
    return last


def header_format(book: Book, *, left: bool) -> Format:
    """Of a column's header: as its cells stand, left or right."""
    edge = {"bottom": 2, "bottom_color": ACCENT, "font_color": ACCENT}
    place = {"align": "left", "indent": 1} if left else {"align": "right"}
    return book.format(bold=True, text_wrap=True, **place, **edge)


def finish_table(sheet: Worksheet, rows: int, last: int, columns: int) -> None:
    """Freeze and repeat the header, filter `rows` rows below it, print down to row `last`."""
    sheet.freeze_panes(1, 2)
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, max(rows, 1), columns - 1)
    sheet.print_area(0, 0, max(last, 1), columns - 1)


def _write_totals(sheet: Worksheet, book: Book, columns: Sequence[Column], row: int, word: str) -> None:
    edge = {"bold": True, "top": 2, "top_color": ACCENT}
    for col, column in enumerate(columns):
        if column.total:
            number = book.number(0 if column.kind == "count" else 2, **edge)
            cells = f"{xl_rowcol_to_cell(1, col)}:{xl_rowcol_to_cell(row - 2, col)}"
            sheet.write_formula(row, col, f"=SUM({cells})", number, float(column.total_value))
            book.define(column.total, sheet, (row, col))
        else:
            sheet.write_string(row, col, "" if col else word, book.format(**edge, indent=1))


def limited_width(body: float, header: float) -> float:
    """Width of a column in characters, with room beside the longest cell and for the filter's button."""
    return min(WIDEST, max(NARROWEST, body + 3, header + 5))


def header_width(header: str) -> float:
    """A header may break into two lines."""
    return display_width(header) / 2


def _body_width(column: Column) -> int:
    if column.kind == "day":
        return 10
    known = [value for value in column.values if value is not None]
    if column.kind == "text":
        return max((display_width(value) for value in known), default=0)
    largest = max((abs(value) for value in [*known, column.total_value]), default=0)
    places = {"money": 2, "hours": 2, "count": 0}.get(column.kind)
    if places is None:
        places = max((shown_places(value, column.kind) for value in known), default=0)
    return len(f"{int(largest):,}") + places + 2


def display_width(value: str) -> int:
    """Places of a fixed-width line: 2 for Chinese and full-width characters, else 1."""
    return sum(2 if char >= "\u2e80" else 1 for char in value)
