"""The `hesuan` command: global options, the commands, and how errors are said.

Exit codes: 0 fine, 1 findings, 2 misuse or an input that cannot be used; 130 when interrupted, as shells have it.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import duckdb
import typer

from hesuan import __version__
from hesuan.commands import build, check, demo, explain, export, ingest, init, report, tariff
from hesuan.context import Context
from hesuan.language import LANGUAGE, language, words
from models.catalogue import text
from models.engine import SqlError
from models.errors import HesuanError
from models.store import is_damage

INTERRUPTED = 130  # what typer makes of Ctrl-C

app = typer.Typer(
    name="hesuan",
    help=words("app"),
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"hesuan {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    context: typer.Context,
    site: Annotated[Path, typer.Option("--site", envvar="HESUAN_SITE", help=words("site"))] = Path(),
    lang: Annotated[str, typer.Option("--lang", envvar="HESUAN_LANG", help=words("lang"))] = LANGUAGE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help=words("quiet"))] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help=words("version"))
    ] = False,
) -> None:
    if lang not in {"zh", "en"}:
        raise HesuanError("cli.bad_lang", found=lang)
    context.obj = Context(site, lang, quiet)


app.command("init", help=words("init"))(init.init)
app.add_typer(ingest.app, name="ingest", help=words("ingest"))
app.command("build", help=words("build"))(build.build_period)
app.command("check", help=words("check"))(check.check)
app.add_typer(report.app, name="report", help=words("report"))
app.add_typer(tariff.app, name="tariff", help=tariff.HELP)
app.command("export", help=words("export"))(export.export)
app.command("explain", help=words("explain"))(explain.explain)
app.command("demo", help=words("demo"))(demo.demo)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; a traceback never reaches a user."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a GBK terminal knows fewer letters than job names have
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Run the command with `arguments`; gives the exit code."""
    lang = language(arguments, os.environ)
    try:
        _refuse_no_text(arguments)
        result = app(args=arguments, prog_name="hesuan", standalone_mode=False)
    except typer.TyperException as error:
        show = getattr(error, "show", None)  # a usage error shows the usage line too
        if show:
            show()
        else:
            typer.echo(error.format_message(), err=True)
        return 2
    except (
        SystemExit
    ):  # typer has met a reader that went away, as head does; what there was to say is not known whole
        return 2
    except Exception as error:  # noqa: BLE001 - the outermost place: whatever it is, it is said in a line
        if os.environ.get("HESUAN_DEBUG"):
            traceback.print_exception(error)
        typer.echo(_as_hesuan(error).text(lang), err=True)
        return 2
    if result == INTERRUPTED:
        typer.echo(text("cli.stopped", lang), err=True)
    return result if isinstance(result, int) else 0


def _refuse_no_text(arguments: Sequence[str]) -> None:
    """Refuse a word that is not UTF-8, unless it names a file: those have any bytes."""
    for word in arguments:
        said = os.fsencode(word).decode("utf-8", "backslashreplace")
        if said != word and not any(os.path.lexists(path) for path in (word, word.partition("=")[2])):
            raise HesuanError("cli.not_text", word=said)


def _as_hesuan(error: Exception) -> HesuanError:
    """What happened, in words for a user."""
    first_line = next(iter(str(error).splitlines()), "")
    match error:
        case HesuanError():
            return error
        case OSError(filename=path, strerror=cause) if path:
            return HesuanError("cli.os_error", path=path, cause=cause)
        case OSError():
            return HesuanError("cli.os_fault", cause=error.strerror or first_line)
        case duckdb.OutOfMemoryException() | SqlError(__cause__=duckdb.OutOfMemoryException()):
            return HesuanError("cli.no_memory", cause=first_line)
        case duckdb.Error() if is_damage(error):
            return HesuanError("cli.store_fault", cause=first_line)
    return HesuanError("cli.program_fault", cause=f"{type(error).__name__}: {first_line}")
