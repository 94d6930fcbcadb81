"""`hesuan build PERIOD`: from the records to a mart."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hesuan import __version__
from hesuan.context import Context
from hesuan.language import words
from hesuan.summary import Summary, summarise
from models.build import Built, build
from models.format import money
from models.mart import read_manifest


def build_period(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> None:
    """Build the mart of a period."""
    call: Context = context.obj
    built, summary = run_build(call, period)
    if as_json:
        typer.echo(json.dumps({"mart": str(built.path), "input_hash": built.input_hash} | summary.as_json()))
        return
    call.say(
        "cli.built",
        period=period,
        tenants=summary.tenants,
        net=money(summary.net, summary.currency),
        gross=money(summary.gross, summary.currency),
        hash=built.input_hash[:12],
    )
    if summary.findings:
        call.say("cli.built_findings", findings=summary.findings, errors=summary.errors, period=period)


def run_build(call: Context, period: str) -> tuple[Built, Summary]:
    """Build with a progress bar; gives the mart and what it says in sum."""
    site, book = call.site, call.book
    read_manifest(call.paths.marts)  # one that is broken is told before the work, not after it
    with call.progress("cli.building") as bar:
        built = build(
            call.paths,
            site,
            book,
            period,
            program_version=__version__,
            progress=lambda table, done, total: bar.to(done, total, table),
        )
    return built, summarise(call.paths.marts, period)
