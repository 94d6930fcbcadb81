"""Filling a small table of a mart from Python rows."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import pyarrow as pa

Row = tuple[object, ...]


def fill(con: duckdb.DuckDBPyConnection, table: str, columns: str, rows: Iterable[Row]) -> None:
    """Create `table` with `columns` and put `rows` in, all at once through Arrow."""
    con.execute(f"CREATE TABLE {table} ({columns})")
    listed = list(rows)
    if listed:
        places = [pa.array([row[n] for row in listed]) for n in range(len(listed[0]))]
        con.register("rows_to_fill", pa.table(places, [f"c{n}" for n in range(len(places))]))
        con.execute(f"INSERT INTO {table} SELECT * FROM rows_to_fill")
        con.unregister("rows_to_fill")
