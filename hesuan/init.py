"""Begins a site: writes site.toml and tariffs.toml, commented and valid, to be made one's own."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from models.errors import HesuanError

TEMPLATES = ("site.toml", "tariffs.toml")


def init_site(directory: Path) -> tuple[Path, ...]:
    """Write the templates into `directory`, made where it does not exist, and say which files were written.

    Raises:
        HesuanError: one of the files is there already (nothing is then written), or writing is not possible.
    """
    paths = tuple(directory / name for name in TEMPLATES)
    for path in paths:
        if os.path.lexists(path):
            raise HesuanError("site.exists", path=path)
    for path in paths:
        _write_new(path, files("hesuan").joinpath("templates", path.name).read_text(encoding="utf-8"))
    return paths


def _write_new(path: Path, content: str) -> None:
    """Write a file that does not exist yet."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:
            stream.write(content)
    except FileExistsError as error:
        key = "site.exists" if path.exists() else "site.not_writable"
        raise HesuanError(key, path=path, cause=error.strerror) from error
    except OSError as error:
        raise HesuanError("site.not_writable", path=path, cause=error.strerror) from error
