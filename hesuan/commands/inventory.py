"""`hesuan ingest inventory`: nodes, partitions, reservations and node events from files."""

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
from ingest.inventory import InventoryBatch, ingest_inventory
from models.catalogue import text

HELP = text("inventory.help", LANGUAGE)


def inventory(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help=text("inventory.help_files", LANGUAGE))
    ],
    cluster: Annotated[str, typer.Option("--cluster", help=words("cluster"))] = ...,  # type: ignore[assignment] # typer: required
    at: Annotated[str | None, typer.Option("--at", help=text("inventory.help_at", LANGUAGE))] = None,
    timezone: Annotated[
        str | None, typer.Option("--timezone", help=text("inventory.help_timezone", LANGUAGE))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=words("json"))] = False,
) -> int:
    """Read inventory of one cluster into the raw store; exit 1 when some of it could not be read."""
    call: Context = context.obj
    at_s = None if at is None else moment(at, call.site.timezone)
    batches = []
    for path in files:
        batch = ingest_inventory(
            call.paths.raw,
            path,
            cluster=cluster,
            at_s=at_s,
            timezone=timezone,
            who=call.who,
            now_s=call.now_s,
            program_version=__version__,
        )
        batches.append(batch)
        if not as_json:
            _tell(call, batch, path)
    if as_json:
        typer.echo(json.dumps([asdict(batch) for batch in batches]))
    return 1 if any(batch.rejected for batch in batches) else 0


def _tell(call: Context, batch: InventoryBatch, path: Path) -> None:
    key = "inventory.ingested_already" if batch.already else "inventory.ingested"
    call.say(key, what=path, batch=batch.batch_id, source=batch.source, kept=f"{batch.kept:,}")
    if batch.rejected and not batch.already:
        call.say("inventory.ingested_rejects", rejected=f"{batch.rejected:,}")
