"""`hesuan init DIR`: a new site with commented files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesuan.context import Context
from hesuan.init import init_site
from hesuan.language import words


def init(
    context: typer.Context, directory: Annotated[Path, typer.Argument(help=words("init_directory"))]
) -> None:
    """Write commented site.toml and tariffs.toml into a directory."""
    call: Context = context.obj
    for path in init_site(directory):
        call.say("cli.wrote", path=path)
    call.say("cli.init_next", directory=directory)
