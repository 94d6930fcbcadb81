"""Inventory put into a raw store by hand: snapshots of nodes, reservations, node events, and what was read of the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from models.store import raw_writer


def _batch(con: duckdb.DuckDBPyConnection, source: str, read_at_s: int | None) -> int:
    found = con.execute("SELECT COALESCE(MAX(batch_id), 0) + 1 FROM raw_batch").fetchone()
    assert found is not None
    con.execute(
        """INSERT INTO raw_batch BY NAME SELECT CAST(? AS BIGINT) AS batch_id, ? AS source, 'c1' AS cluster,
               'by hand' AS origin, 'text' AS format, ? AS sha256, 0 AS size_bytes, CAST(? AS BIGINT) AS read_at_s,
               0 AS records_count, 0 AS kept_count, 0 AS rejected_count, 0 AS steps_count,
               CAST(? AS BIGINT) AS ingested_at_s, 't' AS ingested_by, 't' AS program_version""",
        [found[0], source, f"sha-{source}-{found[0]}", read_at_s, read_at_s],
    )
    return int(found[0])


def _add(path: Path, table: str, source: str, read_at_s: int | None, rows: list[dict[str, Any]]) -> None:
    with raw_writer(path, now_s=0, program_version="t") as con:
        batch = _batch(con, source, read_at_s)
        for number, row in enumerate(rows, 1):
            values = {"batch_id": batch, "record_no": number, "cluster": "c1", **row}
            con.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' for _ in values)})",
                list(values.values()),
            )


def snapshot(
    path: Path,
    taken_s: int,
    nodes: dict[str, str],
    states: dict[str, str] | None = None,
    partitions: str = "p",
) -> None:
    """Nodes of cluster c1 and their CfgTRES at one moment."""
    rows = [
        {
            "taken_s": taken_s, "node": node, "state": (states or {}).get(node, "IDLE"), "reason": "",
            "partitions": partitions, "cfg_tres": tres, "gres": "",
        }
        for node, tres in nodes.items()
    ]  # fmt: skip
    _add(path, "raw_node", "scontrol-node", taken_s, rows)


def events(path: Path, read_at_s: int, *rows: tuple[str, int, int | None, str]) -> None:
    """Node, start, end, state of node events, as the accounting database had them at `read_at_s`."""
    _add(
        path, "raw_node_event", "sacctmgr-event", read_at_s,
        [
            {"node": node, "start_s": start, "end_s": end, "state": state, "reason": "", "user_name": "", "tres": ""}
            for node, start, end, state in rows
        ],
    )  # fmt: skip


def reservations(
    path: Path,
    taken_s: int | None,
    *rows: tuple[str, int, int, str, str, str],
    read_at_s: int | None = None,
    users: str = "",
) -> None:
    """Name, start, end, nodes, TRES, flags; `taken_s` None: from the accounting database."""
    source = "sacctmgr-reservation" if taken_s is None else "scontrol-reservation"
    _add(
        path, "raw_reservation", source, read_at_s if taken_s is None else taken_s,
        [
            {
                "taken_s": taken_s, "reservation": name, "start_s": start, "end_s": end, "nodes": nodes, "tres": tres,
                "flags": flags, "users": users, "accounts": "",
            }
            for name, start, end, nodes, tres, flags in rows
        ],
    )  # fmt: skip


def declare(path: Path, *windows: tuple[int, int]) -> None:
    """Say that the records of cluster c1 were read for these windows, all of them and no more."""
    with raw_writer(path, now_s=0, program_version="t") as con:
        con.execute("UPDATE raw_batch SET window_start_s = 0, window_end_s = 0 WHERE source = 'sacct'")
        for start, end in windows:
            batch = _batch(con, "sacct", end)
            con.execute(
                "UPDATE raw_batch SET window_start_s = ?, window_end_s = ? WHERE batch_id = ?",
                [start, end, batch],
            )
