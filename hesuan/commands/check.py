"""`hesuan check PERIOD`: whether everything adds up."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hesuan.context import Context
from hesuan.language import words
from models.engine import check_names, check_rows
from models.mart import mart_reader
from models.words import check_word

SHOWN = 5


def check(
    context: typer.Context,
    period: Annotated[str, typer.Argument(help=words("period"))],
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Run every check; exit 1 when one fails."""
    call: Context = context.obj
    failing, levels = run_checks(call, call.month(period))
    if as_json:
        failed = {name: [[str(cell) for cell in row] for row in rows] for name, rows in failing.items()}
        typer.echo(
            json.dumps(
                {"period": period, "checks": list(check_names()), "failed": failed, "findings": levels}
            )
        )
        return 1 if failing else 0
    for name in check_names():
        rows = failing.get(name)
        if not rows:
            call.say("cli.check_passed", name=check_word(name, call.lang))
            continue
        call.answer("cli.check_failed", name=check_word(name, call.lang))
        for row in rows:
            call.answer("cli.check_row", row=" | ".join(str(cell) for cell in row))
    call.say(
        "cli.check_sum",
        period=period,
        failed=len(failing),
        checks=len(check_names()),
        warnings=levels.get("warning", 0),
        errors=levels.get("error", 0),
    )
    return 1 if failing else 0


def run_checks(call: Context, period: str) -> tuple[dict[str, list[tuple[object, ...]]], dict[str, int]]:
    """Failing check -> its first rows, and the findings counted by level."""
    with mart_reader(call.paths.marts, period) as con:
        failing = {name: rows for name in check_names() if (rows := check_rows(con, name, SHOWN))}
        levels = dict(
            con.execute("SELECT level, COUNT(*) FROM out_finding GROUP BY level ORDER BY level").fetchall()
        )
    return failing, levels
