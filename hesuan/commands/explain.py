"""`hesuan explain PERIOD LINE`: from a bill line down to its records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from hesuan.context import Context
from hesuan.language import words
from models.format import local_text, money, number, price
from models.mart import mart_reader, read_facts
from models.store import raw_reader
from models.words import resource_word, state_word, unit_word
from reports.explanation import Explanation, with_records
from reports.explanation import explain as explained


def explain(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    line: Annotated[str, typer.Argument(help=words("explain_line"))],
    job: Annotated[str, typer.Option("--job", help=words("explain_job"))] = "",
    limit: Annotated[int, typer.Option("--runs", min=0, help=words("explain_runs"))] = 5,
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> None:
    """Show why a line is what it is."""
    call: Context = context.obj
    with mart_reader(call.paths.marts, call.month(period)) as mart:
        found = explained(mart, line, job=job, limit=limit)
        zone = read_facts(mart).timezone
    if call.paths.raw.exists():  # a mart explains itself; the words of the source stand beside it
        with raw_reader(call.paths.raw) as raw:
            found = with_records(found, raw)
    if as_json:
        typer.echo(json.dumps(asdict(found), default=str, ensure_ascii=False))
        return
    for key, values in _sentences(found, call.lang, zone):
        call.answer(f"explain.{key}", **values)


def _sentences(found: Explanation, lang: str, zone: str) -> Iterator[tuple[str, dict[str, object]]]:
    unit = unit_word(found.unit, lang)
    yield "head", {"line": found.line, "tenant": found.tenant_name, "item": found.item, "name": found.name}
    yield (
        "formula",
        {
            "quantity": found.quantity,
            "unit": unit,
            "price": price(found.price),
            "amount": money(found.amount, found.currency),
            "list_price": price(found.list_price),
            "list_amount": money(found.list_amount, found.currency),
        },
    )
    yield (
        "quantity",
        {
            "base": number(found.priced_base, 0),
            "base_unit": found.base_unit,
            "per": number(found.base_per_unit, 0),
            "quantity": found.quantity,
            "unit": unit,
        },
    )
    if found.consumed_base != found.priced_base:
        rest = number(found.consumed_base - found.priced_base, 0)
        yield (
            "consumed",
            {"consumed": number(found.consumed_base, 0), "rest": rest, "base_unit": found.base_unit},
        )
    yield (
        "tariff",
        {
            "version": found.tariff_version,
            "hash": found.tariff_sha256[:12],
            "line_no": found.tariff_line_no,
            "pattern": ", ".join(f"{name}={pattern}" for name, pattern in found.pattern),
            "resource": resource_word(found.resource, lang),
        },
    )
    yield "runs", {"shown": len(found.runs), "runs": number(found.runs_count, 0)}
    for run in found.runs:
        yield (
            "run",
            {
                "cluster": run.cluster,
                "job_id": run.job_id,
                "user": run.user,
                "state": state_word(run.state, lang),
                "begin": local_text(run.begin_s, zone),
                "end": local_text(run.reach_s, zone),
                "zone": zone,
                "tres": run.alloc_tres or "-",
                "quantity": run.quantity,
                "unit": unit,
                "amount": money(run.amount, found.currency),
            },
        )
        if run.record:
            yield "record", {"origin": run.batch, "record_no": run.record_no, "record": run.record}
