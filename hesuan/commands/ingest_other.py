"""`hesuan ingest storage` and `hesuan ingest items`: what centres charge for beside runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hesuan import __version__
from hesuan.context import Context
from hesuan.language import LANGUAGE, words
from hesuan.moments import moment
from ingest.items import ingest_items
from ingest.other_batch import OtherBatch
from ingest.storage import By, StorageQuestion, ingest_storage
from models.catalogue import text


def register(app: typer.Typer) -> None:
    """Add both commands to `hesuan ingest`."""
    app.command("storage", help=text("other.help_storage", LANGUAGE))(storage)
    app.command("items", help=text("other.help_items", LANGUAGE))(items)


def storage(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Option("--file", help=text("other.help_storage_file", LANGUAGE))
    ] = ...,  # type: ignore[assignment] # typer: required
    system: Annotated[str, typer.Option("--system", help=text("other.help_system", LANGUAGE))] = "",
    at: Annotated[str | None, typer.Option("--at", help=text("other.help_at", LANGUAGE))] = None,
    by: Annotated[By | None, typer.Option("--by", help=text("other.help_by", LANGUAGE))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Read reports of one storage system into the raw store; exit 1 when some of it could not be read."""
    call: Context = context.obj
    question = StorageQuestion(
        system=system,
        at_s=None if at is None else moment(at, call.site.timezone),
        by=by,
        timezone=call.site.timezone,
        now_s=call.now_s,
    )
    batches = []
    for path in files:
        batch = ingest_storage(call.paths.raw, path, question, who=call.who, program_version=__version__)
        batches.append((path, batch))
        _tell(call, batch, path, as_json=as_json)
    return _end(batches, as_json=as_json)


def items(
    context: typer.Context,
    files: Annotated[list[Path], typer.Option("--file", help=text("other.help_items_file", LANGUAGE))] = ...,  # type: ignore[assignment] # typer: required
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Read lists of other things into the raw store; exit 1 when some of it could not be read."""
    call: Context = context.obj
    batches = []
    for path in files:
        batch = ingest_items(
            call.paths.raw,
            path,
            timezone=call.site.timezone,
            who=call.who,
            now_s=call.now_s,
            program_version=__version__,
        )
        batches.append((path, batch))
        _tell(call, batch, path, as_json=as_json)
    return _end(batches, as_json=as_json)


def _tell(call: Context, batch: OtherBatch, path: Path, *, as_json: bool) -> None:
    if as_json:
        return
    key = "other.ingested_already" if batch.already else "other.ingested"
    call.say(key, what=path, batch=batch.batch_id, kept=f"{batch.kept:,}", format=batch.format)
    if batch.left_out and not batch.already:
        call.say("other.ingested_left_out", left_out=f"{batch.left_out:,}")
    if batch.rejected and not batch.already:
        call.say("other.ingested_rejects", rejected=f"{batch.rejected:,}")


def _end(batches: list[tuple[Path, OtherBatch]], *, as_json: bool) -> int:
    if as_json:
        typer.echo(json.dumps([asdict(batch) for _, batch in batches]))
    return 1 if any(batch.rejected for _, batch in batches) else 0
