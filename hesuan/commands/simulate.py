"""`hesuan tariff simulate PERIOD --book FILE`: the same month under another price book."""

from __future__ import annotations

import json
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from hesuan import __version__
from hesuan.context import Context
from hesuan.language import words
from models.build import SitePaths, build
from models.calendar import month_before
from models.catalogue import text
from models.format import change, money
from models.mart import mart_path, mart_reader, publish, read_facts, read_manifest
from reports.files import write_table
from reports.simulation import Difference, as_table, differences


def simulate(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    book: Annotated[Path, typer.Option("--book", help=words("simulate_book"))],
    out: Annotated[Path | None, typer.Option("--out", help=words("simulate_out"))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> None:
    """Price a built month under another book; the site's marts and ledger stay as they are."""
    call: Context = context.obj
    mart_path(call.paths.marts, period)
    other = call.read_book(book)
    with tempfile.TemporaryDirectory(prefix="hesuan-") as folder:
        scratch = Path(folder) / "mart"
        _take_over(call.paths.marts, scratch, month_before(period))
        with call.progress("cli.building") as bar:
            build(
                SitePaths(call.directory),
                call.site,
                other,
                period,
                program_version=__version__,
                progress=lambda table, done, total: bar.to(done, total, table),
                marts=scratch,
            )
        with mart_reader(call.paths.marts, period) as now, mart_reader(scratch, period) as then:
            found, currency = differences(now, then), read_facts(now).currency
    if out:
        write_table(as_table(found), out, "simulation")
        call.say("cli.exported", path=out, rows=len(found))
    if as_json:
        typer.echo(json.dumps([_as_json(each) for each in found], ensure_ascii=False))
    elif not call.quiet:
        _show(found, currency, call.lang)


def _take_over(marts: Path, scratch: Path, before: str) -> None:
    """Let the scratch folder know the month before, for rules that look at it."""
    scratch.mkdir(parents=True)
    name = read_manifest(marts).get(before)
    if name:
        (scratch / name).symlink_to((marts / name).resolve())
        publish(scratch, before, name)


def _as_json(each: Difference) -> dict[str, str]:
    return {
        "tenant": each.tenant,
        "name": each.name,
        "now": str(each.now),
        "then": str(each.then),
        "change": str(each.change),
    }


def _show(found: tuple[Difference, ...], currency: str, lang: str) -> None:
    table = Table(box=None, pad_edge=False)
    for n, name in enumerate(("tenant", "now", "then", "change", "percent")):
        table.add_column(text(f"cli.simulate_{name}", lang), justify="right" if n else "left")
    total = Difference(
        "",
        text("cli.simulate_total", lang),
        sum((e.now for e in found), Decimal(0)),
        sum((e.then for e in found), Decimal(0)),
    )
    for each in (*found, total):
        table.add_row(
            each.name,
            money(each.now, currency),
            money(each.then, currency),
            money(each.change, currency),
            change(each.then, each.now) if each.now else "—",
        )
    Console(soft_wrap=True).print(table)
