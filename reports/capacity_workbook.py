"""The capacity report as a workbook (XLSX): the month, days, partitions, nodes, runs by state, reservations, idle cost.

Hours carry six decimals; the CSV has the exact integers. The same data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from decimal import Decimal
from math import ceil
from pathlib import Path

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from models.calendar import period as period_of
from models.catalogue import text
from models.format import local_text, percent, period_text, symbol
from models.units import in_units, unit_of
from models.words import resource_word, state_word, unit_word
from reports.capacity import Capacity
from reports.capacity_cost import CENTRE
from reports.capacity_types import TERMS, ClusterCapacity, Part, Reserved, Went
from reports.files import replacing
from reports.workbook_cells import FONT, PLAIN, SECONDARY, Book
from reports.workbook_kit import Column, add_sheet, display_width, summed, write_table

PLACES = 6
ABOUT_WIDTH, LINE_HEIGHT = 100, 17


def write_capacity_workbook(found: Capacity, path: Path, lang: str) -> None:
    """Write the workbook to `path`, whole or not at all."""
    facts = found.frame.facts
    last = period_of(facts.period, facts.timezone).last_day
    with replacing(path) as part:
        workbook = xlsxwriter.Workbook(
            str(part), {**PLAIN, "default_format_properties": dict(FONT), "in_memory": True}
        )
        # Not the clock: the same data give the same bytes.
        created = datetime.combine(last, time(), UTC)
        workbook.set_properties(
            {"subject": facts.period, "author": found.frame.issuer.name, "created": created}
        )
        _Sheets(Book(workbook, lang, symbol(facts.currency)), found).write()
        workbook.close()


class _Sheets:
    """The sheets of one workbook."""

    def __init__(self, book: Book, found: Capacity) -> None:
        self._book = book
        self._found = found
        self._document = self._word("subject", period=period_text(found.frame.facts.period, book.lang))

    def _word(self, name: str, **values: object) -> str:
        return text(f"capacity.{name}", self._book.lang, **values)

    def _sheet(self, name: str) -> Worksheet:
        # In the footer a name that begins with a digit would be taken for the size of its letters.
        return add_sheet(self._book, self._word(name), f"capacity-{self._found.frame.facts.period}")

    def write(self) -> None:
        """All sheets, those with nothing to show left out."""
        self._about()
        clusters = self._found.clusters
        self._went("sheet_month", "", [(one, Part("", None, one.total)) for one in clusters])
        self._went("sheet_days", "day", [(one, day) for one in clusters for day in one.days])
        self._went(
            "sheet_partitions", "partition", [(one, part) for one in clusters for part in one.partitions]
        )
        self._went("sheet_nodes", "node", [(one, node) for one in clusters for node in one.nodes])
        self._waste()
        self._reservations()
        self._cost()

    def _about(self) -> None:
        """What it is, what it rests on, and what the words mean."""
        sheet, facts = self._sheet("about"), self._found.frame.facts
        sheet.set_column(0, 0, 24)
        sheet.set_column(1, 1, ABOUT_WIDTH)
        rows = [(self._document, "")]
        for cluster in self._found.clusters:
            source = cluster.source
            known = f"{source.nodes:,} / {source.snapshots:,} / {percent(source.coverage)}"
            words = " / ".join(self._word(name) for name in ("node", "source_nodes", "coverage"))
            rows.append((self._word("title", cluster=cluster.name), f"{words}: {known}"))
        rows += [
            ("", self._word(name))
            for name in ("statement_note", "partitions_note", "waste_note", "even_note")
        ]
        rows += [
            ("", self._word(name)) for name in ("reservations_note", "cost_values_note", "cost_bearers_note")
        ]
        rows.append(("", self._word("foot", hash=facts.input_hash, version=facts.program_version)))
        rows.append(("", self._word("zone_note", zone=facts.timezone)))
        for row, (label, value) in enumerate(rows):
            self._book.write_text(sheet, (row, 0), label, bold=row == 0, valign="top")
            self._book.write_text(sheet, (row, 1), value, text_wrap=True, valign="top", font_color=SECONDARY)
            # Not every program finds the height of a wrapped text by itself.
            sheet.set_row(row, LINE_HEIGHT * max(1, ceil(display_width(value) / (ABOUT_WIDTH - 4))))

    def _resource(self, resources: Sequence[str]) -> list[Column]:
        lang = self._book.lang
        return [
            Column(self._word("resource"), "text", [resource_word(one, lang) for one in resources]),
            Column(self._word("unit"), "text", [unit_word(unit_of(one).unit, lang) for one in resources]),
        ]

    def _went(self, name: str, label: str, parts: Sequence[tuple[ClusterCapacity, Part]]) -> None:
        """One row for each part and resource: the identity from left to right, then the utilisation in percent."""
        rows: list[tuple[str, Part, Went]] = [
            (cluster.name, part, went) for cluster, part in parts for went in part.went
        ]
        if not rows:
            return
        columns = [Column(self._word("cluster"), "text", [cluster for cluster, _, _ in rows])]
        if label == "day":
            columns.append(Column(self._word(label), "day", [part.day for _, part, _ in rows]))
        elif label:
            columns.append(Column(self._word(label), "text", [part.name for _, part, _ in rows]))
        columns += self._resource([went.resource for _, _, went in rows])
        columns += [
            Column(
                self._word(f"term_{term}"),
                "hours",
                [in_units(_term(went, term), went.unit, PLACES) for _, _, went in rows],
            )
            for term in ("capacity", "over", *TERMS)
        ]
        columns.append(
            Column(f"{self._word('utilisation')} (%)", "quantity", [_percent(went) for _, _, went in rows])
        )
        write_table(self._sheet(name), self._book, columns)

    def _waste(self) -> None:
        rows = [(cluster.name, one) for cluster in self._found.clusters for one in cluster.waste]
        if not rows:
            return

        def hours(values: Sequence[int | None]) -> list[Decimal | None]:
            pairs = zip(values, rows, strict=True)
            return [
                None if value is None else in_units(value, unit_of(one.resource), PLACES)
                for value, (_, one) in pairs
            ]

        columns = [
            Column(self._word("cluster"), "text", [cluster for cluster, _ in rows]),
            *self._resource([one.resource for _, one in rows]),
            Column(self._word("state"), "text", [state_word(one.state, self._book.lang) for _, one in rows]),
            Column(self._word("runs"), "count", [one.runs for _, one in rows]),
            Column(self._word("held"), "hours", hours([one.held for _, one in rows])),
            Column(self._word("told"), "hours", hours([one.told or None for _, one in rows])),
            Column(self._word("used"), "hours", hours([one.used if one.told else None for _, one in rows])),
            Column(
                self._word("unused"),
                "hours",
                hours([one.told - one.used if one.told else None for _, one in rows]),
            ),
        ]
        write_table(self._sheet("sheet_waste"), self._book, columns)

    def _reservations(self) -> None:
        zone = self._found.frame.facts.timezone
        rows: list[tuple[str, Reserved]] = [
            (cluster.name, one) for cluster in self._found.clusters for one in cluster.reserved
        ]
        if not rows:
            return
        columns = [
            Column(self._word("cluster"), "text", [cluster for cluster, _ in rows]),
            Column(self._word("reservation"), "text", [one.reservation for _, one in rows]),
            Column(self._word("tenant"), "text", [one.tenant or None for _, one in rows]),
            Column(self._word("from"), "text", [local_text(one.start_s, zone) for _, one in rows]),
            Column(self._word("to"), "text", [local_text(one.end_s, zone) for _, one in rows]),
            *self._resource([one.resource for _, one in rows]),
            Column(
                self._word("kept"),
                "hours",
                [in_units(one.kept, unit_of(one.resource), PLACES) for _, one in rows],
            ),
            Column(
                self._word("kept_idle"),
                "hours",
                [in_units(one.idle, unit_of(one.resource), PLACES) for _, one in rows],
            ),
        ]
        write_table(self._sheet("sheet_reservations"), self._book, columns)

    def _cost(self) -> None:
        """What idle time is worth, then who would carry it, each with its total."""
        values, burdens = self._found.costs.values, self._found.costs.burdens
        if not values:
            return
        priced = [one.value if one.price is not None else None for one in values]
        total = sum((value for value in priced if value is not None), Decimal(0))
        columns = [
            Column(self._word("cluster"), "text", [one.cluster for one in values]),
            *self._resource([one.resource for one in values]),
            Column(
                self._word("idle_hours"),
                "hours",
                [in_units(one.idle, unit_of(one.resource), PLACES) for one in values],
            ),
            Column(self._word("mean_price"), "price", [one.price for one in values]),
            Column(self._word("value"), "money", priced, "idle_value_total", total),
        ]
        write_table(self._sheet("cost_values"), self._book, columns, self._word("total"))
        names = [
            self._word("centre")
            if one.tenant == CENTRE
            else (one.name_en if self._book.lang == "en" and one.name_en else one.name) or one.tenant
            for one in burdens
        ]
        bearers = [
            Column(self._word("tenant"), "text", names),
            summed(self._word("cost_centre"), "money", [one.centre for one in burdens], "centre_total"),
            summed(
                self._word("cost_reservation"),
                "money",
                [one.reservation for one in burdens],
                "reservation_total",
            ),
            summed(self._word("cost_use"), "money", [one.use for one in burdens], "use_total"),
        ]
        write_table(self._sheet("sheet_cost"), self._book, bearers, self._word("total"))


def _term(went: Went, name: str) -> int:
    """`capacity`, `over` or one of TERMS, in base units."""
    return went.base(name) if name in TERMS else {"capacity": went.capacity, "over": went.over}[name]


def _percent(went: Went) -> Decimal | None:
    return None if went.utilisation is None else (went.utilisation * 100).quantize(Decimal("0.1"))
