"""`hesuan demo`: the main road on the sample site, from records to bills."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from hesuan.commands.build import run_build
from hesuan.commands.check import run_checks
from hesuan.commands.ingest import from_file
from hesuan.commands.report import run_bills
from hesuan.context import Context
from hesuan.documents import is_draft
from hesuan.language import words
from hesuan.summary import Summary
from models.catalogue import text
from models.errors import HesuanError
from models.format import hours, money, period_text
from models.mart import mart_reader
from reports.reconciliation import write_reconciliation
from sample_data.sources import PERIODS, SOURCES, folder


def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help=words("demo_out"))] = Path("demo"),
) -> int:
    """Run the main road on the sample site and say where everything is."""
    call: Context = context.obj
    site = out / "site"
    _fresh_site(site)
    inside = Context(site, call.lang, call.quiet)
    for source in SOURCES:
        from_file(inside, source.cluster, folder() / source.file, None, source.timezone)
    summaries = [run_build(inside, period)[1] for period in PERIODS]
    period = PERIODS[-1]
    bills = run_bills(inside, period, (), out / "bills", ("pdf", "xlsx", "csv"))
    with mart_reader(inside.paths.marts, period) as con:
        papers, _ = write_reconciliation(
            con, out, formats=("pdf", "csv"), lang=call.lang, draft=is_draft(inside, period)
        )
    failing, _ = run_checks(inside, period)
    if not call.quiet:
        _show(summaries, call.lang)
    inside.say("demo.files", site=site, bills=out / "bills", count=len(bills), paper=papers[0])
    inside.say("demo.checks_failed" if failing else "demo.checks_passed", period=period)
    inside.say("demo.next", program=_program(), site=site, period=period)
    return 1 if failing else 0


def _program() -> str:
    """The command as it was called, so that the next one can be copied."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "hesuan" else "hesuan"


def _fresh_site(site: Path) -> None:
    """A new site with the sample's files; one that an earlier demo left is replaced, anything else is refused."""
    marker = site / ".hesuan-demo"
    if site.exists() and not marker.exists() and any(site.iterdir()):
        raise HesuanError("demo.not_ours", path=site)
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    marker.touch()
    for name in ("site.toml", "tariffs.toml"):
        shutil.copyfile(folder() / name, site / name)


def _show(summaries: list[Summary], lang: str) -> None:
    """The months in a small table."""
    table = Table(box=None, pad_edge=False)
    for n, name in enumerate(("period", "tenants", "core_hours", "device_hours", "net", "tax", "gross")):
        table.add_column(text(f"demo.{name}", lang), justify="right" if n else "left")
    for month in summaries:
        table.add_row(
            period_text(month.period, lang),
            str(month.tenants),
            hours(month.core_hours),
            hours(month.device_hours),
            money(month.net, month.currency),
            money(month.tax, month.currency),
            money(month.gross, month.currency),
        )
    console = Console()
    if not console.is_terminal:  # a file has no width at which a table would be cut
        console.width = 200
    console.print(table)
