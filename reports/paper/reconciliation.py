"""The reconciliation as a PDF: a page and a table for each cluster, then use against money and the checks."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from models.catalogue import text
from models.format import hours, money, number, period_text
from models.words import check_word, fate_word, finding_word, resource_word, unit_word
from reports.paper.kit.block import Block
from reports.paper.kit.document import Furniture, write_document
from reports.paper.kit.parts import figures, heading, note, noted, paragraph, title
from reports.paper.kit.table import Column, Row, table
from reports.reconciliation import FATES, ClusterRows, FateRow, Reconciliation


def write_pages(found: Reconciliation, path: Path, lang: str) -> int:
    """Write the reconciliation to `path` in `lang` and give its number of pages. The same data, the same bytes."""
    blocks: list[Block] = []
    for n, cluster in enumerate(found.clusters):
        blocks += _cluster(found, cluster, lang, first=n == 0)
    if not found.clusters:
        blocks += [
            title(_say("title", lang), period_text(found.frame.facts.period, lang)),
            paragraph(_say("nothing", lang)),
        ]
    blocks += _money(found, lang)
    return write_document(path, _furniture(found, lang), blocks)


def _say(name: str, lang: str, **values: object) -> str:
    return text(f"reconciliation.{name}", lang, **values)


def _furniture(found: Reconciliation, lang: str) -> Furniture:
    facts, issuer = found.frame.facts, found.frame.issuer
    name = issuer.name_en if lang == "en" and issuer.name_en else issuer.name
    subject = _say("subject", lang, period=period_text(facts.period, lang))
    return Furniture(
        title=subject,
        author=name,
        subject=subject,
        creator=f"hesuan {facts.program_version}",
        lang=lang,
        letterhead=(name, subject),
        head=(name, subject),
        foot=_say("foot", lang, hash=facts.input_hash[:12], version=facts.program_version),
        page=text("bill.page", lang, page="{page}", pages="{pages}"),
        mark=text("bill.draft", lang) if found.frame.draft else "",
    )


def _cluster(found: Reconciliation, cluster: ClusterRows, lang: str, *, first: bool) -> list[Block]:
    head = title(
        _say("cluster", lang, cluster=cluster.cluster),
        period_text(found.frame.facts.period, lang),
        new_page=not first,
    )
    billed = sum(row.records for row in cluster.fates if row.fate == "billed")
    open_questions = sum(row.records for row in cluster.fates if row.fate in {"held", "rejected"})
    key = figures(
        [
            (_say("records_in", lang), number(cluster.records, 0), _say("records_read", lang, read=number(cluster.read, 0), elsewhere=number(cluster.elsewhere, 0))),
            (_say("records_billed", lang), number(billed, 0), _say("records_billed_aside", lang)),
            (_say("records_open", lang), number(open_questions, 0), _say("records_open_aside", lang)),
        ]
    )  # fmt: skip
    return [
        head,
        key,
        heading(_say("records", lang)),
        *noted(_fate_table(cluster, lang), _say("records_note", lang)),
        heading(_say("use", lang)),
        *noted(_use_table(cluster, lang), _say("use_note", lang)),
    ]


def _fate_table(cluster: ClusterRows, lang: str) -> list[Block]:
    columns = [
        Column(_say("fate", lang)),
        Column(_say("reason", lang)),
        Column(_say("records_column", lang), number=True),
        Column(_say("core_hours", lang), number=True),
    ]
    rows: list[Row] = []
    for fate in FATES:
        of_fate = [row for row in cluster.fates if row.fate == fate]
        word = fate_word(fate, lang)
        if len(of_fate) != 1:
            count = number(sum(row.records for row in of_fate), 0)
            rows.append(Row((word, "", count, _sum_text(of_fate)), "subtotal" if of_fate else "plain"))
            word = ""
        rows += [_fate_row(row, word, finding_word(row.reason, lang)) for row in of_fate]
    rows.append(
        Row((_say("records_in", lang), "", number(cluster.records, 0), _sum_text(cluster.fates)), "total")
    )
    return table(columns, rows)


def _fate_row(row: FateRow, word: str, reason: str) -> Row:
    return Row((word, reason, number(row.records, 0), hours(row.core_hours)))


def _sum_text(rows: list[FateRow] | tuple[FateRow, ...]) -> str:
    """Core-hours of all rows that can tell; a dash where none can."""
    known = [row.core_hours for row in rows if row.core_hours is not None]
    return hours(None if rows and not known else sum(known, Decimal(0)))


def _use_table(cluster: ClusterRows, lang: str) -> list[Block]:
    columns = [
        Column(_say("resource", lang)),
        Column(_say("unit", lang)),
        *(
            Column(_say(name, lang), number=True)
            for name in ("consumed", "priced", "free", "refunded", "unbilled")
        ),
    ]
    rows = [
        Row(
            (
                resource_word(row.resource, lang),
                unit_word(row.unit, lang),
                *(
                    number(part, 4)
                    for part in (row.consumed, row.priced, row.free, row.refunded, row.unbilled)
                ),
            )
        )
        for row in cluster.use
    ]
    return table(columns, rows)


def _money(found: Reconciliation, lang: str) -> list[Block]:
    currency = found.frame.facts.currency
    key = figures(
        [
            (_say("lines_sum", lang), money(found.lines, currency), _say("lines_aside", lang)),
            (
                _say("net_sum", lang),
                money(found.net, currency),
                _say("bills_aside", lang, tenants=found.tenants),
            ),
            (
                _say("gross_sum", lang),
                money(found.gross, currency),
                _say("tax_aside", lang, tax=money(found.tax, currency)),
            ),
        ]
    )
    columns = [Column(_say("check", lang)), Column(_say("result", lang))]
    rows = [
        Row((check_word(name, lang), _say("failed" if name in found.failed else "passed", lang)))
        for name in found.checks
    ]
    return [
        title(
            _say("money", lang), period_text(found.frame.facts.period, lang), new_page=bool(found.clusters)
        ),
        key,
        heading(_say("checks", lang)),
        *table(columns, rows),
        note(_say("failed_note" if found.failed else "passed_note", lang, period=found.frame.facts.period)),
    ]
