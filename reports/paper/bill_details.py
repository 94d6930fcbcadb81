"""费用明细: every user's days, the most expensive runs, and where the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

from models.format import UNKNOWN, hours, local_text, number
from models.words import resource_word, state_word
from reports.bill import DayUse, RunRow
from reports.paper.bill_shares import largest, share_table
from reports.paper.kit.block import Block
from reports.paper.kit.parts import heading, noted, paragraph, title
from reports.paper.kit.table import Column, Row, table
from reports.paper.say import Say


def details(say: Say) -> list[Block]:
    """The blocks of the details, on a page of their own."""
    bill = say.bill
    blocks = [title(say("details"), bill.number, new_page=True)]
    for kind, found in (("project", bill.by_project), ("user", bill.by_user)):
        if len(largest(found)) < len(found):
            everyone = sorted(found, key=lambda share: share.key)
            blocks += [heading(say(f"all_{kind}s")), *share_table(say, kind, everyone, found)]
    if bill.day_users:
        blocks += [heading(say("by_day")), *_days(say)]
    if bill.largest_runs:
        blocks += _runs(say)
    return [*blocks, paragraph(say("rest", count=number(bill.runs_count, 0)), space=10.0)]


def _days(say: Say) -> list[Block]:
    """A row for each user, day and project, a subtotal for each user of more than one row, and the total."""
    uses = sorted(say.bill.day_users, key=lambda use: (use.user, use.day, use.project))
    core = any(use.core_hours for use in uses)
    device = any(use.device_hours for use in uses)

    def measures(found: Sequence[DayUse]) -> tuple[str, ...]:
        zero = Decimal(0)
        return (
            number(sum(use.runs for use in found), 0),
            *([hours(sum((use.core_hours for use in found), zero))] if core else []),
            *([hours(sum((use.device_hours for use in found), zero))] if device else []),
            number(sum((use.billed_cost for use in found), zero), 2),
        )

    columns = [
        Column(say("user"), cut=True),
        Column(say("day")),
        Column(say("project"), cut=True),
        Column(say("runs"), number=True),
        *([Column(say("core_hours"), number=True)] if core else []),
        *([Column(say("device_hours"), number=True)] if device else []),
        Column(say("amount", currency=say.symbol), number=True),
    ]
    rows: list[Row] = []
    for user, group in groupby(uses, key=lambda use: use.user):
        found = list(group)
        rows += [
            Row((use.user or UNKNOWN, use.day.isoformat(), use.project, *measures([use]))) for use in found
        ]
        if len(found) > 1:
            rows.append(Row((say("user_total", user=user or UNKNOWN), "", "", *measures(found)), "subtotal"))
    return table(columns, [*rows, Row((say("total"), "", "", *measures(uses)), "total")])


def _runs(say: Say) -> list[Block]:
    bill = say.bill
    runs = bill.largest_runs
    core = any(run.core_hours for run in runs)
    device = any(run.device_hours for run in runs)
    columns = [
        Column(say("run"), say("run_place"), cut=True),
        Column(say("run_name"), say("run_owner"), cut=True),
        Column(say("run_times")),
        Column(say("run_state"), say("run_devices") if device else "", cut=True),
        *([Column(say("core_hours"), number=True)] if core else []),
        *([Column(say("device_hours"), number=True)] if device else []),
        Column(say("amount", currency=say.symbol), number=True),
    ]
    word = say("runs_all" if len(runs) >= bill.runs_count else "runs_largest", count=len(runs))
    rows = [_run(say, run, core=core, device=device) for run in runs]
    return [heading(word), *noted(table(columns, rows), say("times_note", zone=bill.timezone))]


def _run(say: Say, run: RunRow, *, core: bool, device: bool) -> Row:
    zone = say.bill.timezone
    state = state_word(run.state, say.lang)
    policy = run.treatment.partition(":")[0]
    if policy != "bill":
        state = say.listed(
            state, say(f"treatment_{policy}" if policy in {"refund", "free"} else "treatment_other")
        )
    return Row(
        (
            (run.job_id, f"{run.cluster} / {run.partition}"),
            (run.job_name, f"{run.user} / {run.project}"),
            (local_text(run.start_s, zone), local_text(run.end_s, zone)),
            (state, resource_word(run.devices, say.lang) if run.devices else ""),
            *([hours(run.core_hours)] if core else []),
            *([hours(run.device_hours)] if device else []),
            number(run.billed_cost, 2),
        )
    )
