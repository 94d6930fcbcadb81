"""ledger.duckdb: what was decided and issued. Append-only.

So far it holds the state of periods and the price-book versions that closed bills used; closing itself appends here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import duckdb

from models.errors import HesuanError
from models.store import connect, first_row
from models.tariff import Tariff

LEDGER_VERSION = 1


def _check_version(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    row = first_row(con, "SELECT max(schema_version) FROM ledger_meta")
    if row is None or row[0] != LEDGER_VERSION:
        raise HesuanError("store.version", path=path, found=row and row[0], known=LEDGER_VERSION)


@contextmanager
def ledger_writer(path: Path, *, now_s: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """The ledger opened to append, made where there is none; one short transaction is the caller's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    con = connect(path)
    try:
        known = first_row(con, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'ledger_meta'")
        if known == (0,):
            con.execute("BEGIN")
            con.execute(files("models").joinpath("ledger_schema.sql").read_text(encoding="utf-8"))
            con.execute("INSERT INTO ledger_meta VALUES (?, ?)", [LEDGER_VERSION, now_s])
            con.execute("COMMIT")
        _check_version(con, path)
        yield con
    finally:
        con.close()


@contextmanager
def ledger_reader(path: Path) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """The ledger, read-only; None where nothing was ever decided."""
    if not path.exists():
        yield None
        return
    con = connect(path, read_only=True)
    try:
        _check_version(con, path)
        yield con
    finally:
        con.close()


def is_closed(con: duckdb.DuckDBPyConnection | None, period: str) -> bool:
    """Whether `period` has been closed."""
    if con is None:
        return False
    return (
        first_row(con, "SELECT 1 FROM ledger_period WHERE period = ? AND state = 'closed' LIMIT 1", [period])
        is not None
    )


def record_closed(
    con: duckdb.DuckDBPyConnection, period: str, versions: tuple[Tariff, ...], *, now_s: int, who: str
) -> None:
    """Append that `period` was closed with these price-book versions, in one transaction."""
    con.execute("BEGIN")
    con.execute("INSERT INTO ledger_period VALUES (?, 'closed', ?, ?)", [period, now_s, who])
    for version in versions:
        con.execute(
            "INSERT INTO ledger_tariff VALUES (?, ?, ?, ?)", [version.version, version.sha256, period, now_s]
        )
    con.execute("COMMIT")


def edited_versions(
    con: duckdb.DuckDBPyConnection | None, versions: tuple[Tariff, ...]
) -> tuple[tuple[Tariff, str], ...]:
    """Versions that say something else now than when a closed bill used them, each with the first such period."""
    if con is None:
        return ()
    used: dict[str, list[tuple[str, str]]] = {}
    for name, sha256, period in con.execute(
        "SELECT version, sha256, period FROM ledger_tariff ORDER BY recorded_at_s, period"
    ).fetchall():
        used.setdefault(name, []).append((sha256, period))
    return tuple(
        (version, next(period for sha256, period in used[version.version] if sha256 != version.sha256))
        for version in versions
        if any(sha256 != version.sha256 for sha256, _ in used.get(version.version, ()))
    )
