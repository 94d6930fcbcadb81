"""Marts: one immutable DuckDB file per period and build, published by swapping a manifest.

`mart/manifest.json` names, for each period, the mart that reports read. A build fills a new file beside it, and only
a complete one is named; a build that dies leaves the last good state and some litter that the next build sweeps.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from models.errors import HesuanError
from models.file_lock import file_lock
from models.store import connect, damage_told, first_row

KEEP = 3


@dataclass(frozen=True)
class MartFacts:
    """What a mart says of itself (`mart_fact`).

    Attributes:
        read_to_s: the latest moment that its records tell of, UTC seconds; None without records.
    """

    period: str
    build_no: int
    input_hash: str
    site_hash: str
    program_version: str
    timezone: str
    currency: str
    read_to_s: int | None


def _manifest_path(marts: Path) -> Path:
    return marts / "manifest.json"


def read_manifest(marts: Path) -> dict[str, str]:
    """Period -> file name of its published mart; empty where nothing was built yet.

    Raises:
        HesuanError: the manifest is not one of ours.
    """
    path = _manifest_path(marts)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:  # no JSON, no UTF-8
        raise HesuanError("mart.manifest", path=path, cause=error) from error
    named = said.get("marts") if isinstance(said, dict) else None
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise HesuanError("mart.manifest", path=path, cause='no object under "marts"')
    return named


def publish(marts: Path, period: str, name: str) -> None:
    """Name the mart file `name` as the one of `period`, in one atomic swap, and sweep older builds.

    Two periods that are published at one moment are both named.
    """
    path = _manifest_path(marts)
    new = path.with_suffix(".tmp")
    with file_lock(marts / ".manifest.lock"):
        named = read_manifest(marts) | {period: name}
        with new.open("w", encoding="utf-8") as file:
            json.dump({"marts": dict(sorted(named.items()))}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    _sweep(marts, period, name)


def _sweep(marts: Path, period: str, current: str) -> None:
    """Remove builds of `period` beyond the newest few and what dead builds left behind."""
    numbers = sorted(
        (
            int(found[1])
            for file in marts.iterdir()
            if (found := re.fullmatch(rf"{period}-(\d+)\.duckdb", file.name))
        ),
        reverse=True,
    )
    kept = {f"{period}-{number:04d}.duckdb" for number in numbers[:KEEP]} | {current}
    for left in marts.glob(f"{period}-*"):
        if left.is_dir():  # where DuckDB put what did not fit into memory
            shutil.rmtree(left, ignore_errors=True)
        elif left.name not in kept:
            with suppress(FileNotFoundError):
                left.unlink()


def next_build_no(marts: Path, period: str) -> int:
    """One more than the highest build of `period` that left any file."""
    numbers = [
        int(found[1]) for file in marts.iterdir() if (found := re.match(rf"{period}-(\d+)\.", file.name))
    ]
    return max(numbers, default=0) + 1


def mart_path(marts: Path, period: str) -> Path:
    """The published mart of `period`.

    Raises:
        HesuanError: the period was never built, or its mart is gone.
    """
    name = read_manifest(marts).get(period)
    if name is None:
        raise HesuanError("mart.missing", period=period)
    path = marts / name
    if not path.exists():
        raise HesuanError("mart.gone", path=path, period=period)
    return path


@contextmanager
def open_mart(path: Path, period: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A mart file of `period`, read-only: the same one, whatever is published meanwhile.

    Raises:
        HesuanError: it cannot be read.
    """
    try:
        con = connect(path, read_only=True)
        try:
            with damage_told(path):
                yield con
        finally:
            con.close()
    except HesuanError as error:
        if error.key != "store.unreadable" or error.values["path"] != path:
            raise
        raise HesuanError("mart.unreadable", path=path, period=period, cause=error.values["cause"]) from error


@contextmanager
def mart_reader(marts: Path, period: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published mart of `period`, read-only.

    Raises:
        HesuanError: the period was never built, or its mart is gone or cannot be read.
    """
    with open_mart(mart_path(marts, period), period) as con:
        yield con


def read_facts(con: duckdb.DuckDBPyConnection) -> MartFacts:
    """What the opened mart says of itself."""
    row = first_row(
        con,
        "SELECT period, build_no, input_hash, site_hash, program_version, timezone, currency, read_to_s FROM mart_fact",
    )
    return MartFacts(*row)
