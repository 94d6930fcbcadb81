"""The last pages of the capacity report: what idle capacity is worth, and who would carry it under three policies."""

from __future__ import annotations

from decimal import Decimal

from models.format import hours, money, number, period_text
from models.units import in_units, unit_of
from models.words import resource_word, unit_word
from reports.capacity import Capacity
from reports.capacity_cost import CENTRE
from reports.paper.capacity_say import Say
from reports.paper.kit.block import Block
from reports.paper.kit.parts import heading, noted, title
from reports.paper.kit.table import Column, Row, table


def cost_blocks(found: Capacity, say: Say) -> list[Block]:
    """Values and bearers on pages of their own."""
    return [
        title(say("cost"), period_text(found.frame.facts.period, say.lang), new_page=True),
        heading(say("cost_values")),
        *noted(_values(found, say), say("cost_values_note")),
        heading(say("cost_bearers")),
        *noted(_bearers(found, say), say("cost_bearers_note")),
    ]


def _values(found: Capacity, say: Say) -> list[Block]:
    currency = found.frame.facts.currency
    columns = [
        Column(say("cluster")), Column(say("resource")), Column(say("unit")), Column(say("idle_hours"), number=True),
        Column(say("mean_price"), number=True), Column(say("value"), number=True),
    ]  # fmt: skip
    rows = [
        Row(
            (
                one.cluster,
                resource_word(one.resource, say.lang),
                unit_word(unit_of(one.resource).unit, say.lang),
                hours(in_units(one.idle, unit_of(one.resource), 2)),
                number(one.price, 4),
                money(None if one.price is None else one.value, currency),
            )
        )
        for one in found.costs.values
    ]
    rows.append(Row((say("total"), "", "", "", "", money(found.costs.total, currency)), "total"))
    return table(columns, rows)


def _bearers(found: Capacity, say: Say) -> list[Block]:
    currency = found.frame.facts.currency
    names = ("cost_centre", "cost_reservation", "cost_use")
    columns = [Column(say("tenant")), *(Column(say(name), number=True) for name in names)]
    rows = []
    for one in found.costs.burdens:
        name = one.name_en if say.lang == "en" and one.name_en else one.name
        word = say("centre") if one.tenant == CENTRE else name or one.tenant
        amounts = (one.centre, one.reservation, one.use)
        rows.append(Row((word, *(money(amount, currency) for amount in amounts))))
    sums = [
        sum(
            (
                amounts[n]
                for amounts in ((one.centre, one.reservation, one.use) for one in found.costs.burdens)
            ),
            Decimal(0),
        )
        for n in range(3)
    ]
    rows.append(Row((say("total"), *(money(amount, currency) for amount in sums)), "total"))
    return table(columns, rows)
