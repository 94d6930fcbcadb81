"""What projects and users have of a bill, and the use that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from models.format import hours, number, percent
from models.words import reason_word, resource_word, unit_word
from reports.bill import Share
from reports.paper.kit.block import Block
from reports.paper.kit.parts import heading, note, noted
from reports.paper.kit.table import Column, Row, table
from reports.paper.say import Say

LIMIT = 20
"""Projects or users that the statement names; it adds the others up and the details name them all."""


def shares(say: Say) -> list[Block]:
    """Subtotals by project and by user, then what was not charged."""
    bill = say.bill
    projects = share_table(say, largest(bill.by_project), "project", rest=bill.by_project)
    users = share_table(say, largest(bill.by_user), "user", rest=bill.by_user)
    blocks: list[Block] = []
    if projects:
        blocks += [heading(say("by_project")), *projects]
    if users:
        blocks += [heading(say("by_user")), *users]
    if blocks:
        blocks = noted(blocks, say("shares_note"))
    return [*blocks, *_not_charged(say)]


def largest(found: Sequence[Share]) -> list[Share]:
    """The shares that the statement names, largest first."""
    order = sorted(
        found, key=lambda share: (-share.billed_cost, -share.device_hours, -share.core_hours, share.key)
    )
    return order[:LIMIT] if len(order) > LIMIT + 1 else order


def share_table(say: Say, shown: Sequence[Share], kind: str, *, rest: Sequence[Share]) -> list[Block]:
    """A table of `shown` projects or users out of `rest`, what is not shown in one row, and the total."""
    everything = _sum(rest)
    named = any(share.name for share in rest)
    carded = any(share.cost_card for share in rest)
    core, device = everything.core_hours != 0, everything.device_hours != 0
    parts = everything.billed_cost > 0 and min(share.billed_cost for share in rest) >= 0 if rest else False

    def row(share: Share, row_kind: str) -> Row:
        cells = (
            share.key,
            *([share.name] if named else []),
            *([share.cost_card] if carded else []),
            number(share.runs, 0),
            *([hours(share.core_hours)] if core else []),
            *([hours(share.device_hours)] if device else []),
            number(share.billed_cost, 2),
            *([percent(share.billed_cost / everything.billed_cost).removesuffix("%")] if parts else []),
        )
        return Row(cells, "total" if row_kind == "total" else "plain")

    columns = [
        Column(say(kind), cut=True),
        *([Column(say("name" if kind == "project" else "person"))] if named else []),
        *([Column(say("cost_card"))] if carded else []),
        Column(say("runs"), number=True),
        *([Column(say("core_hours"), number=True)] if core else []),
        *([Column(say("device_hours"), number=True)] if device else []),
        Column(say("amount", currency=say.symbol), number=True),
        *([Column(say("share"), number=True)] if parts else []),
    ]
    rows = [row(share, "plain") for share in shown]
    left = len(rest) - len(shown)
    if left:
        rows.append(row(_less(everything, _sum(shown), say(f"other_{kind}s", count=left)), "plain"))
    return table(columns, [*rows, row(_named(everything, say("total")), "total")]) if rest else []


def _sum(found: Sequence[Share]) -> Share:
    zero = Decimal(0)
    return Share(
        key="",
        name="",
        cost_card="",
        runs=sum(share.runs for share in found),
        core_hours=sum((share.core_hours for share in found), zero),
        device_hours=sum((share.device_hours for share in found), zero),
        billed_cost=sum((share.billed_cost for share in found), zero),
    )


def _less(whole: Share, part: Share, key: str) -> Share:
    return Share(
        key=key,
        name="",
        cost_card="",
        runs=whole.runs - part.runs,
        core_hours=whole.core_hours - part.core_hours,
        device_hours=whole.device_hours - part.device_hours,
        billed_cost=whole.billed_cost - part.billed_cost,
    )


def _named(share: Share, key: str) -> Share:
    return _less(share, _sum(()), key)


def _not_charged(say: Say) -> list[Block]:
    """Use that costs nothing, with the reason."""
    found = say.bill.not_charged
    if not found:
        return [note(say("not_charged_none"), space=10.0)]
    columns = [
        Column(say("reason")),
        Column(say("resource")),
        Column(say("unit")),
        Column(say("runs"), number=True),
        Column(say("quantity"), number=True),
    ]
    rows = [
        Row(
            (
                reason_word(use.reason, say.lang),
                resource_word(use.resource, say.lang),
                unit_word(use.unit, say.lang),
                number(use.runs, 0),
                hours(use.quantity),
            )
        )
        for use in found
    ]
    return [heading(say("not_charged")), *table(columns, rows)]
