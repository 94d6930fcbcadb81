"""A file of Slurm's records -> one batch of the raw store, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from ingest.raw_append import Part, add_text_findings, append_parts, one_ahead
from ingest.sacct_times import check_zone
from ingest.source_file import open_source, whole_sha256
from ingest.source_parts import TEXT, Source, read_source
from models.store import first_row, raw_writer

SOURCE = "sacct"


@dataclass(frozen=True)
class Batch:
    """A batch as it stands in the raw store: records = kept + rejected.

    Attributes:
        batch_id: 1, 2, 3 … in order of arrival.
        format: `text` or `json`.
        records: allocation records.
        kept: of them, rows in raw_sacct.
        rejected: of them, rows in raw_rejected.
        steps: step rows seen and left out.
        findings: rows in raw_finding.
        already: the same bytes for the same cluster were in the store as this batch; nothing was appended.
    """

    batch_id: int
    format: str
    records: int
    kept: int
    rejected: int
    steps: int
    findings: int
    already: bool = False


@dataclass(frozen=True)
class Arrival:
    """How a batch came: what raw_batch says beside its counts. Times are UTC seconds."""

    cluster: str
    origin: str
    who: str
    now_s: int
    program_version: str
    window: tuple[int, int] | None
    read_at_s: int | None


Window = tuple[int, int] | None


def _find_batch(
    con: duckdb.DuckDBPyConnection, cluster: str, sha256: str, window: Window, before: int | None = None
) -> Batch | None:
    """The batch with these bytes, this cluster and this window, older than `before`, if there is one.

    The same bytes of another window (two days without a job) say something new: that the other window was read.
    """
    row = first_row(
        con,
        """SELECT batch_id, format, records_count, kept_count, rejected_count, steps_count,
                  (SELECT count(*) FROM raw_finding f WHERE f.batch_id = b.batch_id)
           FROM raw_batch b WHERE source = ? AND cluster = ? AND sha256 = ? AND batch_id < coalesce(?, batch_id + 1)
             AND window_start_s IS NOT DISTINCT FROM ? AND window_end_s IS NOT DISTINCT FROM ?
           ORDER BY batch_id LIMIT 1""",
        [SOURCE, cluster, sha256, before, *(window or (None, None))],
    )
    return None if row is None else replace(Batch(*row), already=True)


def _seen_before(con: duckdb.DuckDBPyConnection, cluster: str, file: Path, window: Window) -> Batch | None:
    """The same, before the file is read: it is hashed only where some batch is as long as the file."""
    row = first_row(
        con,
        "SELECT count(*) FROM raw_batch WHERE source = ? AND cluster = ? AND size_bytes = ?",
        [SOURCE, cluster, file.stat().st_size],
    )
    return _find_batch(con, cluster, whole_sha256(file), window) if row and row[0] else None


def _append(con: duckdb.DuckDBPyConnection, source: Source, parts: Iterator[Part], arrival: Arrival) -> Batch:
    """Append everything but the watermark, within the caller's transaction."""
    row = first_row(con, "SELECT coalesce(max(batch_id), 0) + 1 FROM raw_batch")
    batch_id = int(row[0]) if row else 1
    steps = append_parts(con, batch_id, one_ahead(parts))
    if source.format == TEXT:
        add_text_findings(con, batch_id, arrival.cluster)
    kept, rejected, findings = (
        int(one)
        for one in con.execute(
            """SELECT (SELECT count(*) FROM raw_sacct WHERE batch_id = $id),
                      (SELECT count(*) FROM raw_rejected WHERE batch_id = $id),
                      (SELECT count(*) FROM raw_finding WHERE batch_id = $id)""",
            {"id": batch_id},
        ).fetchall()[0]
    )
    con.execute(
        "INSERT INTO raw_batch VALUES (" + ", ".join(["?"] * 19) + ")",
        [
            batch_id,
            SOURCE,
            arrival.cluster,
            arrival.origin,
            source.format,
            source.version,
            source.columns,
            source.file.sha256,
            source.file.size_bytes,
            *(arrival.window or (None, None)),
            arrival.read_at_s,
            kept + rejected,
            kept,
            rejected,
            steps,
            arrival.now_s,
            arrival.who,
            arrival.program_version,
        ],
    )
    return Batch(batch_id, source.format, kept + rejected, kept, rejected, steps, findings)


def _told(
    parts: Iterator[Part], total_bytes: int, progress: Callable[[int, int], None] | None
) -> Iterator[Part]:
    """The same parts; `progress` hears of each."""
    for part in parts:
        if progress is not None:
            progress(part.done_bytes, total_bytes)
        yield part


def ingest_file(
    store: Path,
    file: Path,
    *,
    cluster: str,
    columns: Sequence[str] | None = None,
    timezone: str | None = None,
    who: str,
    now_s: int,
    program_version: str,
    origin: str | None = None,
    window: tuple[int, int] | None = None,
    read_at_s: int | None = None,
    read_to_s: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """Append one file of sacct's records as one batch, in one transaction: all of it or nothing.

    Takes sacct text with any delimiter and column order, the key=value CSV of sonar and Jobanalyzer, and
    `sacct --json`; each of them also as gzip.

    Args:
        store: the raw store; made where there is none.
        file: the input.
        cluster: of rows that name none.
        columns: the columns of text without a header line, in order, by sacct's names.
        timezone: the IANA zone in which wall times without an offset were printed.
        who: the account that ingests.
        now_s: the present, UTC seconds.
        program_version: ours.
        origin: where the file came from, for people; its name where None.
        window: [start, end) in UTC seconds that a pull asked for.
        read_at_s: when a pull asked, UTC seconds.
        read_to_s: moves the cluster's watermark to this time, in the same transaction.
        progress: called with the bytes of the file read so far, and its size.

    Returns:
        The batch; with `already`, the one that holds these bytes.

    Raises:
        HesuanError: no such file, no format that is known, a column missing, a zone missing or unknown, a store that
            is held. Nothing is written then. A record that cannot be read is rejected, and stops nothing.
    """
    check_zone(timezone)
    arrival = Arrival(cluster, origin or file.name, who, now_s, program_version, window, read_at_s)
    with open_source(file) as opened:
        source = read_source(opened, cluster=cluster, columns=columns, timezone=timezone)
        with raw_writer(store, now_s=now_s, program_version=program_version) as con:
            con.execute("BEGIN")
            batch = _seen_before(con, cluster, file, window)
            if batch is None:
                parts = _told(source.parts, opened.total_bytes, progress)
                batch = _append(con, source, parts, arrival)
                # A packed file's bytes are known only now.
                twin = _find_batch(con, cluster, opened.sha256, window, before=batch.batch_id)
                if twin is not None:
                    con.execute("ROLLBACK")
                    con.execute("BEGIN")
                    batch = twin
            if read_to_s is not None:
                con.execute(
                    "INSERT INTO raw_watermark VALUES (?, ?, ?, ?)",
                    [SOURCE, cluster, read_to_s, batch.batch_id],
                )
            con.execute("COMMIT")
    return batch
