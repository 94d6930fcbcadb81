"""`hesuan ingest slurm`: sacct records from files or from the program itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hesuan import __version__
from hesuan.commands import ingest_other, inventory
from hesuan.context import Context
from hesuan.language import LANGUAGE, words
from hesuan.moments import moment, span
from ingest.sacct_live import pull
from ingest.slurm import Batch, ingest_file
from models.catalogue import text
from models.errors import HesuanError

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


app.command("inventory", help=inventory.HELP)(inventory.inventory)
ingest_other.register(app)


@app.callback()
def _sources() -> None:
    """Sources that can be read."""


@app.command("slurm", help=words("ingest_slurm"))
def slurm(
    context: typer.Context,
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help=words("ingest_more"))] = None,
    cluster: Annotated[str, typer.Option("--cluster", help=words("cluster"))] = ...,  # type: ignore[assignment] # typer: required
    files: Annotated[list[Path] | None, typer.Option("--file", help=words("ingest_file"))] = None,
    columns: Annotated[str | None, typer.Option("--columns", help=words("ingest_columns"))] = None,
    timezone: Annotated[str | None, typer.Option("--timezone", help=words("ingest_timezone"))] = None,
    covers: Annotated[
        str | None, typer.Option("--covers", help=text("inventory.help_covers", LANGUAGE))
    ] = None,
    since: Annotated[str | None, typer.Option("--since", help=words("ingest_since"))] = None,
    until: Annotated[str | None, typer.Option("--until", help=words("ingest_until"))] = None,
    sacct: Annotated[str, typer.Option("--sacct", help=words("ingest_sacct"))] = "sacct",
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Read records of one cluster into the raw store; exit 1 when some could not be read."""
    call: Context = context.obj
    call.quiet |= as_json  # JSON stands alone on standard output
    zone = call.site.timezone  # a directory without a readable site.toml is refused before anything is read
    asked = [*(files or []), *(more or [])]
    if asked and (since, until) != (None, None):
        raise HesuanError("cli.file_or_window")
    if not asked and (columns, timezone, covers) != (None, None, None):
        raise HesuanError("cli.columns_need_file")
    if asked:
        window = span(covers, zone) if covers else None
        batches = tuple(from_file(call, cluster, path, columns, timezone, window) for path in asked)
    else:
        batches = _live(
            call,
            cluster,
            None if since is None else moment(since, zone),
            call.now_s if until is None else moment(until, zone),
            sacct,
        )
    if as_json:
        typer.echo(json.dumps([_as_json(batch) for batch in batches]))
    return 1 if any(batch.rejected for batch in batches) else 0


class _FileError(HesuanError):
    """An error of one file, of the several that were given, with the file's name in front."""

    def __init__(self, path: Path, error: HesuanError) -> None:
        super().__init__(error.key, **error.values)
        self.path = path

    def text(self, lang: str) -> str:
        """The message, after the name of the file."""
        return f"{self.path}{'：' if lang == 'zh' else ': '}{super().text(lang)}"


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What the reader of JSON says of a document, said of a file."""
    try:
        yield
    except HesuanError as error:
        raise (_FileError(path, error) if error.key.startswith("json.") else error) from error


def from_file(
    call: Context,
    cluster: str,
    path: Path,
    columns: str | None,
    timezone: str | None,
    window: tuple[int, int] | None = None,
) -> Batch:
    """Read one file with a progress bar and say what became of its records; `window` is what it covers completely."""
    with call.progress("cli.reading") as bar, _named(path):
        batch = ingest_file(
            call.paths.raw,
            path,
            cluster=cluster,
            columns=[name.strip() for name in columns.split(",")] if columns else None,
            timezone=timezone,
            window=window,
            origin=os.fsencode(path.name).decode("utf-8", "backslashreplace"),
            who=call.who,
            now_s=call.now_s,
            program_version=__version__,
            progress=lambda done, total: bar.to(done, total, path.name),
        )
    _tell(call, batch, str(path))
    return batch


def _live(call: Context, cluster: str, since_s: int | None, until_s: int, sacct: str) -> tuple[Batch, ...]:
    with call.progress("cli.pulling") as bar:
        batches = pull(
            call.paths.raw,
            cluster=cluster,
            since_s=since_s,
            until_s=until_s,
            who=call.who,
            now_s=call.now_s,
            program_version=__version__,
            sacct=sacct,
            progress=lambda done, total: bar.to(done, total, cluster),
        )
    for batch in batches:
        _tell(call, batch, cluster)
    return batches


def _tell(call: Context, batch: Batch, what: str) -> None:
    key = "cli.ingested_already" if batch.already else "cli.ingested"
    call.say(
        key,
        what=what,
        batch=batch.batch_id,
        records=f"{batch.records:,}",
        kept=f"{batch.kept:,}",
        rejected=f"{batch.rejected:,}",
        steps=f"{batch.steps:,}",
    )
    if batch.rejected and not batch.already:
        call.say("cli.ingested_rejects", rejected=f"{batch.rejected:,}")


def _as_json(batch: Batch) -> dict[str, object]:
    names = ("batch_id", "format", "records", "kept", "rejected", "steps", "already")
    return {name: getattr(batch, name) for name in names}
