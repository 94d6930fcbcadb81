"""A raw store filled by hand: tests of the models do not need a file to be read first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from models.store import raw_writer

TEXTS = (
    "job_id",
    "account",
    "user_name",
    "partition",
    "qos",
    "wckey",
    "reservation",
    "state",
    "node_list",
    "job_name",
)
COLUMNS = (
    "cluster", "job_id_raw", "job_id", "db_index", "sluid", "account", "user_name", "partition", "qos", "wckey",
    "reservation", "state", "submit_s", "eligible_s", "start_s", "end_s", "elapsed_s", "suspended_s", "timelimit_s",
    "alloc_tres", "alloc_cpus_count", "nodes_count", "node_list", "energy", "total_cpu_ms", "job_name",
)  # fmt: skip


def run(
    job: int, start_s: int | None, end_s: int | None, tres: str | None = "cpu=1,mem=1G,node=1", **more: Any
) -> dict[str, Any]:
    """One sacct record: job id, UTC seconds, AllocTRES, and whatever else is to differ."""
    row: dict[str, Any] = {
        "cluster": "c1", "job_id_raw": job, "job_id": str(job), "account": "alpha", "user_name": "u1",
        "partition": "cpu", "qos": "normal", "state": "COMPLETED", "submit_s": (start_s or 0) - 60,
        "eligible_s": (start_s or 0) - 60, "start_s": start_s, "end_s": end_s,
        "elapsed_s": None if start_s is None or end_s is None else end_s - start_s,
        "suspended_s": 0, "alloc_tres": tres, "nodes_count": 1,
    }  # fmt: skip
    return row | more


def fill_raw(path: Path, *batches: list[dict[str, Any]]) -> Path:
    """Append each list of records as one batch; gives `path`."""
    with raw_writer(path, now_s=0, program_version="test") as con:
        for records in batches:
            found = con.execute("SELECT COALESCE(MAX(batch_id), 0) + 1 FROM raw_batch").fetchone()
            assert found is not None
            batch = found[0]
            con.execute("BEGIN")
            con.execute(
                "INSERT INTO raw_batch VALUES (?, 'sacct', ?, 'by hand', 'text', NULL, NULL, ?, 0, NULL, NULL, NULL, ?, ?, 0, 0, 0, 'test', 'test')",
                [
                    batch,
                    records[0]["cluster"] if records else "c1",
                    f"sha-{batch}",
                    len(records),
                    len(records),
                ],
            )
            for number, record in enumerate(records, 1):
                values = [record.get(name, "" if name in TEXTS else None) for name in COLUMNS]
                con.execute(
                    f"INSERT INTO raw_sacct (batch_id, record_no, source_start_bytes, source_end_bytes, {', '.join(COLUMNS)})"
                    f" VALUES ({', '.join('?' for _ in range(len(COLUMNS) + 4))})",
                    [batch, number, 0, 0, *values],
                )
            con.execute("COMMIT")
    return path
