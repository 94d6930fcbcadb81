"""The key=value CSV of sonar and Jobanalyzer, and what a hostile one holds."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_store import read_parts, take

from models.errors import HesuanError

BASE = {
    "v": "0.1.0",
    "JobID": "7",
    "JobIDRaw": "7",
    "User": "u1",
    "Account": "alpha",
    "State": "COMPLETED",
    "Start": "2025-05-02T14:09:52+02:00",
    "End": "2025-05-02T14:10:52+02:00",
    "ElapsedRaw": "60",
    "Submit": "2025-05-02T14:09:39+02:00",
    "AllocTRES": "billing=19,cpu=1",
    "JobName": "train",
}


def rows(*records: dict[str, str]) -> bytes:
    """Records as Go's encoding/csv and Python's csv write them: quoted where need be (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for record in records:
        writer.writerow([f"{name}={value}" for name, value in record.items()])
    return out.getvalue().encode("utf-8", "surrogateescape")


def job(number: int, **more: str) -> dict[str, str]:
    return BASE | {"JobID": str(number), "JobIDRaw": str(number)} | more


def without(record: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in record.items() if name not in names}


def test_fields_in_any_order_and_number(tmp_path: Path) -> None:
    turned = {"v": "0.1.0"} | dict(reversed(list(job(8, UserCPU="1", TimelimitRaw="5").items())))
    found = take(tmp_path, rows(job(7), turned))
    assert [row["job_id_raw"] for row in found.rows] == [7, 8]
    # 2025-05-02T12:09:52 UTC
    assert [row["start_s"] for row in found.rows] == [1746187792] * 2
    assert [row["timelimit_s"] for row in found.rows] == [None, 300]
    assert {row["alloc_tres"] for row in found.rows} == {"billing=19,cpu=1"}


def test_what_is_left_out_is_zero_or_not_said(tmp_path: Path) -> None:
    pending = without(job(8, State="PENDING"), "Start", "End", "ElapsedRaw", "AllocTRES", "User")
    found = take(tmp_path, rows(job(7), pending))
    row = found.rows[1]
    assert (row["start_s"], row["end_s"], row["elapsed_s"], row["alloc_tres"], row["user_name"]) == (
        None,
        None,
        0,
        "",
        "",
    )


def test_names_with_everything_in_them(tmp_path: Path) -> None:
    names = ['a,b="c"', "State=FAILED,cpu=9", "two\nlines,", '"', "训练", "=", ""]
    found = take(tmp_path, rows(*(job(n, JobName=name) for n, name in enumerate(names, 1))))
    assert [row["job_name"] for row in found.rows] == names
    assert {row["state"] for row in found.rows} == {"COMPLETED"}


def test_bad_records_stop_nothing(tmp_path: Path) -> None:
    open_quote = rows(job(2)).replace(b'"AllocTRES=billing=19,cpu=1"', b'"AllocTRES=billing=19,cpu=1')
    data = b"".join(
        [
            rows(job(1)),
            open_quote,
            rows(without(job(3), "JobID", "JobIDRaw"), job(4, Start="soon"), job(5)),
            b'v=0.1.0,JobID=6,JobIDRaw=6,State=COMPLETED,"AllocTRES=bill',
        ]
    )
    found = take(tmp_path, data)
    assert [row["job_id_raw"] for row in found.rows] == [1, 5]
    assert found.reasons == ["bad-quote", "no-job-id", "bad-time", "truncated"]
    assert found.rejected[0]["body"] == open_quote.rstrip(b"\n")
    assert [row["record_no"] for row in found.rejected] == [2, 3, 4, 6]


def test_bad_utf8_is_shown_and_kept(tmp_path: Path) -> None:
    data = rows(job(1), job(2, JobName="f\udcfcr"), job(3))
    found = take(tmp_path, data)
    assert [row["job_name"] for row in found.rows] == ["train", "f\ufffdr", "train"]
    assert found.source(found.rows[1]) == data.split(b"\n")[1]
    assert found.found == ["not-utf8"]


def test_runs_without_an_allocation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, rows(without(job(1), "AllocTRES")))
    assert (refused.value.key, refused.value.values["column"]) == ("ingest.column_missing", "AllocTRES")


NAME = st.text(st.sampled_from('ab,"=\n|v训'), max_size=10).filter(lambda name: "\nv=" not in name)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAME, min_size=1, max_size=10), chunk=st.integers(10, 500))
def test_chunks_of_any_size_give_what_a_csv_reader_reads(
    tmp_path: Path, names: list[str], chunk: int
) -> None:
    data = rows(*(job(n, JobName=name) for n, name in enumerate(names, 1)))
    found, rejected, _ = read_parts(tmp_path, data, chunk + 40)
    assert rejected == []
    read = [
        dict(one.split("=", 1) for one in record)
        for record in csv.reader(io.StringIO(data.decode(), newline=""))
    ]
    assert [row["job_name"] for row in found] == [record["JobName"] for record in read]
    assert [row["job_id_raw"] for row in found] == list(range(1, len(names) + 1))
