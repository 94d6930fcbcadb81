"""Sheet 说明: what the workbook is, whose it is, how it came about, and whether its sums agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from xlsxwriter.worksheet import Worksheet

from models.format import day_text, local_text, period_text
from reports.bill import Bill
from reports.workbook_cells import ACCENT, ROW_LINE, SECONDARY, Book
from reports.workbook_kit import display_width

# A double holds 15 significant digits for sure: 13 before the point leave the fen right.
EXACT_BELOW = Decimal(10) ** 13
WIDTHS = (26, 78, 18)
LINE_HEIGHT = 17


@dataclass(frozen=True)
class Check:
    """One sum that must agree with the bill's total.

    Attributes:
        label: what is summed.
        formula: the workbook's formula for it.
        value: its exact value.
        name: the workbook's name for the cell; empty: none.
    """

    label: str
    formula: str
    value: Decimal
    name: str = ""


def write_about(
    sheet: Worksheet, book: Book, bill: Bill, checks: Sequence[Check], *, shown_runs: int, all_runs: int
) -> None:
    """Write the sheet: title, facts as label and value, checks, notes.

    Args:
        sheet: a new sheet of `book`.
        book: the open workbook.
        bill: the bill that the other sheets hold.
        checks: each is compared with the range named `billed_total`, whose value is `bill.billed_total`.
        shown_runs: rows that the sheet of runs holds.
        all_runs: rows that it should hold; more only where it is full.
    """
    for col, size in enumerate(WIDTHS):
        sheet.set_column(col, col, size)
    title = book.word("draft_title" if bill.draft else "title")
    book.write_text(sheet, (0, 0), title, bold=True, font_size=16, font_color=ACCENT)
    sheet.set_row(0, 30)
    row = _write_pairs(sheet, book, list(_facts(bill, book)), 1)
    row = _write_checks(sheet, book, checks, bill.billed_total, row + 1)
    notes = [(book.word("note"), note) for note in _notes(bill, book, shown_runs, all_runs)]
    row = _write_pairs(sheet, book, notes, row + 1)
    sheet.print_area(0, 0, row - 1, len(WIDTHS) - 1)
    sheet.fit_to_pages(1, 1)


def _write_pairs(sheet: Worksheet, book: Book, pairs: Sequence[tuple[str, str]], row: int) -> int:
    for line, (label, value) in enumerate(pairs, row):
        book.write_text(sheet, (line, 0), label, font_color=SECONDARY, valign="top")
        book.write_text(sheet, (line, 1), value, text_wrap=True, valign="top")
        # Not every program finds the height of a wrapped text by itself.
        sheet.set_row(line, LINE_HEIGHT * max(1, ceil(display_width(value) / (WIDTHS[1] - 4))))
    return row + len(pairs)


def _write_checks(sheet: Worksheet, book: Book, checks: Sequence[Check], total: Decimal, row: int) -> int:
    header = {"bold": True, "bottom": 2, "bottom_color": ACCENT, "font_color": ACCENT}
    book.write_text(sheet, (row, 0), book.word("checks"), **header)
    book.write_text(sheet, (row, 1), book.word("check_amount"), **header, align="right")
    book.write_text(sheet, (row, 2), book.word("check_difference"), **header, align="right")
    money = book.number(2, **ROW_LINE)
    for line, check in enumerate(checks, row + 1):
        book.write_text(sheet, (line, 0), check.label, **ROW_LINE, text_wrap=True)
        sheet.write_formula(line, 1, check.formula, money, float(check.value))
        if check.name:
            book.define(check.name, sheet, (line, 1))
        difference = f"=ROUND(B{line + 1}-billed_total,2)"
        sheet.write_formula(line, 2, difference, money, float(check.value - total))
    return row + 1 + len(checks)


def _notes(bill: Bill, book: Book, shown_runs: int, all_runs: int) -> Iterator[str]:
    """What a reader of the figures must know."""
    yield book.word("rounding")
    yield book.word("text_cells")
    if shown_runs < all_runs:
        yield book.word("rest", rest=all_runs - shown_runs, total=all_runs)
    if max(abs(bill.list_total), abs(bill.billed_total), abs(bill.tax.gross)) >= EXACT_BELOW:
        yield book.word("inexact")


def _facts(bill: Bill, book: Book) -> Iterator[tuple[str, str]]:
    payer, issuer, facts = bill.payer, bill.issuer, bill.facts

    def named(name: str, name_en: str) -> str:
        return name_en if book.lang == "en" and name_en else name

    days = f"{day_text(bill.first_day, book.lang)} – {day_text(bill.last_day, book.lang)}"
    yield book.word("fact_number"), bill.number
    yield book.word("fact_period"), period_text(bill.period, book.lang)
    yield book.word("fact_days"), days
    yield book.word("fact_zone"), bill.timezone
    yield book.word("fact_payer"), named(payer.name, payer.name_en)
    yield book.word("fact_unit"), named(payer.unit, payer.unit_en)
    yield book.word("fact_tenant"), payer.tenant
    yield book.word("fact_cost_card"), payer.cost_card
    yield book.word("fact_contact"), payer.contact
    yield book.word("fact_issuer"), named(issuer.name, issuer.name_en)
    yield book.word("fact_issuer_contact"), "  ".join(part for part in (issuer.phone, issuer.email) if part)
    yield book.word("fact_dispute"), book.word("dispute_days", days=issuer.dispute_days)
    yield book.word("fact_runs"), f"{bill.runs_count:,}"
    for version, sha256 in facts.tariff_versions:
        yield book.word("fact_tariff"), f"{version}  {sha256}"
    yield book.word("fact_input"), facts.input_hash
    yield book.word("fact_program"), facts.program_version
    yield book.word("fact_read_to"), local_text(facts.read_to_s, bill.timezone)
