"""What projects and users have of a bill, and the use that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from models.format import UNKNOWN, hours, number, percent
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
    blocks: list[Block] = []
    for kind, everyone in (("project", bill.by_project), ("user", bill.by_user)):
        if everyone:
            blocks += [heading(say(f"by_{kind}")), *share_table(say, kind, largest(everyone), everyone)]
    if blocks:
        blocks = noted(blocks, say("shares_note"))
    return [*blocks, *_not_charged(say)]


def largest(everyone: Sequence[Share]) -> list[Share]:
    """The shares that the statement names, largest first; a single one more than `LIMIT` is named too."""
    order = sorted(
        everyone, key=lambda share: (-share.billed_cost, -share.device_hours, -share.core_hours, share.key)
    )
    return order[:LIMIT] if len(order) > LIMIT + 1 else order


def share_table(say: Say, kind: str, shown: Sequence[Share], everyone: Sequence[Share]) -> list[Block]:
    """A table of `shown` out of `everyone`, all others in one row, and the total.

    Args:
        say: the bill and its language.
        kind: `project` or `user`.
        shown: the rows, in order.
        everyone: all shares, at least one; columns that are empty or zero for all of them are left out.
    """
    whole = replace(_sum(everyone), key=say("total"))
    named = any(share.name for share in everyone)
    carded = any(share.cost_card for share in everyone)
    core, device = whole.core_hours != 0, whole.device_hours != 0
    parts = whole.billed_cost > 0 and min(share.billed_cost for share in everyone) >= 0

    def cells(share: Share) -> tuple[str, ...]:
        return (
            share.key or UNKNOWN,
            *([share.name] if named else []),
            *([share.cost_card] if carded else []),
            number(share.runs, 0),
            *([hours(share.core_hours)] if core else []),
            *([hours(share.device_hours)] if device else []),
            number(share.billed_cost, 2),
            *([percent(share.billed_cost / whole.billed_cost).removesuffix("%")] if parts else []),
        )

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
    rows = [Row(cells(share)) for share in shown]
    left = len(everyone) - len(shown)
    if left:
        rows.append(Row(cells(_less(whole, _sum(shown), say(f"other_{kind}s", count=left)))))
    return table(columns, [*rows, Row(cells(whole), "total")])


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
    return replace(
        whole,
        key=key,
        runs=whole.runs - part.runs,
        core_hours=whole.core_hours - part.core_hours,
        device_hours=whole.device_hours - part.device_hours,
        billed_cost=whole.billed_cost - part.billed_cost,
    )


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
