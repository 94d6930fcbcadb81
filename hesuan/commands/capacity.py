"""`hesuan report capacity PERIOD`: where every core- and card-hour went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hesuan.context import Context
from hesuan.documents import asked_formats, is_draft, out_folder
from hesuan.language import LANGUAGE, words
from models.catalogue import text
from models.mart import mart_reader
from reports.capacity import write_capacity

HELP = text("capacity.help", LANGUAGE)


def capacity(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    out: Annotated[Path | None, typer.Option("--out", help=words("out"))] = None,
    form: Annotated[
        str, typer.Option("--format", help=text("capacity.help_format", LANGUAGE))
    ] = "pdf,xlsx,csv",
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> None:
    """Write the capacity report of a period."""
    call: Context = context.obj
    asked = asked_formats(form, ("pdf", "xlsx", "csv"))
    month = call.month(period)
    folder = out_folder(call, month, out)
    with mart_reader(call.paths.marts, month) as con:
        paths = write_capacity(con, folder, formats=asked, lang=call.lang, draft=is_draft(call, month))
    if as_json:
        typer.echo(json.dumps([str(path) for path in paths]))
    else:
        call.say("cli.reported", files=len(paths), out=folder)
