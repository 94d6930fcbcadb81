"""`hesuan export usage|charges|findings PERIOD --out FILE`: tables for scripts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hesuan.context import Context
from hesuan.language import words
from models.mart import mart_reader
from reports.files import write_table
from reports.tables import charges, findings, usage


class Kind(StrEnum):
    """What can be exported."""

    USAGE = "usage"
    CHARGES = "charges"
    FINDINGS = "findings"


def export(
    context: typer.Context,
    kind: Annotated[Kind, typer.Argument(help=words("export_kind"))],
    period: Annotated[str, typer.Argument(help=words("period"))],
    out: Annotated[Path, typer.Option("--out", help=words("export_out"))],
) -> None:
    """Write one table of a period as CSV or Parquet."""
    call: Context = context.obj
    with mart_reader(call.paths.marts, call.month(period)) as con:
        table = {
            Kind.USAGE: lambda: usage(con),
            Kind.CHARGES: lambda: charges(con),
            Kind.FINDINGS: lambda: findings(con, call.lang),
        }[kind]()
    write_table(table, out, kind.value)
    call.say("cli.exported", path=out, rows=table.num_rows)
