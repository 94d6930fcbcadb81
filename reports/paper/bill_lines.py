"""The charges of a bill: its lines, what they add up to, tax."""

from __future__ import annotations

from decimal import Decimal

from models.format import number, places_of, price
from models.words import unit_word
from reports.bill import BillLine
from reports.paper.bill_front import rate_text
from reports.paper.kit.block import Block
from reports.paper.kit.parts import heading, noted
from reports.paper.kit.table import Column, Row, table
from reports.paper.say import Say


def charges(say: Say) -> list[Block]:
    """The table of lines with its totals, and how it was reckoned."""
    lines = say.bill.lines
    differs = any(line.consumed != line.quantity for line in lines)
    contracted = any(line.list_price != line.unit_price for line in lines)
    rate = say("price_unit", currency=say.symbol)
    columns = [
        Column(say("item")),
        Column(say("cluster"), cut=True),
        Column(say("unit")),
        *([Column(say("consumed"), number=True)] if differs else []),
        Column(say("priced"), number=True),
        *([Column(say("list_price"), rate, number=True)] if contracted else []),
        Column(say("unit_price") if contracted else say("only_price"), rate, number=True),
        Column(say("amount", currency=say.symbol), number=True),
    ]
    rows = [_line(say, line, differs=differs, contracted=contracted) for line in lines]
    rows += [_total(word, amount, kind, len(columns)) for word, amount, kind in _totals(say)]
    said = say("lines_note_consumed") if differs else say("lines_note")
    return [heading(say("lines")), *noted(table(columns, rows), said)]


def _line(say: Say, line: BillLine, *, differs: bool, contracted: bool) -> Row:
    places = places_of(line.quantity)
    return Row(
        (
            (
                say.either(line.name, line.name_en) or line.item,
                " / ".join(
                    filter(None, (line.item, line.tariff_version, say.either(line.acting, line.acting_en)))
                ),
            ),
            line.cluster,
            unit_word(line.unit, say.lang),
            *([number(line.consumed, places)] if differs else []),
            number(line.quantity, places),
            *([price(line.list_price)] if contracted else []),
            price(line.unit_price),
            number(line.billed_cost, 2),
        )
    )


def _totals(say: Say) -> list[tuple[str, Decimal, str]]:
    """Words, amounts and kinds of the rows under the lines; the last is what is to pay."""
    bill = say.bill
    listed, billed, tax = bill.list_total, bill.billed_total, bill.tax
    rows: list[tuple[str, Decimal, str]] = []
    if listed != billed:
        rows += [(say("list_total"), listed, "plain"), (say("list_difference"), billed - listed, "plain")]
    if tax.mode == "exclusive":
        return [
            *rows,
            (say("net"), tax.net, "subtotal"),
            (say("tax", rate=rate_text(tax.rate)), tax.tax, "plain"),
            (say("gross"), tax.gross, "total"),
        ]
    if tax.mode == "inclusive":
        return [
            *rows,
            (say("total_inclusive"), tax.gross, "total"),
            (say("net_of"), tax.net, "plain"),
            (say("tax_of", rate=rate_text(tax.rate)), tax.tax, "plain"),
        ]
    return [*rows, (say("total"), tax.gross, "total")]


def _total(word: str, amount: Decimal, kind: str, columns: int) -> Row:
    cells = ("",) * (columns - 1) + (number(amount, 2),)
    if kind == "total":
        return Row(cells, "total", word)
    return Row(cells, "subtotal" if kind == "subtotal" else "plain", word)
