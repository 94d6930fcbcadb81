"""Marts: one immutable DuckDB file per period and build, published by swapping a manifest.

`mart/manifest.json` names, for each period, the mart that reports read. A build fills a new file beside it, and only
a complete one is named; a build that dies leaves the last good state and some litter that the next build sweeps.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from models.errors import HesuanError
from models.store import connect, first_row

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
    """Period -> file name of its published mart; empty where nothing was built yet."""
    path = _manifest_path(marts)
    if not path.exists():
        return {}
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["marts"]
    return found


def publish(marts: Path, period: str, name: str) -> None:
    """Name the mart file `name` as the one of `period`, in one atomic swap, and sweep older builds."""
    named = read_manifest(marts) | {period: name}
    path = _manifest_path(marts)
    new = path.with_suffix(f".{os.getpid()}.tmp")
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
    for file in marts.glob(f"{period}-*"):
        if file.name not in kept:
            with suppress(FileNotFoundError):
                file.unlink()


def next_build_no(marts: Path, period: str) -> int:
    """One more than the highest build of `period` that left any file."""
    numbers = [
        int(found[1]) for file in marts.iterdir() if (found := re.match(rf"{period}-(\d+)\.", file.name))
    ]
    return max(numbers, default=0) + 1


def mart_path(marts: Path, period: str) -> Path:
    """The published mart of `period`.

    Raises:
        HesuanError: the period was never built.
    """
    name = read_manifest(marts).get(period)
    if name is None or not (marts / name).exists():
        raise HesuanError("mart.missing", period=period)
    return marts / name


@contextmanager
def mart_reader(marts: Path, period: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published mart of `period`, read-only.

    Raises:
        HesuanError: the period was never built.
    """
    con = connect(mart_path(marts, period), read_only=True)
    try:
        yield con
    finally:
        con.close()


def read_facts(con: duckdb.DuckDBPyConnection) -> MartFacts:
    """What the opened mart says of itself."""
    row = first_row(
        con,
        "SELECT period, build_no, input_hash, site_hash, program_version, timezone, currency, read_to_s FROM mart_fact",
    )
    return MartFacts(*row)
