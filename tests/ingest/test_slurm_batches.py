"""A batch is whole or not there; how a file is cut makes no difference; every byte can be shown again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_store import read_parts, select, take, text

from ingest import source_parts
from models.errors import HesuanError
from models.source_text import PIECE_BYTES, record_bytes
from models.store import raw_reader

HEAD = "JobIDRaw|State|Start|End|ElapsedRaw|AllocTRES|Account|JobName|WorkDir"
IN_TMP = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def line(job: int, name: str = "plain") -> str:
    return f"{job}|COMPLETED|100|{160 + job}|{60 + job}|cpu={job}|alpha|{name}|/home/u"


NAMES = st.text(st.sampled_from("ab|\n\r ü训\x1f\x00\"'"), max_size=12)
RECORDS = st.lists(
    st.one_of(
        NAMES.map(lambda name: ("job", name)),
        st.just(("step", "")),
        st.sampled_from(["no record", "5|x", "||||||||", "x" + line(1)]).map(lambda bad: ("bad", bad)),
    ),
    min_size=1,
    max_size=12,
)


def written(records: list[tuple[str, str]]) -> list[str]:
    return [
        line(job, words)
        if kind == "job"
        else line(job).replace("|", ".batch|", 1)
        if kind == "step"
        else words
        for job, (kind, words) in enumerate(records, 1)
    ]


@IN_TMP
@given(records=RECORDS, chunk=st.integers(1, 400))
def test_chunks_of_any_size_give_the_same(tmp_path: Path, records: list[tuple[str, str]], chunk: int) -> None:
    data = text(HEAD, *written(records))
    # The first chunk must hold the header line.
    assert read_parts(tmp_path, data, len(HEAD) + 1 + chunk) == read_parts(tmp_path, data)


@IN_TMP
@given(records=RECORDS, cut=st.integers(0, 12))
def test_a_file_in_two_gives_the_same_rows(tmp_path: Path, records: list[tuple[str, str]], cut: int) -> None:
    rows = [row for row, (kind, _) in zip(written(records), records, strict=True) if kind != "bad"]
    place = ("record_no", "source_start_bytes", "source_end_bytes")

    def said(*lines: str) -> list[dict[str, Any]]:
        read, rejected, _ = read_parts(tmp_path, text(HEAD, *lines))
        assert rejected == []
        return [{name: value for name, value in row.items() if name not in place} for row in read]

    assert said(*rows[:cut]) + said(*rows[cut:]) == said(*rows)


@IN_TMP
@given(records=RECORDS)
def test_every_record_is_counted_and_shown_again(tmp_path: Path, records: list[tuple[str, str]]) -> None:
    data = text(HEAD, *written(records))
    rows, rejected, steps = read_parts(tmp_path, data)
    numbers = sorted(row["record_no"] for row in (*rows, *rejected))
    assert len(set(numbers)) == len(rows) + len(rejected)
    assert max(numbers, default=0) <= len(rows) + len(rejected) + steps
    jobs = {job for job, (kind, _) in enumerate(records, 1) if kind == "job"}
    told = {row["job_id_raw"] for row in rows}
    assert jobs <= told | {int(row["body"].split(b"|")[0]) for row in rejected if row["body"][:1].isdigit()}
    for row in rows:
        shown = data[row["source_start_bytes"] : row["source_end_bytes"]]
        assert shown.split(b"|")[0] == str(row["job_id_raw"]).encode()


def test_the_source_of_many_pieces(tmp_path: Path) -> None:
    rows = [line(job, f"name {job:06} " + "x" * 300) for job in range(1, 9001)]
    data = text(HEAD, *rows)
    assert len(data) > 3 * PIECE_BYTES
    found = take(tmp_path, data)
    with raw_reader(found.store) as con:
        assert record_bytes(con, 1, 0, len(data)) == data
        assert (
            record_bytes(con, 1, PIECE_BYTES - 3, PIECE_BYTES + 4) == data[PIECE_BYTES - 3 : PIECE_BYTES + 4]
        )
        assert record_bytes(con, 1, len(data) - 1, len(data) + 50) == b"\n"
        assert record_bytes(con, 2, 0, 10) == b""
    for row in found.rows[::1000]:
        assert found.source(row).decode() == rows[row["record_no"] - 1]


def test_the_same_bytes_are_appended_once(tmp_path: Path) -> None:
    data = text(HEAD, line(1), line(2), "x" + line(3))
    first = take(tmp_path, data)
    again = take(tmp_path, data, store=first.store, read_to_s=500)
    other = take(tmp_path, data, store=first.store, cluster="c2")
    assert not first.batch.already
    assert again.batch.already
    assert (again.batch.batch_id, again.batch.kept, again.batch.rejected) == (1, 2, 1)
    assert (other.batch.batch_id, other.batch.already) == (2, False)
    assert select(first.store, "SELECT count(*) AS n FROM raw_batch") == [{"n": 2}]
    assert select(first.store, "SELECT read_to_s, batch_id FROM raw_watermark") == [
        {"read_to_s": 500, "batch_id": 1}
    ]


def test_what_a_batch_says_of_itself(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    data = text(HEAD, line(1), line(1).replace("|", ".0|", 1))
    found = take(
        tmp_path,
        data,
        origin="sacct -a",
        window=(100, 200),
        read_at_s=250,
        read_to_s=200,
        progress=lambda done, total: seen.append((done, total)),
    )
    (batch,) = select(found.store, "SELECT * FROM raw_batch")
    assert (
        batch["sha256"]
        == subprocess.run(["sha256sum"], input=data, capture_output=True, check=True)
        .stdout.decode()
        .split()[0]
    )
    assert batch | {"sha256": ""} == {
        "batch_id": 1,
        "source": "sacct",
        "cluster": "c1",
        "origin": "sacct -a",
        "format": "text",
        "source_version": None,
        "columns": HEAD.replace("|", ","),
        "sha256": "",
        "size_bytes": len(data),
        "window_start_s": 100,
        "window_end_s": 200,
        "read_at_s": 250,
        "records_count": 1,
        "kept_count": 1,
        "rejected_count": 0,
        "steps_count": 1,
        "ingested_at_s": 1_800_000_000,
        "ingested_by": "tester",
        "program_version": "test",
    }
    assert select(found.store, "SELECT * FROM raw_watermark") == [
        {"source": "sacct", "cluster": "c1", "read_to_s": 200, "batch_id": 1}
    ]
    assert seen == [(len(data), len(data))]


def test_a_fault_in_a_later_chunk_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = take(tmp_path, text(HEAD, line(1)))
    monkeypatch.setattr(source_parts, "CHUNK_BYTES", len(HEAD) + 40)
    wall = "9|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:00|1|cpu=1|alpha|x|y"
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, text(HEAD, line(2), line(3), *[wall] * 9), store=first.store)
    assert refused.value.key == "ingest.timezone_missing"
    counts = "SELECT (SELECT count(*) FROM raw_sacct) AS rows, (SELECT count(*) FROM raw_source) AS pieces"
    assert select(first.store, counts) == [{"rows": 1, "pieces": 1}]


KILLED = """
import os, signal, sys
from pathlib import Path
from ingest import source_parts
from ingest.slurm import ingest_file
source_parts.CHUNK_BYTES = 1 << 20
calls = 0
def progress(done, total):
    global calls
    calls += 1
    if calls == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
ingest_file(Path(sys.argv[1]), Path(sys.argv[2]), cluster="c1", who="t", now_s=1, program_version="t", progress=progress)
"""


@pytest.mark.parametrize("calls", [1, 17])
def test_a_kill_leaves_the_store_as_it_was(tmp_path: Path, calls: int) -> None:
    first = take(tmp_path, text(HEAD, line(1)))
    file = tmp_path / "long.txt"
    file.write_bytes(text(HEAD, *(line(job, "n" * 1000) for job in range(2, 20_000))))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, first.store, file, str(calls)], check=False, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL
    assert select(first.store, "SELECT count(*) AS n FROM raw_sacct") == [{"n": 1}]
    again = take(tmp_path, file, store=first.store)
    assert (again.batch.batch_id, again.batch.kept) == (2, 19_998)
