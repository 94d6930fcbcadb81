"""What the raw store knows that a pull needs: the watermark, runs still open, a run to test an empty answer with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.errors import Finding
from models.store import raw_reader, raw_writer


@dataclass(frozen=True)
class KnownRun:
    """A started run in the store: its job id and its start in UTC seconds."""

    job_id_raw: int
    start_s: int


def watermark(store: Path, cluster: str) -> int | None:
    """Up to when `cluster` has been pulled without a gap, in UTC seconds; None where it never was."""
    if not store.exists():
        return None
    with raw_reader(store) as con:
        found = con.execute(
            "SELECT max(read_to_s) FROM raw_watermark WHERE source = 'sacct' AND cluster = ?", [cluster]
        ).fetchall()
    return found[0][0] if found else None


def moved_to(read_to_s: int | None, window: tuple[int, int]) -> int | None:
    """The watermark after [start, end) was read whole, in UTC seconds; None where it stays.

    It stays for older times, and where a gap would lie between it and the window: the next pull begins before the gap.
    """
    if read_to_s is not None and not window[0] <= read_to_s < window[1]:
        return None
    return window[1]


def newest_run(store: Path, cluster: str, before_s: int) -> KnownRun | None:
    """The run of `cluster` that started last before `before_s`: of all known, the last that slurmdbd purges.

    Never the second record of a resized job, whose Start of Slurm 22.05 lies before its Eligible: a short window
    would not find it.
    """
    if not store.exists():
        return None
    with raw_reader(store) as con:
        found = con.execute(
            "SELECT job_id_raw, start_s FROM raw_sacct WHERE cluster = ? AND start_s < ?"
            " AND eligible_s <= start_s ORDER BY start_s DESC LIMIT 1",
            [cluster, before_s],
        ).fetchall()
    return KnownRun(*found[0]) if found else None


# A run has ended where any version of it says so: same natural key, or same DBIndex where the source gave one.
_OPEN_RUNS = """
WITH ended AS (
    SELECT job_id_raw, submit_s, eligible_s, start_s, db_index
    FROM raw_sacct WHERE cluster = $cluster AND end_s IS NOT NULL
), open AS (
    SELECT job_id_raw, submit_s, eligible_s, start_s, db_index, max(batch_id) AS batch_id
    FROM raw_sacct
    WHERE cluster = $cluster AND end_s IS NULL AND start_s < $before_s
    GROUP BY ALL
)
SELECT job_id_raw, min(start_s)
FROM open
ANTI JOIN ended AS by_key
    ON by_key.job_id_raw = open.job_id_raw AND by_key.start_s = open.start_s
    AND by_key.submit_s IS NOT DISTINCT FROM open.submit_s
    AND by_key.eligible_s IS NOT DISTINCT FROM open.eligible_s
ANTI JOIN ended AS by_index ON by_index.job_id_raw = open.job_id_raw AND by_index.db_index = open.db_index
WHERE NOT list_contains($seen, batch_id)
GROUP BY job_id_raw
ORDER BY min(start_s), job_id_raw
"""


def open_runs(store: Path, cluster: str, *, before_s: int, seen: Sequence[int]) -> tuple[KnownRun, ...]:
    """Runs that the store has as started before `before_s` and not ended, oldest start first.

    Left out are those whose newest version stands in one of the batches `seen`: this pull has just read them.
    """
    if not store.exists():
        return ()
    with raw_reader(store) as con:
        rows = con.execute(
            _OPEN_RUNS, {"cluster": cluster, "before_s": before_s, "seen": list(seen) or [0]}
        ).fetchall()
    return tuple(KnownRun(*row) for row in rows)


def add_findings(
    store: Path, batch_id: int, findings: Sequence[Finding], *, now_s: int, program_version: str
) -> int:
    """Put findings about a batch into the store, leaving out what it has already; how many were new."""
    if not findings:
        return 0
    with raw_writer(store, now_s=now_s, program_version=program_version) as con:
        known = set(
            con.execute(
                "SELECT location, reason, detail FROM raw_finding WHERE batch_id = ?", [batch_id]
            ).fetchall()
        )
        new = [row for f in findings if (row := (f.location, f.reason, f.detail)) not in known]
        if new:
            con.executemany("INSERT INTO raw_finding VALUES (?, ?, ?, ?)", [(batch_id, *row) for row in new])
    return len(new)
