"""A tenant's bill as a workbook (XLSX): what the bill says, with every run behind it, to filter and to check.

Sheets: 说明 (about), 汇总 (lines, totals, tax), 按项目, 按用户, 按日 (shares), 未计费 (only where there is some) and 明细
(runs). Every sum is a formula over the cells above it and a named range, with its exact value beside the formula;
说明 sets the sums side by side. The same bill gives the same bytes.

Excel reckons in doubles: an amount comes back right to the fen below 10^13; a bill beyond says so in 说明.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from models.format import symbol
from models.words import reason_word, resource_word, unit_word
from reports.bill import Bill, BillLine, NotCharged, Share, Tax
from reports.files import replacing
from reports.workbook_about import Check, write_about
from reports.workbook_cells import FONT, PLAIN, Book
from reports.workbook_kit import Column, add_sheet, summed, write_table
from reports.workbook_rows import RowsSheet
from reports.workbook_runs import BILLED_COLUMN, SHEET_RUNS, write_runs

# Up to here the workbook is made in memory, which is quicker; beyond it, through temporary files.
IN_MEMORY_RUNS = 20_000
# Columns of 汇总, counted from 0 or by letter, for the tax rows and the check of the products.
NAME_COL, BILLED_COL, LINE_COLUMNS = 2, 12, 14
QUANTITY, PRICE = "H", "J"


def write_bill_workbook(
    bill: Bill, runs: pa.Table, path: Path, lang: str, *, sheet_runs: int = SHEET_RUNS
) -> int:
    """Write the workbook of `bill` to `path`, whole or not at all.

    Args:
        bill: what the sheets say.
        runs: all runs of the bill: columns as `reports.bill.RunRow` names them, amounts and hours decimal128, times
            int64 UTC seconds, in the order in which they shall stand.
        path: `….xlsx`; an old file is replaced.
        lang: `zh` or `en`.
        sheet_runs: rows that sheet 明细 may hold under its header, at most what Excel allows.

    Returns:
        Runs written to 明细; fewer than `runs` has only where the sheet is full, and then the sheet says so.
    """
    options = {
        **PLAIN,
        "default_format_properties": {
            **FONT
        },  # a copy: xlsxwriter writes into it, and the next book would differ
        "in_memory": runs.num_rows <= IN_MEMORY_RUNS,
        "use_zip64": True,
    }
    with replacing(path) as part:
        workbook = xlsxwriter.Workbook(str(part), options)
        workbook.set_properties(
            {
                "title": bill.number,
                "subject": bill.period,
                "author": bill.issuer.name,
                # Not the clock: the same bill gives the same bytes.
                "created": datetime.combine(bill.last_day, time(), UTC),
            }
        )
        shown = _write_sheets(Book(workbook, lang, symbol(bill.currency)), bill, runs, sheet_runs)
        workbook.close()
    return shown


def _shares(bill: Bill) -> tuple[tuple[str, tuple[Share, ...]], ...]:
    return (("project", bill.by_project), ("user", bill.by_user), ("day", bill.by_day))


def _write_sheets(book: Book, bill: Bill, runs: pa.Table, sheet_runs: int) -> int:
    def sheet(name: str) -> Worksheet:
        return add_sheet(book, book.word(f"sheet_{name}"), bill.number)

    about = sheet("about")
    _write_lines(sheet("lines"), book, bill)
    for name, shares in _shares(bill):
        write_table(sheet(name), book, _share_columns(shares, name, book), book.word("total"))
    if bill.not_charged:
        write_table(sheet("not_charged"), book, _not_charged_columns(bill.not_charged, book))
    runs_sheet = add_sheet(book, book.word("sheet_runs"), bill.number, RowsSheet)
    shown, runs_billed = write_runs(runs_sheet, book, runs, bill.timezone, limit=sheet_runs)
    checks = _checks(bill, book)
    if shown == runs.num_rows:
        cells = f"'{book.word('sheet_runs')}'!{BILLED_COLUMN}2:{BILLED_COLUMN}{max(shown, 1) + 1}"
        checks.append(Check(book.word("check_runs"), f"=SUM({cells})", runs_billed, "run_total"))
    write_about(about, book, bill, checks, shown_runs=shown, all_runs=runs.num_rows)
    return shown


def _checks(bill: Bill, book: Book) -> list[Check]:
    lines = book.word("sheet_lines")
    last = max(len(bill.lines), 1) + 1
    quantities, prices = (f"'{lines}'!{col}2:{col}{last}" for col in (QUANTITY, PRICE))
    product = f"=SUMPRODUCT(ROUND({quantities}*{prices},2))"
    return [
        Check(book.word("check_lines"), "=billed_total", bill.billed_total),
        Check(book.word("check_product"), product, bill.billed_total),
        *(
            Check(
                book.word(f"check_{name}"),
                f"={name}_total",
                sum((share.billed_cost for share in shares), Decimal(0)),
            )
            for name, shares in _shares(bill)
        ),
    ]


def _write_lines(sheet: Worksheet, book: Book, bill: Bill) -> None:
    row = write_table(sheet, book, _line_columns(bill.lines, book), book.word("total"))
    if bill.tax.mode != "none":
        row += 1
        book.write_text(sheet, (row, NAME_COL), book.word("vat_rate"), indent=1)
        sheet.write_number(row, BILLED_COL, bill.tax.rate, book.format(num_format="0.0%"))
        book.define("vat_rate", sheet, (row, BILLED_COL))
    for name, formula, value in _tax_formulas(bill.tax):
        row += 1
        payable = name == "gross_total"
        label = book.word(name if payable else f"{name}_{bill.tax.mode}")
        book.write_text(sheet, (row, NAME_COL), label, bold=payable, indent=1)
        sheet.write_formula(row, BILLED_COL, formula, book.number(2, bold=payable), float(value))
        book.define(name, sheet, (row, BILLED_COL))
    sheet.print_area(0, 0, row, LINE_COLUMNS - 1)


def _tax_formulas(tax: Tax) -> tuple[tuple[str, str, Decimal], ...]:
    """Name, formula and value of net, VAT and gross: net or VAT rounded half up once, the other is the rest."""
    if tax.mode == "none":
        return (("gross_total", "=billed_total", tax.gross),)
    if tax.mode == "inclusive":
        return (
            ("net_total", "=ROUND(billed_total/(1+vat_rate),2)", tax.net),
            ("vat_total", "=ROUND(billed_total-net_total,2)", tax.tax),
            ("gross_total", "=billed_total", tax.gross),
        )
    return (
        ("net_total", "=billed_total", tax.net),
        ("vat_total", "=ROUND(net_total*vat_rate,2)", tax.tax),
        ("gross_total", "=ROUND(net_total+vat_total,2)", tax.gross),
    )


def _line_columns(lines: Sequence[BillLine], book: Book) -> list[Column]:
    def header(name: str) -> str:
        return book.word(f"line_{name}")

    english = book.lang == "en"
    return [
        Column(header("line"), "text", [line.line for line in lines]),
        Column(header("item"), "text", [line.item for line in lines]),
        Column(header("name"), "text", [(english and line.name_en) or line.name for line in lines]),
        Column(header("cluster"), "text", [line.cluster for line in lines]),
        Column(header("resource"), "text", [resource_word(line.resource, book.lang) for line in lines]),
        Column(header("unit"), "text", [unit_word(line.unit, book.lang) for line in lines]),
        Column(header("consumed"), "quantity", [line.consumed for line in lines]),
        Column(header("quantity"), "quantity", [line.quantity for line in lines]),
        Column(header("list_price"), "price", [line.list_price for line in lines]),
        Column(header("unit_price"), "price", [line.unit_price for line in lines]),
        summed(header("list_cost"), "money", [line.list_cost for line in lines], "list_total"),
        summed(header("discount"), "money", [line.discount for line in lines], "discount_total"),
        summed(header("billed_cost"), "money", [line.billed_cost for line in lines], "billed_total"),
        Column(header("tariff_version"), "text", [line.tariff_version for line in lines]),
    ]


def _share_columns(shares: Sequence[Share], name: str, book: Book) -> list[Column]:
    """`name`: project, user or day; the sums are the ranges `project_total`, `project_runs_total` and so on."""

    def header(column: str) -> str:
        return book.word(f"share_{column}")

    key = header(f"key_{name}")
    if name == "day":
        first = [Column(key, "day", [date.fromisoformat(share.key) for share in shares])]
    else:
        first = [
            Column(key, "text", [share.key for share in shares]),
            Column(header("name"), "text", [share.name for share in shares]),
        ]
    if name == "project":
        first.append(Column(header("cost_card"), "text", [share.cost_card for share in shares]))
    return [
        *first,
        summed(header("runs"), "count", [share.runs for share in shares], f"{name}_runs_total"),
        summed(header("core_hours"), "hours", [s.core_hours for s in shares], f"{name}_core_hours_total"),
        summed(
            header("device_hours"), "hours", [s.device_hours for s in shares], f"{name}_device_hours_total"
        ),
        summed(header("billed_cost"), "money", [s.billed_cost for s in shares], f"{name}_total"),
    ]


def _not_charged_columns(rows: Sequence[NotCharged], book: Book) -> list[Column]:
    def header(name: str) -> str:
        return book.word(f"not_charged_{name}")

    return [
        Column(header("reason"), "text", [reason_word(row.reason, book.lang) for row in rows]),
        Column(header("resource"), "text", [resource_word(row.resource, book.lang) for row in rows]),
        Column(header("runs"), "count", [row.runs for row in rows]),
        Column(header("quantity"), "hours", [row.quantity for row in rows]),
        Column(header("unit"), "text", [unit_word(row.unit, book.lang) for row in rows]),
    ]
