"""Public samples of `sacct --json` 21.08 to 25.05 (mila-iqia/SARC): values read off the files by eye."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.sacct_json import read_json

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "sacct"

pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the public samples are not beside the repository"
)

COLUMNS = ("job_id", "state", "submit_s", "start_s", "end_s", "elapsed_s", "timelimit_s", "alloc_tres")

RUNS = {
    "sarc_slurm_21_8_8": [
        ("55978384", "REQUEUED", 1673275023, 1673275023, 1673369386, 86301, 1440 * 60, "billing=1,cpu=4,gres/gpu=1,mem=40960M,node=1"),
    ],
    # energy count -2: left out. A runaway job of 83.8 million seconds, still RUNNING.
    "sarc_slurm_23_2_6": [
        ("4", "RUNNING", 1613725209, 1613725209, None, 83853331, 7200 * 60, "billing=3,cpu=4,gres/gpu=2,mem=32768M,node=1"),
    ],
    "sarc_slurm_23_11_5": [
        ("4", "RUNNING", 1613725209, 1613725209, None, 102228976, 7200 * 60, "billing=3,cpu=4,gres/gpu=2,mem=32768M,node=1"),
    ],
    # Typed cards without the plain gres/gpu; array.job_id is the job's own and task_id is not set: no array.
    "sarc_mila_1714003200": [
        ("12", "RUNNING", 1708759061, 1708760416, None, 5242784, 3600, "billing=1,cpu=4,gres/gpu:rtx8000=1,mem=8192M,node=1"),
        ("18", "RUNNING", 1711378871, 1711386529, None, 2616671, 14400, "billing=1,cpu=4,gres/gpu:a100=1,mem=8192M,node=1"),
        ("19", "RUNNING", 1711355810, 1711356402, None, 2646798, 7200, "billing=2,cpu=4,gres/gpu:a100=2,mem=32768M,node=1"),
        ("20", "COMPLETED", 1713938568, 1713983193, 1713985776, 2583, 14400, "billing=0,cpu=4,mem=16384M,node=1"),
        ("21", "FAILED", 1713943942, 1713952405, 1713962889, 10484, 14400, "billing=0,cpu=2,mem=16384M,node=1"),
        ("22", "COMPLETED", 1713972812, 1713984547, 1713987855, 3308, 28800, "billing=1,cpu=2,gres/gpu:a100=1,mem=40960M,node=1"),
        ("23", "COMPLETED", 1713995219, 1714002629, 1714003200, 571, 28800, "billing=1,cpu=2,gres/gpu:rtx8000=1,mem=8192M,node=1"),
        ("24", "COMPLETED", 1713935784, 1713985813, 1713991658, 5845, 14400, "billing=0,cpu=1,mem=16384M,node=1"),
    ],
    "sarc_raisin_1714003200": [
        ("1", "PENDING", 1713953595, None, None, 0, 43200, ""),
        ("2", "COMPLETED", 1713951077, 1713988215, 1714000511, 12296, 86400, "billing=2,cpu=2,gres/gpu:l40s=1,mem=4096M,node=1"),
        ("3", "CANCELLED", 1713941025, 1713970724, 1713971660, 936, 3600, "billing=16,cpu=16,mem=32768M,node=1"),
    ],
    # Job 6 says start 0, end 13798 and elapsed 13798: kept as said, with the finding of a lost run.
    "sarc_raisin_1719187200": [
        ("1", "RUNNING", 1713953595, 1713956031, None, 5231169, 43200, "billing=8,cpu=8,mem=32768M,node=1"),
        ("6", "CANCELLED", 1716578241, None, 13798, 13798, 43200, "billing=2,cpu=2,gres/gpu:l40s=1,mem=40960M,node=1"),
        ("8", "PENDING", 1719110381, None, None, 0, 43200, ""),
        ("9", "COMPLETED", 1719135972, 1719178536, 1719187200, 8664, 14400, "billing=4,cpu=4,gres/gpu:l40s=2,mem=16384M,node=1"),
        ("10", "COMPLETED", 1719135318, 1719183808, 1719187200, 3392, 28800, "billing=4,cpu=4,gres/gpu:l40s=1,mem=16384M,node=1"),
        ("11", "RUNNING", 1719170985, 1719176623, None, 10577, 43200, "billing=16,cpu=16,mem=40960M,node=1"),
        ("12", "COMPLETED", 1719122047, 1719158286, 1719173974, 15688, 43200, "billing=8,cpu=8,gres/gpu:l40s=1,mem=8192M,node=1"),
    ],
}  # fmt: skip

ODD = {"sarc_raisin_1719187200": [("record 2", "json-lost-run")]}


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_those_of_the_file(name):
    cluster = {
        "sarc_slurm_21_8_8": "cedar",
        "sarc_raisin_1714003200": "raisin",
        "sarc_raisin_1719187200": "raisin",
    }
    read = read_json((SAMPLES / f"{name}.json").read_bytes(), cluster=cluster.get(name, "mila"))
    assert [tuple(run[column] for column in COLUMNS) for run in read.records.to_pylist()] == RUNS[name]
    assert [finding[:2] for finding in read.findings] == ODD.get(name, [])
    assert read.records["energy"].null_count == len(RUNS[name])
    assert read.rejected.num_rows == 0


def test_names_of_the_oldest_sample():
    (run,) = read_json((SAMPLES / "sarc_slurm_21_8_8.json").read_bytes(), cluster="cedar").records.to_pylist()
    names = (
        "account",
        "user_name",
        "partition",
        "qos",
        "wckey",
        "reservation",
        "node_list",
        "job_name",
        "nodes_count",
    )
    assert [run[name] for name in names] == [
        "rrg-bengioy-ad_gpu", "purah", "gpubackfill", "normal", "submitit", "", "cdr896", "submitit", 1,
    ]  # fmt: skip
