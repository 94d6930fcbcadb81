"""Opening DuckDB files: short locks, patient waiting, one schema version, forward migration.

DuckDB locks a file against every other process while one writes, and against writers while one reads. So a store
is opened for one piece of work, the open waits with back-off, and says who holds it.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from models.errors import HesuanError
from models.file_lock import file_lock

T = TypeVar("T")

RAW_VERSION = 1
MEMORY_LIMIT = "2GB"
WAIT_S = 30.0


def wait_seconds() -> float:
    """How long an open waits for whoever holds a store: HESUAN_WAIT_S of the environment, else 30 s."""
    try:
        return max(0.0, float(os.environ.get("HESUAN_WAIT_S", WAIT_S)))
    except ValueError:
        return WAIT_S


def first_row(con: duckdb.DuckDBPyConnection, query: str, values: Sequence[object] = ()) -> Any:  # noqa: ANN401 - SQL's types
    """The first row of `query` as a tuple, None where there is none; the connection is free again afterwards."""
    rows = con.execute(query, list(values)).fetchall()
    return rows[0] if rows else None


def _holder(error: duckdb.Error) -> str:
    """Who holds the lock, as DuckDB says it: a program and its PID."""
    found = re.search(r"held in (.*?\(PID \d+\))", str(error))
    return found.group(1) if found else "another process"


def is_damage(error: duckdb.Error) -> bool:
    """Whether a file is at fault, cut short or with wrong bytes, and not the query."""
    return isinstance(error, duckdb.IOException) or "Corrupt database" in str(error)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Says which store it is where damage shows only while it is being read."""
    try:
        yield
    except duckdb.Error as error:
        if not is_damage(error):
            raise
        raise HesuanError("store.unreadable", path=path, cause=str(error).splitlines()[0]) from error


def _patiently(action: Callable[[], T], path: Path) -> T:
    """What `action` gives, tried again with back-off while another process holds `path`.

    Raises:
        HesuanError: still held after `wait_seconds()`, or not a DuckDB file.
    """
    began = time.monotonic()
    wait_s = wait_seconds()
    pause = 0.05
    while True:
        try:
            return action()
        except duckdb.Error as error:  # a broken header is no IOException
            if "Could not set lock" not in str(error):
                raise HesuanError("store.unreadable", path=path, cause=str(error).splitlines()[0]) from error
            waited = time.monotonic() - began
            if waited > wait_s:
                raise HesuanError(
                    "store.held", path=path, holder=_holder(error), waited=round(waited)
                ) from error
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the waiters, keeps no secret
            pause = min(pause * 2, 1.0)


def connect(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file, waiting up to `wait_seconds()` for whoever holds it.

    Raises:
        HesuanError: still held after the wait, or not a DuckDB file.
    """
    con = _patiently(lambda: duckdb.connect(str(path), read_only=read_only), path)
    con.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET enable_progress_bar = false")  # its bar would stand in what a script reads
    return con


def attach_raw(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Attach the raw store read-only as `raw`, after the same wait and the same check of its schema version."""
    if not path.exists():
        raise HesuanError("store.no_raw", path=path)
    quoted = str(path).replace("'", "''")
    _patiently(lambda: con.execute(f"ATTACH '{quoted}' AS raw (READ_ONLY)"), path)
    _check_raw_version(con, "raw.raw_meta", path)


def _check_raw_version(con: duckdb.DuckDBPyConnection, table: str, path: Path) -> None:
    try:
        row = first_row(con, f"SELECT max(schema_version) FROM {table}")
    except duckdb.CatalogException as error:
        raise HesuanError("store.foreign", path=path) from error
    if row is None or row[0] != RAW_VERSION:
        raise HesuanError("store.version", path=path, found=row and row[0], known=RAW_VERSION)


def _create_raw(path: Path, now_s: int, program_version: str) -> None:
    """Make an empty raw store where there is none, whole under another name first.

    A process that dies on the way leaves no half store: DuckDB takes a file that it did not finish for a broken one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(path.with_name(f".{path.name}.lock")):
        if path.exists():
            return
        new = path.with_name(f".{path.name}.new")
        for left in (new, new.with_name(f"{new.name}.wal")):
            left.unlink(missing_ok=True)
        con = connect(new)
        try:
            con.execute(files("models").joinpath("raw_schema.sql").read_text(encoding="utf-8"))
            con.execute("INSERT INTO raw_meta VALUES (?, ?, ?)", [RAW_VERSION, now_s, program_version])
        finally:
            con.close()
        new.rename(path)


@contextmanager
def raw_writer(path: Path, *, now_s: int, program_version: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The raw store, opened to append one batch; made where there is none.

    The caller writes inside one transaction. Closed at the end of the block, so the lock is short.
    """
    if not path.exists():
        _create_raw(path, now_s, program_version)
    con = connect(path)
    try:
        _check_raw_version(con, "raw_meta", path)
        with damage_told(path):
            yield con
    finally:
        con.close()


@contextmanager
def raw_reader(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The raw store, read-only.

    Raises:
        HesuanError: there is none yet, or it is of another schema version.
    """
    if not path.exists():
        raise HesuanError("store.no_raw", path=path)
    con = connect(path, read_only=True)
    try:
        _check_raw_version(con, "raw_meta", path)
        with damage_told(path):
            yield con
    finally:
        con.close()
