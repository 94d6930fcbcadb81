"""Cells of our workbooks: how each kind of value is written and looks.

Cells are real numbers, days and moments. What comes from users is only ever written as text: the workbook is opened
with every guess of xlsxwriter off, and a text that would be a formula if somebody typed it carries Excel's quote
prefix, so that editing the cell does not bring it to life either.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from models.catalogue import text
from models.format import MINUS, UNKNOWN, places_of

INK, SECONDARY, HAIRLINE, ACCENT = "#1A1F2B", "#5B6472", "#D5DAE1", "#1F4E79"
# xlsxwriter's options: nothing guesses that a text might be a formula, a link or a number.
PLAIN = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
FONT = {"font_name": "Microsoft YaHei", "font_size": 10, "font_color": INK}
ROW_LINE = {"bottom": 1, "bottom_color": HAIRLINE}
# Text stands clear of the figure on its left.
TEXT_LINE = {**ROW_LINE, "align": "left", "indent": 1}
FORMULA_STARTS = frozenset("=+-@\t\r")
# Excel counts days from 1899-12-30.
EXCEL_EPOCH = date(1899, 12, 30)
# What is below it rounds to zero at the two places of hours.
SMALLEST_SHOWN = Decimal("0.005")
MOST_PLACES = 8

Kind = Literal["text", "money", "hours", "count", "quantity", "price", "day"]
Writer = Callable[[int, int, Any], object]


class Book:
    """An open workbook in one language and currency; each format is made once.

    Attributes:
        workbook: xlsxwriter's.
        lang: `zh` or `en`.
        money: the currency's sign for headers.
    """

    def __init__(self, workbook: xlsxwriter.Workbook, lang: str, money: str) -> None:
        self.workbook = workbook
        self.lang = lang
        self.money = money
        self._formats: dict[tuple[tuple[str, object], ...], Format] = {}

    def word(self, name: str, **values: object) -> str:
        """A text of the catalogue's workbook file; {money} is known to all."""
        return text(f"workbook.{name}", self.lang, money=self.money, **values)

    def format(self, **properties: object) -> Format:
        """The format with these xlsxwriter properties over our font."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self.workbook.add_format({**FONT, "valign": "vcenter", **properties})
        return self._formats[key]

    def number(self, places: int, **properties: object) -> Format:
        """A number of so many decimals, thousands separated, with a true minus."""
        digits = "#,##0" + ("." + "0" * places if places else "")
        return self.format(num_format=f'{digits};"{MINUS}"{digits}', **properties)

    def write_text(self, sheet: Worksheet, cell: tuple[int, int], value: str, **properties: object) -> None:
        """Text that stays text."""
        guard = {"quote_prefix": True} if value[:1] in FORMULA_STARTS and value else {}
        sheet.write_string(*cell, plain(value), self.format(**properties, **guard))

    def define(self, name: str, sheet: Worksheet, cell: tuple[int, int]) -> None:
        """Name one cell for the whole workbook."""
        place = xl_rowcol_to_cell(*cell, row_abs=True, col_abs=True)
        self.workbook.define_name(name, f"='{sheet.get_name()}'!{place}")


def plain(value: str) -> str:
    """`value` so that xlsxwriter does not take it for rich-text XML, which it would write unescaped."""
    return f"{value} " if value.startswith("<r>") and value.endswith("</r>") else value


def shown_places(value: Decimal, kind: Kind) -> int:
    """Places of a `quantity` (its own) or a `price` (what it needs, at least 2); 8 at most."""
    return min(MOST_PLACES, max(2, places_of(value.normalize())) if kind == "price" else places_of(value))


def writer_of(sheet: Worksheet, book: Book, kind: Kind) -> Writer:
    """What writes one value of `kind` at a row and column; None becomes a dash, never 0."""
    write = {
        "text": _text_writer,
        "hours": _hours_writer,
        "quantity": _places_writer,
        "price": _places_writer,
    }.get(kind, _fixed_writer)(sheet, book, kind)
    dash = book.format(**ROW_LINE, align="right", font_color=SECONDARY)
    dash_it = sheet.write_string

    def write_or_dash(row: int, col: int, value: Any) -> object:  # noqa: ANN401 - any kind of cell
        return dash_it(row, col, UNKNOWN, dash) if value is None else write(row, col, value)

    return write_or_dash


def _text_writer(sheet: Worksheet, book: Book, _kind: Kind) -> Writer:
    unguarded, guarded = book.format(**TEXT_LINE), book.format(**TEXT_LINE, quote_prefix=True)
    write = sheet.write_string

    def write_text(row: int, col: int, value: str) -> object:
        guard = value[:1] in FORMULA_STARTS
        return write(row, col, plain(value), guarded if guard else unguarded)

    return write_text


def _hours_writer(sheet: Worksheet, book: Book, _kind: Kind) -> Writer:
    # What rounds to zero but is not must not look like zero.
    usual, tiny = book.number(2, **ROW_LINE), book.format(**ROW_LINE, num_format='"<0.01"')
    write = sheet.write_number

    def write_hours(row: int, col: int, value: Decimal) -> object:
        return write(row, col, value, tiny if 0 < value < SMALLEST_SHOWN else usual)

    return write_hours


def _places_writer(sheet: Worksheet, book: Book, kind: Kind) -> Writer:
    formats = [book.number(places, **ROW_LINE) for places in range(MOST_PLACES + 1)]
    write = sheet.write_number

    def write_places(row: int, col: int, value: Decimal) -> object:
        return write(row, col, value, formats[shown_places(value, kind)])

    return write_places


def _fixed_writer(sheet: Worksheet, book: Book, kind: Kind) -> Writer:
    write = sheet.write_number
    if kind == "day":
        day = book.format(**TEXT_LINE, num_format="yyyy-mm-dd")
        return lambda row, col, value: write(row, col, (value - EXCEL_EPOCH).days, day)
    fixed = book.number(2 if kind == "money" else 0, **ROW_LINE)
    return lambda row, col, value: write(row, col, value, fixed)
