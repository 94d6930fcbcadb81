"""The first page of a bill.

It answers who pays whom, for which month, how much, why, against the month before, and what to do if it is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from models.format import (
    MINUS,
    MONTHS,
    UNKNOWN,
    change,
    hours,
    local_text,
    number,
    percent,
    places_of,
)
from models.rmb import rmb_upper
from reports.bill import Bill, Share
from reports.paper.kit.block import Block
from reports.paper.kit.chart import Bars, bars
from reports.paper.kit.parts import GUTTER, figures, heading, note, pairs, paragraph, title
from reports.paper.kit.parts import beside as side_by_side
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import ACCENT, BODY, FIGURE, HEADING_2, INK, MARGIN, NOTE, SECONDARY, WIDTH
from reports.paper.kit.table import Column, Row, table
from reports.paper.kit.text import wrap
from reports.paper.say import Say

_ITEMS = 5
_CHART_HEIGHT = 104.0


def front(say: Say) -> list[Block]:
    """The blocks of the answers, then the particulars of both sides."""
    bill = say.bill
    blocks = [title(say("title"), bill.number), _who(say), _amount(say)]
    if bill.draft:
        blocks.append(note(say("draft_note")))
    blocks += [heading(say("why")), _why(say), _figures(say), heading(say("wrong"), 3), _wrong(say)]
    return [*blocks, heading(say("basics")), *_basics(say)]


def rate_text(rate: Decimal) -> str:
    """A tax rate with the decimals that it has: 6%, 1.5%."""
    return percent(rate, places_of((rate * 100).normalize()))


def _who(say: Say) -> Block:
    gross = say.bill.tax.gross
    key = "who_pays" if gross > 0 else "who_refund" if gross < 0 else "who_nothing"
    values = {"payer": say.payer, "issuer": say.issuer, "period": say.period}
    if gross < 0:
        values["amount"] = say.money(-gross)
    return paragraph(say(key, **values), size=HEADING_2, leading=19.0, space=10.0)


def _amount(say: Say) -> Block:
    """The amount, large, in capitals where it is in yuan, with what is tax."""
    tax = say.bill.tax
    word = say("due") if tax.mode == "none" else say("due_taxed")
    lines = []
    if say.bill.currency == "CNY":
        lines += wrap(say("capitals", capitals=rmb_upper(tax.gross)), BODY, WIDTH)
    taxed = {"net": say.money(tax.net), "tax": say.money(tax.tax), "rate": rate_text(tax.rate)}
    lines += wrap(say("no_tax") if tax.mode == "none" else say("tax_split", **taxed), BODY, WIDTH)

    def paint(pen: Pen, top: float) -> None:
        pen.text(MARGIN, top - 9.0, word, NOTE, color=SECONDARY)
        pen.text(MARGIN, top - 37.0, say.money(tax.gross), FIGURE, bold=True, color=ACCENT)
        for n, line in enumerate(lines):
            pen.text(MARGIN, top - 54.0 - n * 14.0, line, BODY, color=INK)

    return Block(46.0 + 14.0 * len(lines), paint, space=6.0)


def _why(say: Say) -> Block:
    """The largest items left, the month's chart right; a sentence where nothing was used or charged."""
    half = (WIDTH - 2 * GUTTER) / 2
    chart, items = _chart(say), _items(say, half)
    drawn = [bars(chart, x=MARGIN + half + 2 * GUTTER, wide=half, high=_CHART_HEIGHT)] if chart else []
    return side_by_side(items, drawn, space=2.0) if items or drawn else note(say("no_use"))


def _items(say: Say, wide: float) -> list[Block]:
    """The five largest items, and the rest as one, with their shares where all amounts have the same sign."""
    sums: dict[tuple[str, str], Decimal] = {}
    for line in say.bill.lines:
        key = (line.item, say.either(line.name, line.name_en) or line.item)
        sums[key] = sums.get(key, Decimal(0)) + line.billed_cost
    items = sorted(((name, amount) for (_, name), amount in sums.items()), key=lambda item: -abs(item[1]))
    shown, rest = items[:_ITEMS], items[_ITEMS:]
    if rest:
        shown.append((say("other_items", count=len(rest)), sum((amount for _, amount in rest), Decimal(0))))
    total = say.bill.billed_total
    parts = total > 0 and min(sums.values()) >= 0
    word = say("largest_items", count=_ITEMS) if rest else say("all_items")
    columns = [Column(word), Column(say("amount", currency=say.symbol), number=True)]
    if parts:
        columns.append(Column(say("share"), number=True))
    rows = [
        Row((name, number(amount, 2), *([percent(amount / total).removesuffix("%")] if parts else [])))
        for name, amount in shown
    ]
    return table(columns, rows, wide=wide)


def _by_day(bill: Bill, measure: str) -> list[Decimal]:
    """`measure` of every day of the bill, 0 for days without use."""
    found: dict[str, Share] = {share.key: share for share in bill.by_day}
    count = (bill.last_day - bill.first_day).days + 1
    days = [(bill.first_day + timedelta(days=n)).isoformat() for n in range(count)]
    return [getattr(found[day], measure) if day in found else Decimal(0) for day in days]


def _chart(say: Say) -> Bars | None:
    """Amounts by day, or the hours where nothing costs anything; None where there was no use."""
    for measure, word in (("billed_cost", "amount"), ("core_hours", "core"), ("device_hours", "device")):
        values = _by_day(say.bill, measure)
        if any(value > 0 for value in values):
            return _bars(say, word, values)
    return None


def _bars(say: Say, word: str, values: list[Decimal]) -> Bars:
    first = say.bill.first_day
    highest = max(range(len(values)), key=lambda n: (values[n], -n))
    peak = first + timedelta(days=highest)
    amount = word == "amount"
    said = {
        "day": say("chart_day", month=peak.month, day=peak.day, name=MONTHS[peak.month - 1]),
        "value": (
            say.money(values[highest])
            if amount
            else say(f"chart_{word}_value", hours=number(values[highest], 0))
        ),
    }
    if min(values) >= 0:
        share = percent(values[highest] / sum(values, Decimal(0)))
        heading_text = say("chart_peak", **said, share=share)
    else:
        heading_text = say("chart_peak_alone", **said)
    last = len(values) - 1
    marks = [n for n in range(len(values)) if n == 0 or ((n + 1) % 5 == 0 and n < last - 1)] + [last]
    return Bars(
        title=heading_text,
        subtitle=say(f"chart_{word}", unit=say.symbol) if amount else say(f"chart_{word}"),
        values=values,
        ticks=[(n, str((first + timedelta(days=n)).day)) for n in dict.fromkeys(marks)],
        label=lambda value: number(value, 0),
    )


def _figures(say: Say) -> Block:
    bill = say.bill
    zero = Decimal(0)
    core = sum((share.core_hours for share in bill.by_user), zero)
    device = sum((share.device_hours for share in bill.by_user), zero)
    return figures(
        [
            (say("compared"), *_compared(say)),
            (say("core_hours"), hours(core), say("used_core")),
            (say("device_hours"), hours(device), say("used_device")),
            (say("runs"), number(bill.runs_count, 0), say("used_runs")),
        ],
        space=12.0,
    )


def _compared(say: Say) -> tuple[str, str]:
    """The change against the month before, and the two amounts that it is of; before tax, for rates may differ."""
    now, before = say.bill.tax.net, say.bill.previous_net
    if before is None:
        return UNKNOWN, say("compared_none", before=say.month_before)
    if now == before:
        said = say("compared_same", before=say.month_before)
    else:
        said = say(
            "compared_more" if now > before else "compared_less",
            before=say.month_before,
            amount=say.money(before),
            difference=say.money(abs(now - before)),
        )
    if say.bill.tax.mode != "none":
        said = say("before_tax", text=said)
    percents = change(now, before)
    if percents == UNKNOWN or now > 10 * before:
        percents = ("+" if now > before else MINUS if now < before else "") + say.money(abs(now - before))
    return percents, said


def _wrong(say: Say) -> Block:
    issuer = say.bill.issuer
    office = say.either(issuer.department, issuer.name_en) or say.issuer
    contact = say.listed(office, issuer.phone, issuer.email)
    block = paragraph(
        say("wrong_text", days=issuer.dispute_days, contact=contact, number=say.bill.number),
        space=2.0,
        size=BODY,
    )
    return replace(block, keep_next=False)


def _basics(say: Say) -> list[Block]:
    """Number, period and both sides, two pairs a row."""
    bill, payer, issuer = say.bill, say.bill.payer, say.bill.issuer
    days = say("period_days", first=bill.first_day, last=bill.last_day, zone=bill.timezone)
    read_to = local_text(bill.facts.read_to_s, bill.timezone)
    blocks = pairs(
        [
            (say("number"), bill.number),
            (say("period"), days),
            (say("payer"), say.payer),
            (say("issuer"), say.issuer),
            (say("cost_card"), payer.cost_card),
            (say("payee_account"), issuer.payee_account),
            (say("contact"), payer.contact),
            (say("issuer_contact"), say.listed(issuer.address, issuer.phone, issuer.email)),
            (say("tariffs"), say.tariffs),
            (say("read_to"), read_to),
            (say("user_class"), payer.user_class),
        ]
    )
    return [*blocks[:-1], replace(blocks[-1], keep_next=False)]
