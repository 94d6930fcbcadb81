"""Which records are versions of one run, which one of them counts, and where a resized run begins.

Times are UTC seconds from 2024-01-01T00:00; a core is 1,000 core-ms a second.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.models.marts import Record, fates, month, table, use
from tests.models.raw_rows import run

T = 1_704_067_200


def at(job: int, start: int | None, end: int | None, tres: str | None = "cpu=1", **more: Any) -> Record:
    """A record with times from the beginning of January."""
    return run(job, None if start is None else T + start, None if end is None else T + end, tres, **more)


def core_s(folder: Path, *batches: list[Record]) -> dict[str, int]:
    """Core-seconds by job of January 2024, all checks passed."""
    found = use(month(folder, *batches))
    return {job: base // 1000 for (job, resource), base in found.items() if resource == "cpu"}


def either_way(folder: Path, first: Record, second: Record) -> set[int]:
    """Core-seconds of a run whose two records arrive in this order, and of its twin whose records arrive in the other."""
    twins = [{**record, "job_id_raw": 2, "job_id": "2"} for record in (first, second)]
    found = core_s(folder, [first, twins[1]], [second, twins[0]])
    assert found.keys() == {"1", "2"}
    return set(found.values())


def test_db_index_joins_a_changed_natural_key(tmp_path: Path) -> None:
    """Eligible and start were corrected between two pulls; the DBIndex says that it is the same run."""
    first = at(1, 100, None, elapsed_s=50, state="RUNNING", db_index="7", eligible_s=T + 10)
    later = at(1, 120, 220, db_index="7", eligible_s=T + 20)
    assert core_s(tmp_path, [first], [later]) == {"1": 100}
    assert fates(month(tmp_path, [first], [later])) == [
        ("1", "superseded", "newer-version"),
        ("1", "billed", ""),
    ]


def test_a_source_without_aliases_joins_by_the_natural_key(tmp_path: Path) -> None:
    """JSON before 26.05 has no DBIndex: the same times are the same run."""
    text = at(1, 100, 200, db_index="7")
    json = at(1, 100, 200)
    assert either_way(tmp_path, text, json) == {100}


def test_aliases_join_through_a_third_record(tmp_path: Path) -> None:
    """DBIndex joins the first to the second, SLUID the second to the third, in whatever order the three arrive."""
    batches: list[list[Record]] = [[], [], []]
    for job, order in enumerate(permutations(range(3)), 1):
        records = [
            at(job, 100, None, elapsed_s=10, state="RUNNING", db_index="7", eligible_s=T + 1),
            at(job, 110, None, elapsed_s=50, state="RUNNING", db_index="7", sluid="s7", eligible_s=T + 2),
            at(job, 120, 220, sluid="s7", eligible_s=T + 3),
        ]
        for batch, number in zip(batches, order, strict=True):
            batch.append(records[number])
    assert core_s(tmp_path, *batches) == {str(job): 100 for job in range(1, 7)}


def test_a_source_without_submit_or_eligible_is_the_same_run(tmp_path: Path) -> None:
    """Two exports of one month, one of them with fewer columns, are not two months' worth."""
    whole = at(1, 100, 200)
    for missing in (("eligible_s",), ("submit_s", "eligible_s")):
        bare = whole | dict.fromkeys(missing)
        assert either_way(tmp_path, whole, bare) == {100}


def test_recycled_ids_are_other_runs(tmp_path: Path) -> None:
    """Job ids begin anew at MaxJobId: the same number, another submission."""
    records = [at(1, 100, 200, db_index="7"), at(1, 5000, 5300, "cpu=2", db_index="900")]
    assert core_s(tmp_path, records) == {"1": 100 + 600}


def test_a_pending_record_gives_way_to_the_started_one(tmp_path: Path) -> None:
    pending = at(1, None, None, None, state="PENDING", submit_s=T + 40, eligible_s=T + 40)
    started = at(1, 100, 200, submit_s=T + 40, eligible_s=T + 40)
    for batches in ([pending], [started]), ([started], [pending]):
        con = month(tmp_path, *batches)
        assert use(con) == {("1", "cpu"): 100_000}
        assert sorted(fates(con)) == [("1", "billed", ""), ("1", "superseded", "started-later")]


def test_the_pending_rest_of_an_array_is_not_its_last_task(tmp_path: Path) -> None:
    """105_[5-9] carries the raw id that the last task will have; until then it holds nothing."""
    rest = at(105, None, None, None, state="PENDING", submit_s=T + 40, eligible_s=T + 40)
    task = at(106, 100, 200, submit_s=T + 40, eligible_s=T + 40)
    con = month(tmp_path, [rest, task])
    assert fates(con) == [("105", "zero", "never-started"), ("106", "billed", "")]


def test_ended_wins_over_open_however_they_arrive(tmp_path: Path) -> None:
    """A pull of an open run that arrives after its end (an old dump, ingested late) changes nothing."""
    opened = at(1, 100, None, elapsed_s=5000, state="RUNNING")
    ended = at(1, 100, 200)
    assert either_way(tmp_path, opened, ended) == {100}


def test_the_later_reading_of_a_running_run_counts(tmp_path: Path) -> None:
    early = at(1, 100, None, elapsed_s=50, state="RUNNING")
    late = at(1, 100, None, elapsed_s=90, state="RUNNING")
    assert either_way(tmp_path, early, late) == {90}


def test_requeued_runs_are_runs_of_their_own(tmp_path: Path) -> None:
    records = [
        at(1, 100, 200, state="REQUEUED", submit_s=T, eligible_s=T),
        at(1, 300, 350, submit_s=T + 200, eligible_s=T + 200),
    ]
    assert core_s(tmp_path, records) == {"1": 150}


RESIZED_2205 = [
    # Slurm 22.05: two cores for 60 s, then one core until 200 s; the second record repeats the first Start.
    at(36, 0, 60, "cpu=2", state="RESIZING", submit_s=T, eligible_s=T),
    at(36, 0, 200, "cpu=1", submit_s=T + 60, eligible_s=T + 60),
]
RESIZED_2411 = [RESIZED_2205[0], RESIZED_2205[1] | {"start_s": T + 60, "elapsed_s": 140}]
TWICE_2205 = [
    # 4 cores to 60 s, 2 to 100 s, 1 to 200 s: 240 + 80 + 100 = 420 core-seconds.
    at(36, 0, 60, "cpu=4", state="RESIZING", submit_s=T, eligible_s=T),
    at(36, 0, 100, "cpu=2", state="RESIZING", submit_s=T + 60, eligible_s=T + 60),
    at(36, 0, 200, "cpu=1", submit_s=T + 100, eligible_s=T + 100),
]
AT_ONCE = [
    # Resized twice within a second: the record between held nothing. 240 + 0 + 140.
    at(36, 0, 60, "cpu=4", state="RESIZING", submit_s=T, eligible_s=T),
    at(36, 0, 60, "cpu=2", state="RESIZING", submit_s=T + 60, eligible_s=T + 60),
    at(36, 0, 200, "cpu=1", submit_s=T + 61, eligible_s=T + 61),
]
ENDED_AT_ONCE = [
    # Ended in the second of its resize: 120 + 0.
    RESIZED_2205[0],
    at(36, 0, 60, "cpu=1", submit_s=T + 60, eligible_s=T + 60),
]


@pytest.mark.parametrize(
    ("records", "expected"),
    [(RESIZED_2205, 260), (RESIZED_2411, 260), (TWICE_2205, 420), (AT_ONCE, 380), (ENDED_AT_ONCE, 120)],
    ids=["22.05", "24.11", "twice", "at-once", "ended-at-once"],
)
def test_a_resized_run_begins_where_it_was_resized(
    tmp_path: Path, records: list[Record], expected: int
) -> None:
    orders = list(permutations(records))
    arrived = [
        record | {"job_id_raw": job, "job_id": str(job)}
        for job, order in enumerate(orders)
        for record in order
    ]
    assert core_s(tmp_path, arrived) == {str(job): expected for job in range(len(orders))}


def test_a_resized_run_of_a_source_without_submit(tmp_path: Path) -> None:
    bare = [record | {"submit_s": None, "eligible_s": None} for record in TWICE_2205]
    assert core_s(tmp_path, bare) == {"36": 420}
    assert core_s(tmp_path, bare, TWICE_2205) == {"36": 420}


def test_a_resized_run_that_still_runs(tmp_path: Path) -> None:
    """The open version of before the resize is superseded by the RESIZING record, the second one is open."""
    before = at(36, 0, None, "cpu=2", elapsed_s=30, state="RUNNING", submit_s=T, eligible_s=T)
    after = at(36, 0, None, "cpu=1", elapsed_s=90, state="RUNNING", submit_s=T + 60, eligible_s=T + 60)
    assert core_s(tmp_path, [before], [RESIZED_2205[0], after]) == {"36": 120 + 30}


def test_a_resized_run_cannot_be_suspended_for_longer_than_it_held(tmp_path: Path) -> None:
    """The second record says 180 s of suspension, but it holds only 140 s since the resize: somebody must look."""
    odd = RESIZED_2205[1] | {"suspended_s": 180, "elapsed_s": 20}
    con = month(tmp_path, [RESIZED_2205[0], odd])
    assert fates(con) == [("36", "billed", ""), ("36", "held", "bad-suspended")]
    assert table(con, "SELECT MIN(consumed_base) >= 0 FROM core_use") == [(True,)]


def test_a_run_that_counts_twice_fails_its_check(tmp_path: Path) -> None:
    """The same job id cannot hold two allocations at once; a copy under another submission time is seen."""
    records = [at(1, 100, 200), at(1, 150, 260, submit_s=T + 1, eligible_s=T + 1)]
    month(tmp_path, records, fails={"runs_never_twice"})


def test_a_poorer_export_adds_nothing(tmp_path: Path) -> None:
    """The same ended run again, without AllocTRES (CPUs only) or without times of submission: the fuller record counts."""
    full = at(1, 100, 200, "cpu=2,gres/gpu:a100=1", wckey="w")
    for poor in ({"alloc_tres": None, "alloc_cpus_count": 2}, {"submit_s": None, "eligible_s": None}):
        con = month(tmp_path, [full], [full | poor])
        assert use(con) == {("1", "cpu"): 200_000, ("1", "gpu:a100"): 100_000}
        assert table(con, "SELECT submit_s FROM core_run") == [(full["submit_s"],)]


def test_suspension_that_only_elapsed_tells(tmp_path: Path) -> None:
    """A source without the column Suspended: 100 s from start to end and 70 s elapsed are 30 s suspended."""
    record = at(1, 100, 200, "cpu=2,mem=1", elapsed_s=70, suspended_s=None)
    assert use(month(tmp_path, [record])) == {("1", "cpu"): 140_000, ("1", "mem"): 100}
