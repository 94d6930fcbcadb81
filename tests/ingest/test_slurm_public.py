"""Files of other projects' tests: every record is kept, or rejected with the right reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from raw_store import SACCT, take

from models.errors import HesuanError

pytestmark = pytest.mark.skipif(not SACCT.exists(), reason="the public samples are not beside the repository")

# Column orders of the files without a header line, from the samples' manifest.
XDMOD = (
    "jobid,jobidraw,cluster,partition,qos,account,group,gid,user,uid,submit,eligible,start,end,elapsed,exitcode,state,"
    "nnodes,ncpus,reqcpus,reqmem,reqtres,alloctres,timelimit,nodelist,jobname"
)
CEEMS = (
    "jobidraw,partition,qos,account,group,gid,user,uid,submit,start,end,elapsed,elapsedraw,exitcode,state,alloctres,"
    "nodelist,jobname,workdir"
)
SONAR = (
    "JobID,JobIDRaw,User,Account,State,Start,End,AveCPU,AveDiskRead,AveDiskWrite,AveRSS,AveVMSize,ElapsedRaw,ExitCode,"
    "Layout,MaxRSS,MaxVMSize,MinCPU,ReqCPUS,ReqMem,ReqNodes,Reservation,Submit,Suspended,SystemCPU,TimelimitRaw,"
    "UserCPU,NodeList,Partition,AllocTRES,Priority,JobName"
)


def test_xdmod_largest_log(tmp_path: Path) -> None:
    found = take(tmp_path, SACCT / "xdmod_pozidriv.log", columns=XDMOD.split(","), timezone="UTC")
    assert (found.batch.kept, found.batch.rejected, found.batch.steps) == (11704, 0, 0)
    # Line 1, read by hand: 2016-12-22T07:03:30 UTC is 1482390210; 7-20:39:39 is 679179 s; 125 days are 10.8 Ms.
    first = found.rows[0]
    assert (first["job_id_raw"], first["start_s"], first["elapsed_s"]) == (977669, 1482390210, 679179)
    assert first["end_s"] - first["start_s"] == 679179
    assert (first["timelimit_s"], first["nodes_count"], first["alloc_cpus_count"]) == (10_800_000, 1, 12)
    assert found.found == ["other-cluster"]
    # The manifest counts 419 cancelled jobs that were never given a node.
    assert sum(row["node_list"] == "None assigned" for row in found.rows) == 419


def test_xdmod_array_forms(tmp_path: Path) -> None:
    found = take(
        tmp_path,
        SACCT / "xdmod_unit_accounting-logs-with-job-arrays.log",
        columns=XDMOD.split(","),
        timezone="UTC",
    )
    assert found.batch.rejected == 0
    assert {row["job_id_raw"] for row in found.rows} == {4103947}
    assert "4103947_[9-11,13,16-20]" in {row["job_id"] for row in found.rows}


@pytest.mark.parametrize(
    ("name", "kept"), [("non-ended-job-state", 2), ("unknown-job-state", 2), ("utf8-multibyte-chars", 1)]
)
def test_xdmod_units(tmp_path: Path, name: str, kept: int) -> None:
    found = take(tmp_path, SACCT / f"xdmod_unit_{name}.log", columns=XDMOD.split(","), timezone="UTC")
    assert (found.batch.kept, found.batch.rejected) == (kept, 0)


def test_ceems_offsets(tmp_path: Path) -> None:
    found = take(tmp_path, SACCT / "ceems_sacct.txt", columns=CEEMS.split(","))
    assert (found.batch.kept, found.batch.rejected) == (12, 0)
    # 2022-02-21T14:37:07+0100 is 13:37:07 UTC.
    assert found.rows[0]["start_s"] == 1645450627
    assert found.rows[0]["state"] == "CANCELLED by 1001"


@pytest.mark.parametrize(
    ("name", "kept", "steps"), [("sonar_src_sacct-output", 29, 67), ("sonar_tests_sacct_resource", 3, 0)]
)
def test_sonar(tmp_path: Path, name: str, kept: int, steps: int) -> None:
    found = take(tmp_path, SACCT / f"{name}.txt", columns=SONAR.split(","), timezone="Europe/Oslo")
    assert (found.batch.kept, found.batch.rejected, found.batch.steps) == (kept, 0, steps)


def test_jobanalyzer_key_values(tmp_path: Path) -> None:
    found = take(tmp_path, SACCT / "jobanalyzer_slurm-sacct_2025-05-03.csv")
    assert (found.batch.kept, found.batch.rejected, found.batch.steps) == (294, 0, 582)

    def held(pattern: str) -> int:
        amounts = (re.search(pattern, row["alloc_tres"]) for row in found.rows)
        return sum(
            int(amount.group(1)) * row["elapsed_s"]
            for row, amount in zip(found.rows, amounts, strict=True)
            if amount
        )

    # The manifest's right sums: 1247 CPU-h (not 3744, with steps) and 39.0 GPU-h (not 74.0, typed and generic added).
    assert round(held(r"(?:^|,)cpu=(\d+)") / 3600) == 1247
    assert round(held(r"gres/gpu=(\d+)") / 3600, 1) == 39.0
    first = found.rows[0]
    # 2025-05-02T14:09:52+02:00
    assert (first["job_id_raw"], first["start_s"], first["timelimit_s"]) == (1639021, 1746187792, 86400)
    assert first["alloc_tres"] == "billing=19,cpu=1,gres/gpu:a100=1,gres/gpu=1,mem=32G,node=1"
    source = (SACCT / "jobanalyzer_slurm-sacct_2025-05-03.csv").read_bytes().split(b"\n")
    assert found.source(first) == source[0]


@pytest.mark.parametrize(
    ("name", "records", "rejected", "steps"),
    [
        ("sample-sacct-output", 0, [], 68),
        ("sample-sacct-running-output", 0, [], 10),
        ("sample-sacct-running-output-large", 0, [], 5040),
        # The header has 109 names and the only row 93 fields.
        ("sample-sacct-output-with-invalid-lines", 1, ["field-count"], 0),
    ],
)
def test_gcm(tmp_path: Path, name: str, records: int, rejected: list[str], steps: int) -> None:
    found = take(tmp_path, SACCT / f"gcm_{name}.txt", timezone="UTC")
    assert (found.batch.records, found.reasons, found.batch.steps) == (records, rejected, steps)


@pytest.mark.parametrize("name", ["one-multiline", "fake-line-break", "fake-line-break-expected"])
def test_gcm_records_over_two_lines(tmp_path: Path, name: str) -> None:
    file = SACCT / f"gcm_sample-sacct-{name}.txt"
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, file, timezone="UTC")
    assert (refused.value.key, refused.value.values["column"]) == ("ingest.column_twice", "End")
    # Named by hand, the second End another name, the file can be read.
    columns = file.read_bytes().split(b"\n")[0].decode().split("|#")
    found = take(tmp_path, file, timezone="UTC", columns=[*columns[:-1], "EndAgain"])
    assert (found.batch.kept, found.batch.rejected, found.batch.steps) == (2, 0, 2)
    assert [row["job_id_raw"] for row in found.rows] == [201729, 201844]
    assert [row["state"] for row in found.rows] == ["FAILED", "REQUEUED"]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("gcm_sample-sacct-output-midnight-edge-case.txt", "AllocTRES"),
        ("gcm_sample-sacct-output-midnight-edge-case-small.txt", "Start"),
        ("greenalgorithms4hpc_example_sacctOutput_raw.txt", "Start"),
        ("slurm2sql_test-data3.csv", "State"),
    ],
)
def test_a_file_that_cannot_be_billed_is_refused(tmp_path: Path, name: str, column: str) -> None:
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, SACCT / name, timezone="UTC")
    assert (refused.value.key, refused.value.values["column"]) == ("ingest.column_missing", column)


def test_slurm2sql(tmp_path: Path) -> None:
    found = take(tmp_path, SACCT / "slurm2sql_test-data1.csv", timezone="Europe/Helsinki")
    assert (found.batch.kept, found.batch.steps, found.batch.rejected) == (2, 3, 0)
    first = found.rows[0]
    # 5-00:00:00 of limit; 2019-07-31T22:29:14 in Helsinki is 19:29:14 UTC; 03:33:25 elapsed.
    assert (first["timelimit_s"], first["start_s"], first["elapsed_s"]) == (432000, 1564601354, 12805)
