"""`hesuan report`: documents out of a mart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hesuan.commands import capacity
from hesuan.context import Context
from hesuan.documents import asked_formats, is_draft, out_folder
from hesuan.language import words
from models.errors import HesuanError
from models.mart import mart_reader
from reports.bills import FORMATS, write_bills
from reports.load import tenants
from reports.reconciliation import write_reconciliation

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _documents() -> None:
    """Documents that can be made."""


app.command("capacity", help=capacity.HELP)(capacity.capacity)


@app.command("bill", help=words("report_bill"))
def bill(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    tenant: Annotated[list[str] | None, typer.Option("--tenant", help=words("tenant"))] = None,
    out: Annotated[Path | None, typer.Option("--out", help=words("out"))] = None,
    form: Annotated[str, typer.Option("--format", help=words("format_bill"))] = "pdf,xlsx,csv",
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> None:
    """Write the bills of a period."""
    call: Context = context.obj
    paths = run_bills(
        call, call.month(period), tenant or (), out_folder(call, period, out), asked_formats(form, FORMATS)
    )
    if as_json:
        typer.echo(json.dumps([str(path) for path in paths]))
        return
    call.say("cli.reported", files=len(paths), out=out_folder(call, period, out))


def run_bills(
    call: Context, period: str, asked: list[str] | tuple[str, ...], out: Path, formats: tuple[str, ...]
) -> tuple[Path, ...]:
    """Write the bills asked for (all where none is named) with a progress bar; gives the files."""
    with mart_reader(call.paths.marts, period) as con:
        known = tenants(con)
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise HesuanError(
            "cli.no_tenant", tenant=", ".join(unknown), period=period, known=", ".join(known[:10]) or "-"
        )
    with call.progress("cli.writing") as bar:
        return write_bills(
            call.paths.marts,
            period,
            tuple(asked) or known,
            out,
            formats=formats,
            lang=call.lang,
            draft=is_draft(call, period),
            progress=bar.to,
        )


@app.command("reconciliation", help=words("report_reconciliation"))
def reconciliation(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    out: Annotated[Path | None, typer.Option("--out", help=words("out"))] = None,
    form: Annotated[str, typer.Option("--format", help=words("format_reconciliation"))] = "pdf,csv",
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Write the reconciliation of a period; exit 1 when something does not add up."""
    call: Context = context.obj
    asked = asked_formats(form, ("pdf", "csv"))
    with mart_reader(call.paths.marts, call.month(period)) as con:
        paths, adds_up = write_reconciliation(
            con, out_folder(call, period, out), formats=asked, lang=call.lang, draft=is_draft(call, period)
        )
    if as_json:
        typer.echo(json.dumps({"files": [str(path) for path in paths], "adds_up": adds_up}))
    else:
        call.say("cli.reported", files=len(paths), out=out_folder(call, period, out))
        if not adds_up:
            call.say("cli.not_adding_up", period=period)
    return 0 if adds_up else 1
