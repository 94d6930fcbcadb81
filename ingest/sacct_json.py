"""`sacct --json` of every release from 21.08 to 26.05 into raw_sacct's columns.

The document is cut into job elements by byte (sacct_json_split) and read by SQL (sacct_json_sql), never by a Python
loop over jobs. Steps are counted and left out: they are never billed, and their energy never joins the job's own.
What the JSON cannot tell, and text can: the record key before 26.05 (DBIndex), who cancelled (CANCELLED by UID), and
in 22.05 the start of some requeued runs, the used CPU time and the reservation's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np
import pyarrow as pa

from ingest import sacct_json_sql as sql
from ingest.sacct_json_macros import MACROS
from ingest.sacct_json_split import BLOCK_BYTES, Positions, Split, split

_NEWLINE: Final = 10
_DETAIL_LETTERS: Final = 500


@dataclass(frozen=True)
class JsonRead:
    """What one document of `sacct --json` said.

    Attributes:
        records: raw_sacct's columns and types without batch_id, in the document's order; `record_no` counts the job
            elements from 1, `source_start_bytes` and `source_end_bytes` point into `source`.
        rejected: record_no, location, reason, detail, body (the element's own bytes).
        findings: (location, reason, detail) of what was odd about what was kept.
        steps: number of step elements, never billed.
        source: one job element's JSON per line, its bytes as they came.
        source_version: Slurm's release and the parser, such as `24.11.5 data_parser/v0.0.42`; None where not said.
    """

    records: pa.Table
    rejected: pa.Table
    findings: tuple[tuple[str, str, str], ...]
    steps: int
    source: bytes
    source_version: str | None


def read_json(data: bytes, *, cluster: str) -> JsonRead:
    """Read a whole, uncompressed document of `sacct --json`.

    Args:
        data: UTF-8; bytes that are not are shown as U+FFFD, and the charge is kept.
        cluster: the cluster of elements that name none; a finding tells of elements that name another.

    Raises:
        HesuanError: the document as a whole cannot be trusted to be complete: `json.not_object`, `json.truncated`,
            `json.cut_outside`, `json.broken`, `json.trailing`, `json.no_jobs`, `json.two_jobs`.
    """
    document = split(data)
    with duckdb.connect() as con:
        con.register("element", _elements(document))
        con.execute(MACROS)
        con.execute(sql.RUN)
        con.execute(sql.TASKS)
        records = con.sql(sql.RECORDS, params={"cluster": cluster}).to_arrow_table()
        rejected = con.sql(sql.REJECTED).to_arrow_table()
        findings = con.execute(sql.FINDINGS, {"cluster": cluster}).fetchall()
        (steps,) = con.execute("SELECT coalesce(sum(steps_count), 0) FROM run").fetchall()[0]
    return JsonRead(
        records=records,
        rejected=rejected.append_column("body", _bodies(document, rejected["record_no"])),
        findings=(*_messages(document.rest), *findings),
        steps=int(steps),
        source=document.source,
        source_version=_source_version(document.rest),
    )


def _elements(document: Split) -> pa.Table:
    """The view that the SQL reads, over `source` itself where its bytes are UTF-8 as they should be."""
    count = len(document.starts)
    bounds = np.append(document.starts, len(document.source)).astype(np.int64)
    body = _array(pa.large_binary(), bounds, document.source)
    try:
        body = body.cast(pa.large_string())
    except pa.ArrowInvalid:
        repaired = _repaired(document.source)
        ends = np.flatnonzero(np.frombuffer(repaired, dtype=np.uint8) == _NEWLINE)
        body = _array(pa.large_string(), np.concatenate(([0], ends)).astype(np.int64), repaired)
    return pa.table(
        {
            "record_no": np.arange(1, count + 1, dtype=np.int64),
            "source_start_bytes": document.starts,
            "source_end_bytes": document.ends,
            "body": body,
        }
    )


def _array(kind: pa.DataType, bounds: Positions, data: bytes) -> pa.Array:
    """Values of `data` between each two `bounds`, without a copy."""
    return pa.Array.from_buffers(kind, len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)])


def _repaired(source: bytes) -> bytes:
    """`source` with U+FFFD for what is no UTF-8, in blocks of whole lines so that little is held twice."""
    parts: list[bytes] = []
    start = 0
    while start < len(source):
        end = source.find(b"\n", min(start + BLOCK_BYTES, len(source) - 1)) + 1
        parts.append(source[start:end].decode("utf-8", "replace").encode())
        start = end
    return b"".join(parts)


def _bodies(document: Split, record_no: pa.ChunkedArray) -> pa.Array:
    """The own bytes of the elements `record_no`."""
    if not len(document.starts):
        return pa.array([], pa.large_binary())
    bounds = np.stack((document.starts, document.ends), axis=1).ravel().astype(np.int64)
    elements_and_gaps = _array(pa.large_binary(), bounds, document.source)
    return elements_and_gaps.take(pa.array((record_no.to_numpy() - 1) * 2))


def _messages(rest: dict[str, object]) -> list[tuple[str, str, str]]:
    """What sacct itself complained of: an answer with errors may lack records."""
    said = [(key, rest.get(key)) for key in ("errors", "warnings")]
    return [
        (
            "document",
            f"json-{key}",
            f"sacct said: {str(value)[:_DETAIL_LETTERS]}; run it again if records may be missing",
        )
        for key, value in said
        if value
    ]


def _source_version(rest: dict[str, object]) -> str | None:
    """Slurm's release and its parser, from `meta`, whose keys changed with the releases."""
    meta = _object(rest.get("meta"))
    slurm = _object(meta.get("slurm")) or _object(meta.get("Slurm"))
    plugin = _object(meta.get("plugin")) or _object(meta.get("plugins"))
    version = _object(slurm.get("version"))
    numbers = [str(version[part]) for part in ("major", "minor", "micro") if part in version]
    release = slurm.get("release") or ".".join(numbers)
    parser = plugin.get("data_parser") or plugin.get("type")
    return " ".join(str(part) for part in (release, parser) if part) or None


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
