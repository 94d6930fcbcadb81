"""Records that wait for a decision, records that hold nothing, and states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from models.reference import STATES
from models.tariff import RUN_STATES
from tests.models.marts import EVERYTHING, fates, month, table, use
from tests.models.raw_rows import run
from tests.models.sites import book, site, tariff

T = 1_704_067_200
HOUR, DAY = 3600, 86_400


def opened(job: int, elapsed: int | None, **more: Any) -> dict[str, Any]:
    """A run that was open when its source was read, `elapsed` seconds after its start at the turn of the year."""
    return run(job, T, None, "cpu=1", state="RUNNING", elapsed_s=elapsed) | more


FATES = [
    # Limit 1 h, grace 24 h: 25 h is still believed, a second more is not.
    (opened(1, 25 * HOUR, timelimit_s=HOUR), ("billed", "")),
    (opened(1, 25 * HOUR + 1, timelimit_s=HOUR), ("held", "runaway")),
    # Suspended time does not count against the limit: Elapsed leaves it out, and so does slurmctld.
    (opened(1, 25 * HOUR, timelimit_s=HOUR, suspended_s=DAY), ("billed", "")),
    (opened(1, 25 * HOUR + 1, timelimit_s=HOUR, suspended_s=DAY), ("held", "runaway")),
    # No limit is known: 10 days in this site.
    (opened(1, 10 * DAY), ("billed", "")),
    (opened(1, 10 * DAY + 1), ("held", "runaway")),
    (opened(1, None), ("held", "open-without-elapsed")),
    (run(1, T + 100, T + 50, "cpu=1"), ("held", "end-before-start")),
    # Its end is in a month before its start: the month of its start must show it, for no other one would.
    (run(1, T + 20 * DAY, T - 240 * DAY, "cpu=1"), ("held", "end-before-start")),
    (run(1, T, T + 100, "cpu=1", suspended_s=101), ("held", "bad-suspended")),
    (run(1, T, T + 100, "cpu=1", suspended_s=-1), ("held", "bad-suspended")),
    (run(1, T, T + 100, "cpu=1", suspended_s=100), ("billed", "")),
    (run(1, T, T + 100, "cpu=x"), ("held", "bad-tres")),
    (run(1, T, T + 100, ""), ("held", "no-tres")),
    (run(1, T, T + 100, None), ("held", "no-tres")),
    (run(1, T, T + 100, "cpu=0,mem=0"), ("held", "no-tres")),
    (run(1, T, T, ""), ("zero", "zero-length")),
    (run(1, None, T + 100, ""), ("zero", "never-started")),
    (run(1, None, None, "", submit_s=T), ("zero", "never-started")),
]


def test_fates(tmp_path: Path) -> None:
    records = [record | {"job_id_raw": job, "job_id": str(job)} for job, (record, _) in enumerate(FATES, 1)]
    con = month(tmp_path, records, of=site(runaway_days=10))
    expected = {str(job): fate for job, (_, fate) in enumerate(FATES, 1)}
    assert {job: (fate, reason) for job, fate, reason in fates(con)} == expected
    # A core that was suspended for all of its time held nothing; everything else that is billed did.
    used = {str(one["job_id_raw"]) for one in records if one["elapsed_s"] != one["suspended_s"]}
    assert {job for job, _ in use(con)} == {
        job for job, (fate, _) in expected.items() if fate == "billed"
    } & used
    held = sorted(reason for fate, reason in expected.values() if fate == "held")
    assert sorted(
        table(con, "SELECT reason FROM out_finding WHERE level = 'warning' AND reason <> 'unassigned'")
    ) == [(reason,) for reason in held]


def test_what_has_no_end_stands_in_every_month_until_it_is_mended(tmp_path: Path) -> None:
    """The runaway was last read in January and nobody said more: March is not free of it."""
    lost = opened(1, 30 * DAY, timelimit_s=HOUR)
    silent = opened(2, None)
    for period in ("2024-01", "2024-03"):
        con = month(tmp_path, [lost, silent], period=period)
        assert fates(con) == [("1", "held", "runaway"), ("2", "held", "open-without-elapsed")]
    assert fates(month(tmp_path, [lost, silent], period="2023-12")) == []
    # sacctmgr show runawayjobs writes an end: the later pull ends it, in January.
    mended = lost | {"end_s": T + 50, "elapsed_s": 50, "state": "COMPLETED"}
    assert fates(month(tmp_path, [lost], [mended], period="2024-03")) == []
    con = month(tmp_path, [lost], [mended])
    assert fates(con) == [("1", "superseded", "newer-version"), ("1", "billed", "")]
    assert use(con) == {("1", "cpu"): 50_000}


def test_held_records_claim_their_core_time(tmp_path: Path) -> None:
    """Reconciliation shows what is at stake: 31 days of one core, 2,678,400 core-s, of a run since December."""
    lost = run(1, T - DAY, None, "cpu=1", state="RUNNING", elapsed_s=90 * DAY)
    con = month(tmp_path, [lost])
    assert table(con, "SELECT fate, reason, CAST(cpu_core_ms AS BIGINT) FROM out_reconciliation") == [
        ("held", "runaway", 31 * DAY * 1000)
    ]


def test_a_running_run_counts_up_to_the_reading_and_never_beyond(tmp_path: Path) -> None:
    """Read 2 h after its start, half an hour of which it was suspended: 1.5 core-h; its memory 2 GiB-h of 1 GiB."""
    record = run(1, T, None, "cpu=1,mem=1G", state="RUNNING", elapsed_s=HOUR * 3 // 2, suspended_s=HOUR // 2)
    con = month(tmp_path, [record])
    assert use(con) == {("1", "cpu"): 1000 * HOUR * 3 // 2, ("1", "mem"): 1024 * HOUR * 2}
    assert table(con, "SELECT basis, reach_s FROM core_run") == [("running", T + 2 * HOUR)]


def test_every_state_of_an_ended_run_has_a_policy() -> None:
    assert {state for _, state, is_open in STATES if not is_open} | {"unknown"} == set(RUN_STATES) - {
        "running",
        "suspended",
    }


def test_states_are_read_from_all_their_spellings(tmp_path: Path) -> None:
    """Long, short, cut to a column's width, with the uid of who cancelled it; what is unknown is billed and named."""
    words = {
        "CANCELLED by 1001": "cancelled",
        "CANCELLED+": "cancelled",
        "CA": "cancelled",
        "OUT_OF_ME+": "out_of_memory",
        "NODE_FAIL": "node_fail",
        "NF": "node_fail",
        "completed": "completed",
        "SPECIAL_NEW": "unknown",
        "": "unknown",
    }
    records = [run(n, T, T + 10, "cpu=1", state=word) for n, word in enumerate(words, 1)]
    free = tariff(*EVERYTHING.versions[0].prices, runs=(("unknown", "free"),), not_priced=())
    con = month(tmp_path, records, prices=book(free))
    assert table(con, "SELECT state_said, state FROM core_run ORDER BY job_id_raw") == list(words.items())
    assert use(con, "free_base") == {("8", "cpu"): 10_000, ("9", "cpu"): 10_000}
    assert table(con, "SELECT detail FROM out_finding WHERE reason = 'unknown-state' ORDER BY 1") == [
        ("",),
        ("SPECIAL_NEW",),
    ]


def test_a_state_that_is_open_beside_an_end_is_open_up_to_it(tmp_path: Path) -> None:
    """As sacct -T prints it: RUNNING with an End. A later record of the end wins, though it ended earlier."""
    cut = run(1, T, T + 100, "cpu=1", state="RUNNING")
    ended = run(1, T, T + 80, "cpu=1")
    assert use(month(tmp_path, [cut])) == {("1", "cpu"): 100_000}
    assert use(month(tmp_path, [ended], [cut])) == {("1", "cpu"): 80_000}
