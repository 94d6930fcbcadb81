"""Runs the project's SQL files on DuckDB. The one place that knows the engine.

Each file under `models/sql/` is one SELECT in a subset that other engines share; a larger engine would translate it
here, and nowhere else. On failure the table, the cause and the SQL are shown together.
"""

from __future__ import annotations

from importlib.resources import files

import duckdb

from models.store import is_damage


class SqlError(RuntimeError):
    """A fault of ours in one of the SQL files: names the table, the cause and the text that ran."""


def sql_text(folder: str, name: str) -> str:
    """The text of `models/FOLDER/NAME.sql`."""
    return files("models").joinpath(folder, f"{name}.sql").read_text(encoding="utf-8")


def create_table(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """Fill `table` from the SELECT in `models/sql/TABLE.sql`."""
    select = sql_text("sql", table)
    try:
        con.execute(f"CREATE TABLE {table} AS\n{select}")
    except duckdb.Error as error:
        if is_damage(error):
            raise
        raise SqlError(f"{table}: {error}\n{select}") from error


def check_rows(con: duckdb.DuckDBPyConnection, check: str, limit: int) -> list[tuple[object, ...]]:
    """Up to `limit` rows of the check in `models/checks/CHECK.sql`; none when all is well."""
    select = sql_text("checks", check)
    try:
        return con.execute(f"SELECT * FROM (\n{select}\n) AS failing LIMIT {limit}").fetchall()
    except duckdb.Error as error:
        if is_damage(error):
            raise
        raise SqlError(f"{check}: {error}\n{select}") from error


def check_names() -> tuple[str, ...]:
    """All checks by name, in order."""
    folder = files("models").joinpath("checks")
    return tuple(sorted(f.name.removesuffix(".sql") for f in folder.iterdir() if f.name.endswith(".sql")))
