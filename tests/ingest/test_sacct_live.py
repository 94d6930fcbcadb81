"""Pulling through sacct: windows, watermark, overlap, open runs. The program is a real process, made up."""

from __future__ import annotations

import pytest
from fake_slurm import DAY, HOUR, T0, FakeSlurm, fields_asked, make, run
from hypothesis import given
from hypothesis import strategies as st

from ingest.live_store import moved_to
from models.errors import HesuanError


@pytest.fixture
def fake(tmp_path, monkeypatch) -> FakeSlurm:
    return make(tmp_path / "bin", monkeypatch)


def test_command_is_the_one_that_bills_are_made_of(fake, monkeypatch):
    monkeypatch.setenv("SACCT_FORMAT", "JobID")
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    fake.pull(T0, T0 + HOUR)
    call = fake.calls()[0]
    assert call["env"] == {
        "TZ": "UTC",
        "SLURM_TIME_FORMAT": "%s",
        "SLURM_BITSTR_LEN": "0",
        "SACCT_FORMAT": None,
    }
    assert call["words"][:8] == ["-M", "alpha", "-a", "-X", "-D", "-p", "--noconvert", "--delimiter=\x1f"]
    assert fake.windows()[0] == ("2026-11-01T00:00:00", "2026-11-01T01:00:00", None)
    assert fields_asked(call)[-1] == "JobName"


@pytest.mark.parametrize(("release", "sluid"), [("22.05", False), ("24.11", True), ("26.05", True)])
def test_fields_are_those_that_the_release_knows(tmp_path, monkeypatch, release, sluid):
    fake = make(tmp_path / "bin", monkeypatch, release=release)
    fake.pull(T0, T0 + HOUR)
    fields = fields_asked(fake.calls()[0])
    assert ("SLUID" in fields) == sluid
    assert {"DBIndex", "AllocTRES", "AllocCPUS", "TimelimitRaw", "TotalCPU", "ConsumedEnergyRaw"} < set(
        fields
    )


def test_windows_of_a_day_with_batches_and_watermark(fake):
    fake.table(
        run(1, T0 + 60, T0 + 120), run(2, T0 + DAY + 60, T0 + DAY + 90), run(3, T0 + 60, T0 + 2 * DAY + 60)
    )
    seen = []
    batches = fake.pull(T0, T0 + 2 * DAY + HOUR, progress=lambda done, total: seen.append((done, total)))
    assert [w[:2] for w in fake.windows()] == [
        ("2026-11-01T00:00:00", "2026-11-02T00:00:00"),
        ("2026-11-02T00:00:00", "2026-11-03T00:00:00"),
        ("2026-11-03T00:00:00", "2026-11-03T01:00:00"),
    ]
    # Run 3 lies in all three windows, run 1 in the first, run 2 in the second.
    assert [b.records for b in batches] == [2, 2, 1]
    assert fake.rows("SELECT window_start_s, window_end_s FROM raw_batch ORDER BY batch_id") == [
        (T0, T0 + DAY), (T0 + DAY, T0 + 2 * DAY), (T0 + 2 * DAY, T0 + 2 * DAY + HOUR),
    ]  # fmt: skip
    assert fake.read_to() == T0 + 2 * DAY + HOUR
    assert seen == [(DAY, 2 * DAY + HOUR), (2 * DAY, 2 * DAY + HOUR), (2 * DAY + HOUR, 2 * DAY + HOUR)]
    assert [job for job, _, _ in fake.runs()] == [1, 2, 3]


def test_empty_windows_are_batches_of_their_own(fake):
    """A window in which nothing ran was read: it is not the same as one that was never read."""
    fake.table(run(1, T0 + 60, T0 + 120))
    fake.pull(T0, T0 + 3 * DAY)
    assert fake.rows("SELECT window_start_s, records_count FROM raw_batch ORDER BY window_start_s") == [
        (T0, 1), (T0 + DAY, 0), (T0 + 2 * DAY, 0),
    ]  # fmt: skip


def test_next_pull_begins_an_overlap_before_the_watermark(fake):
    fake.table(run(1, T0 + 60, T0 + 120))
    fake.pull(T0, T0 + 6 * HOUR)
    fake.plan()
    # A record handed over late: it ended an hour before the watermark and was not there at the first pull.
    fake.table(run(1, T0 + 60, T0 + 120), run(2, T0 + 4 * HOUR, T0 + 5 * HOUR))
    fake.pull(None, T0 + 8 * HOUR, overlap_hours=2)
    assert fake.windows() == [("2026-11-01T04:00:00", "2026-11-01T08:00:00", None)]
    assert [job for job, _, _ in fake.runs()] == [1, 2]
    assert fake.read_to() == T0 + 8 * HOUR


def test_never_past_now_and_nothing_left_to_do(fake):
    fake.table(run(1, T0 + 60, T0 + 120))
    fake.pull(T0, T0 + 10 * DAY, now_s=T0 + 2 * HOUR)
    assert fake.windows() == [("2026-11-01T00:00:00", "2026-11-01T02:00:00", None)]
    assert fake.read_to() == T0 + 2 * HOUR
    assert fake.pull(None, T0) == ()


def test_second_pull_changes_nothing(fake):
    fake.table(
        run(1, T0 + 60, T0 + 120), run(2, T0 + 60, T0 + 5 * HOUR), run(3, T0 + 60, 0, ElapsedRaw=86400)
    )
    fake.pull(T0, T0 + DAY)
    before, read_to = fake.runs(), fake.read_to()
    again = fake.pull(T0, T0 + DAY)
    assert [b.already for b in again] == [True]
    fake.pull(None, T0 + DAY)
    assert fake.runs() == before
    assert fake.read_to() == read_to


def test_watermark_never_goes_back_and_never_leaps_a_gap(fake):
    fake.table(run(1, T0 + 60, T0 + 120))
    fake.pull(T0, T0 + DAY)
    fake.pull(T0 - 2 * DAY, T0 - DAY)  # an older time, read later
    assert fake.read_to() == T0 + DAY
    fake.pull(T0 + 3 * DAY, T0 + 4 * DAY)  # two days are left out
    assert fake.read_to() == T0 + DAY
    fake.plan()
    fake.pull(None, T0 + 4 * DAY, overlap_hours=0)
    assert fake.windows()[0][0] == "2026-11-02T00:00:00"
    assert fake.read_to() == T0 + 4 * DAY


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), min_size=1, max_size=20))
def test_watermark_property(asked):
    """Whatever windows are read in whatever order: from the first window's start up to it, no second is unread."""
    windows = [(start, start + width) for start, width in asked]
    at = None
    for window in windows:
        after = moved_to(at, window)
        assert after is None or at is None or after > at
        at = after or at
    read = {second for start, end in windows for second in range(start, end)}
    assert set(range(windows[0][0], at)) <= read


def test_open_run_closed_long_ago_is_read_by_its_id(fake):
    """Run 7 was lost by slurmctld; an administrator closes it later with an end that no window covers any more."""
    fake.table(run(7, T0 + HOUR, 0, ElapsedRaw=10), run(8, T0 + HOUR, 0, ElapsedRaw=10))
    fake.pull(T0, T0 + DAY)
    fake.plan()
    old_job_of_that_id = run(7, T0 - 900 * DAY, T0 - 899 * DAY, DBIndex=7)
    fake.table(
        old_job_of_that_id, run(7, T0 + HOUR, T0 + 3 * HOUR), run(8, T0 + HOUR, 0, ElapsedRaw=10), run(9, T0 + 25 * HOUR, 0)
    )  # fmt: skip
    fake.pull(None, T0 + 2 * DAY)
    # 8 is in the window, so only 7 is asked for; from its start on, so the old job 7 stays out.
    assert fake.windows() == [
        ("2026-11-01T22:00:00", "2026-11-02T22:00:00", None),
        ("2026-11-02T22:00:00", "2026-11-03T00:00:00", None),
        ("2026-11-01T01:00:00", "2026-11-03T00:00:00", "7"),
    ]
    assert fake.runs() == [(7, T0 + HOUR, T0 + 3 * HOUR), (8, T0 + HOUR, None), (9, T0 + 25 * HOUR, None)]
    # A batch by job id has read no window whole.
    assert fake.rows("SELECT window_start_s FROM raw_batch WHERE origin LIKE '%-j 7 %'") == [(None,)]
    fake.plan()
    fake.pull(None, T0 + 2 * DAY)
    assert [w[2] for w in fake.windows()] == [None]


def test_open_runs_by_the_hundred(fake):
    fake.table(*(run(job, T0 + job, 0, ElapsedRaw=1) for job in range(1, 702)))
    fake.pull(T0, T0 + DAY)
    fake.plan()
    fake.table(*(run(job, T0 + job, T0 + job + 1) for job in range(1, 702)))
    batches = fake.pull(None, T0 + 2 * DAY, chunk_hours=48, now_s=T0 + 2 * DAY)
    asked = [w[2].split(",") for w in fake.windows() if w[2]]
    assert [b.records for b in batches[1:]] == [300, 300, 101]
    assert [len(ids) for ids in asked] == [1, 300, 300, 101]  # the first: is the window really empty?
    assert fake.runs() == [(job, T0 + job, T0 + job + 1) for job in range(1, 702)]


def test_too_wide_is_halved_and_goes_on(fake):
    fake.table(run(1, T0 + 60, T0 + 20 * HOUR))
    fake.plan(every=f"too-wide:{4 * HOUR}")
    fake.pull(T0, T0 + DAY)
    # 24 h, 12 h and 6 h are refused, then eight windows of 3 h.
    assert fake.windows()[3][:2] == ("2026-11-01T00:00:00", "2026-11-01T03:00:00")
    assert fake.rows("SELECT count(*), sum(window_end_s - window_start_s) FROM raw_batch") == [(8, DAY)]
    assert fake.read_to() == T0 + DAY


def test_too_wide_at_one_hour_is_an_error(fake):
    fake.plan(every="too-wide:60")
    with pytest.raises(HesuanError, match=r"exit code 95.*Too wide of a date range"):
        fake.pull(T0, T0 + DAY)
    assert fake.read_to() is None


def test_first_pull_must_say_where_to_begin(fake):
    with pytest.raises(HesuanError, match="--since"):
        fake.pull(None, T0 + DAY)


def test_window_must_not_be_empty(fake):
    with pytest.raises(HesuanError) as error:
        fake.pull(T0 + DAY, T0)
    assert error.value.key == "live.empty_window"


@pytest.mark.parametrize("hours", [{"chunk_hours": 0}, {"overlap_hours": -1}])
def test_hours_must_make_sense(fake, hours):
    with pytest.raises(HesuanError) as error:
        fake.pull(T0, T0 + DAY, **hours)
    assert error.value.key == "live.bad_hours"
