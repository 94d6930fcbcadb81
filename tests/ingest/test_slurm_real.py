"""What a real Slurm printed, in every text form, is the same runs with the same values."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from raw_store import REAL, SHARED, Taken, take

pytestmark = pytest.mark.skipif(
    not REAL.exists(), reason="the recorded Slurm output is not beside the repository"
)

SETS = [path.name for path in sorted(REAL.glob("*")) if (path / "sacct-epoch.psv").exists()] or ["none"]
# Forms of the same question, `sacct -a -D`. sacct-tz.psv was printed with TZ=Europe/Berlin.
SAME_QUESTION = (
    "sacct-dup.psv",
    "sacct-delim.txt",
    "sacct-parsable.psv",
    "sacct-isoz.psv",
    "sacct-tz.psv",
    "sacct-all-fields.psv",
)
PLACE = {"batch_id", "record_no", "source_start_bytes", "source_end_bytes"}


def zone_of(folder: Path, name: str) -> str:
    return "Europe/Berlin" if name == "sacct-tz.psv" or "berlin" in folder.name else "UTC"


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Taken]:
    """(set, file) -> what came of it; every file is ingested once."""

    @cache
    def take_once(folder: str, name: str) -> Taken:
        zone = zone_of(REAL / folder, name)
        return take(tmp_path_factory.mktemp("real"), REAL / folder / name, cluster="testhpc", timezone=zone)

    return take_once


def runs(found: Taken, *leave_out: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows by their natural key, without their place in the file and the columns left out.

    The elapsed time of a job that still runs is that of the second in which sacct was asked.
    """
    rows = {}
    for row in found.rows:
        key = tuple(row[name] for name in ("cluster", "job_id_raw", "submit_s", "eligible_s", "start_s"))
        elapsed = None if row["state"] == "RUNNING" else row["elapsed_s"]
        rows[key] = {
            name: value for name, value in row.items() if name not in PLACE and name not in leave_out
        } | {"elapsed_s": elapsed}
    assert len(rows) == len(found.rows)
    return rows


@pytest.mark.parametrize("folder", SETS)
def test_every_form_of_one_question_gives_the_same_runs(
    taken: Callable[[str, str], Taken], folder: str
) -> None:
    epoch = taken(folder, "sacct-epoch.psv")
    assert (epoch.batch.kept, epoch.batch.rejected, epoch.batch.steps) == (43, 0, 88)
    for name in SAME_QUESTION:
        other = taken(folder, name)
        assert (other.batch.kept, other.batch.rejected, other.batch.steps) == (43, 0, 88), name
        # Only sacct -o ALL prints DBIndex and SLUID.
        assert runs(other, "db_index", "sluid") == runs(epoch, "db_index", "sluid"), name


@pytest.mark.parametrize("folder", SETS)
def test_forms_without_duplicates_are_a_part_of_it(taken: Callable[[str, str], Taken], folder: str) -> None:
    # Without -D the first runs of requeued jobs are not told. With -X sacct reads no steps, and TotalCPU is their sum: 0 there. Units change the text of AllocTRES alone.
    differs = {"sacct-alloc.psv": "total_cpu_ms", "sacct-units.psv": "alloc_tres", "sacct.psv": "sluid"}
    for name, column in differs.items():
        epoch = runs(taken(folder, "sacct-epoch.psv"), column)
        other = taken(folder, name)
        assert (other.batch.kept, other.batch.rejected) == (40, 0)
        for key, row in runs(other, column).items():
            assert row == epoch[key], name


@pytest.mark.parametrize("folder", SETS)
def test_texts_with_delimiters_and_newlines_arrive_whole(
    taken: Callable[[str, str], Taken], folder: str
) -> None:
    # The kinds name-with-pipe, name-with-newline, name-chinese and trailing space of jobs-and-kinds.tsv.
    names = {
        "a|b `quoted` 'single' \\back, comma",
        "line one\nline two",
        "训练任务-大模型 ⚡",
        "trailing space ",
    }
    for name in ("sacct-epoch.psv", "sacct-all-fields.psv", "sacct-delim.txt", "sacct-parsable.psv"):
        found = taken(folder, name)
        assert names <= {row["job_name"] for row in found.rows}
        # Name, comment and command of this job hold a newline each: its record is spread over five lines.
        (lines,) = (row for row in found.rows if "\n" in row["job_name"])
        assert found.source(lines).count(b"\n") == 4


@pytest.mark.parametrize("folder", SETS)
def test_array_tasks_and_components_keep_their_real_ids(
    taken: Callable[[str, str], Taken], folder: str
) -> None:
    found = taken(folder, "sacct-epoch.psv")
    shown = Counter(row["job_id"] for row in found.rows if "_" in row["job_id"] or "+" in row["job_id"])
    assert shown == {"4_1": 1, "4_2": 1, "4_3": 1, "4_4": 1, "5+0": 1, "5+1": 1}
    raw = {row["job_id"]: row["job_id_raw"] for row in found.rows}
    # The last task of array 4 keeps the array's own number; a component has the number after the first's.
    assert raw["4_4"] == 4
    assert raw["5+1"] == raw["5+0"] + 1


def test_a_month_of_gzip_agrees_with_a_plain_split(tmp_path: Path) -> None:
    file = REAL / "22.05-month" / "sacct-delim.txt.gz"
    header, *lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    names = header.split("\x1f")
    split = [dict(zip(names, line.split("\x1f"), strict=True)) for line in lines]
    found = take(tmp_path, file, cluster="testhpc", timezone="UTC")
    assert found.batch.kept == len(split)
    assert [row["job_id_raw"] for row in found.rows] == [int(row["JobIDRaw"]) for row in split]
    assert [row["alloc_tres"] for row in found.rows] == [row["AllocTRES"] for row in split]
    ended = {"COMPLETED", "FAILED", "TIMEOUT"}
    assert sum(row["elapsed_s"] for row in found.rows if row["state"] in ended) == sum(
        int(row["ElapsedRaw"]) for row in split if row["State"] in ended
    )


def test_every_row_of_the_reproducers(tmp_path: Path) -> None:
    file = SHARED / "data" / "sacct-repro.psv"
    header, *lines = file.read_text().splitlines()
    split = [dict(zip(header.split("|"), line.split("|"), strict=True)) for line in lines]
    jobs = [row for row in split if "." not in row["JobIDRaw"]]
    found = take(tmp_path, file)
    assert (found.batch.kept, found.batch.steps, found.batch.rejected) == (
        len(jobs),
        len(split) - len(jobs),
        0,
    )

    def time(word: str) -> int | None:
        return None if word in {"Unknown", "None"} else int(word)

    for row, said in zip(found.rows, jobs, strict=True):
        energy = said["ConsumedEnergyRaw"]
        assert row == {
            "batch_id": 1,
            "record_no": split.index(said) + 1,
            "source_start_bytes": row["source_start_bytes"],
            "source_end_bytes": row["source_end_bytes"],
            "cluster": "c1",
            "job_id_raw": int(said["JobIDRaw"]),
            "job_id": said["JobID"],
            "db_index": said["DBIndex"],
            "sluid": None,
            "account": said["Account"],
            "user_name": said["User"],
            "partition": said["Partition"],
            "qos": "",
            "wckey": "",
            "reservation": "",
            "state": said["State"],
            "submit_s": int(said["Submit"]),
            "eligible_s": None,
            "start_s": time(said["Start"]),
            "end_s": time(said["End"]),
            "elapsed_s": int(said["ElapsedRaw"]),
            "suspended_s": int(said["Suspended"]),
            "timelimit_s": None,
            "alloc_tres": said["AllocTRES"],
            "alloc_cpus_count": None,
            "nodes_count": int(said["NNodes"]),
            "node_list": said["NodeList"],
            "energy": None if energy in {"", "18446744073709551614"} else energy,
            "total_cpu_ms": None,
            "job_name": said["JobName"],
        }
        assert found.source(row).decode() == lines[split.index(said)]
