"""The capacity report as a PDF: for each cluster the month as a statement, its days, partitions, waste and reservations."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from models.catalogue import text
from models.format import hours, local_text, number, percent, period_text
from models.units import CORE, in_units, unit_of
from models.words import resource_word, state_word
from reports.capacity import Capacity
from reports.capacity_types import TERMS, ClusterCapacity, Part, Went, devices, failed_share
from reports.paper.capacity_chart import Layer, Stacks, stacks
from reports.paper.capacity_cost import cost_blocks
from reports.paper.capacity_say import Say
from reports.paper.kit.block import Block
from reports.paper.kit.document import Furniture, write_document
from reports.paper.kit.parts import figures, heading, note, noted, pairs, paragraph, title
from reports.paper.kit.table import Column, Row, table

# Safe for colour-blind eyes, and told apart in grey; idle is pale, what is not known is an outline.
COLORS = {
    "allocated": "#1F4E79",
    "reserved_idle": "#E08A1E",
    "idle": "#C9D6E3",
    "maintenance": "#7A6FB0",
    "drained": "#C9B037",
    "down": "#B8476B",
    "unknown": "#8C8C8C",
}
COLUMNS_AT_ONCE = 5


def write_pages(found: Capacity, path: Path, lang: str) -> int:
    """Write the report to `path` in `lang` and give its number of pages. The same data, the same bytes."""
    say = Say(lang)
    blocks: list[Block] = []
    for n, cluster in enumerate(found.clusters):
        blocks += _cluster(found, cluster, say, first=n == 0)
    if found.clusters:
        blocks += cost_blocks(found, say)
    else:
        period = period_text(found.frame.facts.period, lang)
        blocks += [title(say("nothing_title"), period), paragraph(say("nothing"))]
    if found.without and found.clusters:
        blocks.append(note(say("without", clusters=", ".join(found.without))))
    return write_document(path, _furniture(found, say), blocks)


def _furniture(found: Capacity, say: Say) -> Furniture:
    facts, issuer = found.frame.facts, found.frame.issuer
    name = issuer.name_en if say.lang == "en" and issuer.name_en else issuer.name
    subject = say("subject", period=period_text(facts.period, say.lang))
    return Furniture(
        title=subject,
        author=name,
        subject=subject,
        creator=f"hesuan {facts.program_version}",
        lang=say.lang,
        letterhead=(name, subject),
        head=(name, subject),
        foot=say("foot", hash=facts.input_hash[:12], version=facts.program_version),
        page=text("bill.page", say.lang, page="{page}", pages="{pages}"),
        mark=text("bill.draft", say.lang) if found.frame.draft else "",
    )


def _cluster(found: Capacity, cluster: ClusterCapacity, say: Say, *, first: bool) -> list[Block]:
    period = period_text(found.frame.facts.period, say.lang)
    cores = [
        Part(day.name, day.day, tuple(one for one in day.went if one.resource == "cpu"))
        for day in cluster.days
    ]
    cards = [Part(day.name, day.day, devices(day.went)) for day in cluster.days]
    blocks = [
        title(say("title", cluster=cluster.name), period, new_page=not first),
        _key(cluster, say),
        heading(say("statement")),
        *_statement(cluster.total, say),
        note(say("statement_note")),
        *_chart(cores, cluster.total, "cpu", say),
        *_chart(cards, devices(cluster.total), "devices", say),
        heading(say("partitions")),
        *noted(_partitions(cluster, say), say("partitions_note")),
        *_waste(cluster, say),
        *_reservations(cluster, found.frame.facts.timezone, say),
        heading(say("days_cpu")),
        *_days(cores, say),
    ]
    if any(part.went for part in cards):
        blocks += [heading(say("days_devices")), *_days(cards, say)]
    return [*blocks, *_sources(cluster, found.frame.facts.timezone, say)]


def _key(cluster: ClusterCapacity, say: Say) -> Block:
    """Utilisation of cores and of devices, and how much of the month's records were read."""
    known = []
    shown = [("cpu", next((one for one in cluster.total if one.resource == "cpu"), None))]
    shown += [("devices_key", one) for one in devices(cluster.total)]
    for name, went in shown:
        if went is not None:
            used = in_units(went.in_use, went.unit, 0)
            available = in_units(went.available, went.unit, 0)
            aside = say(
                "utilisation_aside", used=number(used, 0), available=number(available, 0), unit=say.unit(went)
            )
            known.append((say(name), percent(went.utilisation), aside))
    source = cluster.source
    aside = say("coverage_full")
    if source.declared_s < source.period_s:
        declared = percent(Decimal(source.declared_s) / source.period_s)
        aside = say("coverage_part", declared=declared)
    return figures([*known, (say("coverage"), percent(source.coverage), aside)])


def _statement(total: Sequence[Went], say: Say) -> list[Block]:
    """The identity as a column of sums for each resource."""
    blocks: list[Block] = []
    for n in range(0, len(total), COLUMNS_AT_ONCE):
        went = total[n : n + COLUMNS_AT_ONCE]
        columns = [
            Column(say("item")),
            *(Column(say.resource(one), say.unit(one), number=True) for one in went),
        ]
        capacity = [one.shown_capacity() for one in went]
        rows = [Row((say("term_capacity"), *(hours(whole) for whole, _ in capacity)))]
        if any(one.over for one in went):
            rows.append(Row((say("term_over"), *(hours(over) for _, over in capacity))))
            rows.append(
                Row((say("term_sum"), *(hours(whole + over) for whole, over in capacity)), "subtotal")
            )
        parts = [one.shown() for one in went]
        rows += [
            Row((say(f"term_{term}"), *(hours(part[k]) for part in parts))) for k, term in enumerate(TERMS)
        ]
        rows.append(Row((say("utilisation"), *(percent(one.utilisation) for one in went)), "total"))
        blocks += table(columns, rows)
    return blocks


def _chart(days: Sequence[Part], total: Sequence[Went], name: str, say: Say) -> list[Block]:
    """Days as stacks; nothing where the cluster has none of the resource."""
    went = next((one for one in total if one.resource == name), None)
    if went is None:
        return []
    values = [day.went[0].shown() if day.went else (Decimal(0),) * len(TERMS) for day in days]
    layers = [
        Layer(say(f"term_{term}"), COLORS[term], [value[k] for value in values], open=term == "unknown")
        for k, term in enumerate(TERMS)
    ]
    ticks = [
        (n, f"{day.day:%m-%d}")
        for n, day in enumerate(days)
        if day.day and (day.day.day in {1, 8, 15, 22, 29})
    ]
    used = went.utilisation
    head = say("chart_nothing") if used is None else say(f"chart_{name}", percent=percent(used))
    highest = max((sum(value, Decimal(0)) for value in values), default=Decimal(0))
    return [stacks(Stacks(head, say(f"chart_{name}_sub"), layers, ticks, hours(highest)))]


def _short(went: Went) -> tuple[Decimal, ...]:
    """Capacity with what is beyond it, allocated, reserved idle, idle, out of service, unknown: they add up as printed."""
    allocated, reserved, idle, *out, unknown = went.shown()
    return sum(went.shown_capacity(), Decimal(0)), allocated, reserved, idle, sum(out, Decimal(0)), unknown


def _short_columns(say: Say) -> list[Column]:
    names = (
        "term_capacity",
        "term_allocated",
        "term_reserved_idle",
        "term_idle",
        "out_of_service",
        "term_unknown",
        "utilisation",
    )
    return [Column(say(name), number=True) for name in names]


def _short_cells(went: Went) -> list[str]:
    return [*(hours(value) for value in _short(went)), percent(went.utilisation)]


def _partitions(cluster: ClusterCapacity, say: Say) -> list[Block]:
    columns = [Column(say("partition")), Column(say("resource")), *_short_columns(say)]
    rows = []
    for part in cluster.partitions:
        shown = [one for one in part.went if one.resource != "mem"]
        rows += [
            Row((part.name if n == 0 else "", say.resource(one), *_short_cells(one)))
            for n, one in enumerate(shown)
        ]
    return table(columns, rows)


def _days(days: Sequence[Part], say: Say) -> list[Block]:
    columns = [Column(say("day")), *_short_columns(say)]
    return table(columns, [Row((str(day.day), *_short_cells(one))) for day in days for one in day.went])


def _waste(cluster: ClusterCapacity, say: Say) -> list[Block]:
    """What runs held by how they ended; memory is left to the workbook."""
    names = ("runs", "held", "told", "used", "unused")
    columns = [
        Column(say("resource")), Column(say("state")), *(Column(say(name), number=True) for name in names),
    ]  # fmt: skip
    rows, before = [], ""
    for one in cluster.waste:
        if one.resource == "mem":
            continue
        unit = unit_of(one.resource)
        held, told, used = (in_units(value, unit, 2) for value in (one.held, one.told, one.used))
        known = [hours(told), hours(used), hours(told - used)] if one.told else [hours(None)] * 3
        word = resource_word(one.resource, say.lang)
        state = state_word(one.state, say.lang)
        rows.append(Row((word if word != before else "", state, number(one.runs, 0), hours(held), *known)))
        before = word
    if not rows:
        return []
    held_ms, share = failed_share(cluster)
    line = say("failed_share", hours=hours(in_units(held_ms, CORE, 2)), percent=percent(share))
    return [heading(say("waste")), paragraph(line), *noted(table(columns, rows), say("waste_note"))]


def _reservations(cluster: ClusterCapacity, zone: str, say: Say) -> list[Block]:
    columns = [
        Column(say("reservation")), Column(say("tenant")), Column(say("from")), Column(say("to")),
        Column(say("resource")), Column(say("kept"), number=True), Column(say("kept_idle"), number=True),
    ]  # fmt: skip
    rows = []
    for one in cluster.reserved:
        if one.resource != "mem":
            unit = unit_of(one.resource)
            rows.append(
                Row(
                    (
                        one.reservation,
                        one.tenant or "—",
                        local_text(one.start_s, zone)[5:16],
                        local_text(one.end_s, zone)[5:16],
                        resource_word(one.resource, say.lang),
                        hours(in_units(one.kept, unit, 2)),
                        hours(in_units(one.idle, unit, 2)),
                    )
                )
            )
    if not rows:
        return []
    return [heading(say("reservations")), *noted(table(columns, rows), say("reservations_note"))]


def _sources(cluster: ClusterCapacity, zone: str, say: Say) -> list[Block]:
    source = cluster.source
    nodes = say(
        "source_nodes_value",
        nodes=number(source.nodes, 0),
        snapshots=number(source.snapshots, 0),
        first=local_text(source.first_taken_s, zone)[:16],
        last=local_text(source.last_taken_s, zone)[:16],
    )
    events, reservations = (
        say(f"source_{name}_none")
        if read is None
        else say("source_events_value", to=local_text(read, zone)[:16])
        for name, read in (("events", source.events_to_s), ("reservations", source.reservations_to_s))
    )
    items = [
        (say("source_nodes"), nodes),
        (say("source_events"), events),
        (say("source_reservations"), reservations),
    ]
    items.append((say("source_records"), percent(source.coverage)))
    assumed = sum(one.assumed for one in cluster.total if one.resource == "cpu")
    if assumed:
        items.append(
            (say("source_assumed"), say("source_assumed_value", hours=hours(in_units(assumed, CORE, 2))))
        )
    return [
        heading(say("sources")),
        *pairs(items, columns=1),
        note(say("even_note") + " " + say("zone_note", zone=zone)),
    ]
