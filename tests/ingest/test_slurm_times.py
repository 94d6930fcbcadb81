"""Times: seconds, offsets, wall times, the hour that a clock change repeats and the one that it leaves out.

In Europe/Berlin on 2026-10-25 the clock goes from 03:00 (UTC+2) back to 02:00 (UTC+1) at 01:00 UTC: 02:30 is
00:30 UTC = 1792888200, and again 01:30 UTC = 1792891800. On 2026-03-29 there is no 02:30.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_store import take, text

from models.errors import HesuanError

HEAD = "JobIDRaw|State|Submit|Start|End|ElapsedRaw|Suspended|AllocTRES"
HALF_PAST_TWO = 1792888200


def row(start: str, end: str, elapsed: int, suspended: str = "0", submit: str = "2026-10-24T12:00:00") -> str:
    return f"1|COMPLETED|{submit}|{start}|{end}|{elapsed}|{suspended}|cpu=1"


@pytest.mark.parametrize(
    "written",
    [
        "1767225600",
        "2026-01-01T00:00:00Z",
        "2026-01-01T01:00:00+0100",
        "2026-01-01T05:30:00+05:30",
        "2025-12-31 16:00:00-0800",
        "2026-01-01T08:00:00",
    ],
)
def test_forms_of_one_moment(tmp_path: Path, written: str) -> None:
    found = take(tmp_path, text(HEAD, row(written, "Unknown", 0)), timezone="Asia/Shanghai")
    assert (found.rows[0]["start_s"], found.rows[0]["end_s"]) == (1767225600, None)


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "suspended", "want_start", "want_end", "open_times"),
    [
        # Ends at 03:30 = 02:30 UTC: an hour of run began at the second 02:30, two hours at the first.
        ("02:30:00", "03:30:00", 3600, "0", HALF_PAST_TWO + 3600, HALF_PAST_TWO + 7200, 0),
        ("02:30:00", "03:30:00", 7200, "0", HALF_PAST_TWO, HALF_PAST_TWO + 7200, 0),
        # Elapsed is without the suspended time.
        ("02:30:00", "03:30:00", 1800, "00:30:00", HALF_PAST_TWO + 3600, HALF_PAST_TWO + 7200, 0),
        # Began at 01:50 = 23:50 UTC.
        ("01:50:00", "02:30:00", 2400, "0", HALF_PAST_TWO - 2400, HALF_PAST_TWO, 0),
        ("01:50:00", "02:30:00", 6000, "0", HALF_PAST_TWO - 2400, HALF_PAST_TWO + 3600, 0),
        # From the first 02:10 to the second 02:30.
        ("02:10:00", "02:30:00", 4800, "0", HALF_PAST_TWO - 1200, HALF_PAST_TWO + 3600, 0),
        # Both in the first or both in the second: nothing decides.
        ("02:10:00", "02:30:00", 1200, "0", HALF_PAST_TWO - 1200, HALF_PAST_TWO, 2),
        # No reading fits.
        ("02:30:00", "03:30:00", 10, "0", HALF_PAST_TWO, HALF_PAST_TWO + 7200, 1),
    ],
)
def test_the_repeated_hour(
    tmp_path: Path,
    start: str,
    end: str,
    elapsed: int,
    suspended: str,
    want_start: int,
    want_end: int,
    open_times: int,
) -> None:
    data = text(HEAD, row(f"2026-10-25T{start}", f"2026-10-25T{end}", elapsed, suspended))
    found = take(tmp_path, data, timezone="Europe/Berlin")
    assert (found.rows[0]["start_s"], found.rows[0]["end_s"]) == (want_start, want_end)
    assert found.found == ["time-ambiguous"] * open_times


def test_a_running_job_of_the_repeated_hour(tmp_path: Path) -> None:
    found = take(tmp_path, text(HEAD, row("2026-10-25T02:30:00", "Unknown", 500)), timezone="Europe/Berlin")
    assert (found.rows[0]["start_s"], found.found) == (HALF_PAST_TWO, ["time-ambiguous"])


def test_a_submit_time_is_before_the_start(tmp_path: Path) -> None:
    rows = [
        # Started at 02:50 the first time (ended an hour later): submitted at the first 02:30.
        row("2026-10-25T02:50:00", "2026-10-25T02:50:00", 3600, submit="2026-10-25T02:30:00"),
        # Started at 04:00: either.
        row("2026-10-25T04:00:00", "2026-10-25T05:00:00", 3600, submit="2026-10-25T02:30:00"),
    ]
    found = take(tmp_path, text(HEAD, *rows), timezone="Europe/Berlin")
    assert [one["submit_s"] for one in found.rows] == [HALF_PAST_TWO] * 2
    assert [one["location"] for one in found.findings] == ["line 3"]


def test_the_hour_left_out(tmp_path: Path) -> None:
    found = take(
        tmp_path,
        text(HEAD, row("2026-03-29T02:30:00", "2026-03-29T04:00:00", 1800)),
        timezone="Europe/Berlin",
    )
    # By the offset before the change, UTC+1: 01:30 UTC.
    assert found.rows[0]["start_s"] == int(datetime(2026, 3, 29, 1, 30, tzinfo=UTC).timestamp())
    assert found.found == ["time-not-existing"]


def test_a_wall_time_without_a_zone_is_never_guessed(tmp_path: Path) -> None:
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, text(HEAD, row("2026-01-01T00:00:00", "Unknown", 0)))
    assert refused.value.key == "ingest.timezone_missing"
    assert "--timezone" in str(refused.value)
    assert not list(tmp_path.glob("*.wal"))


def test_one_wall_time_among_others_costs_one_record(tmp_path: Path) -> None:
    rows = [f"{n}|COMPLETED|90|100|160|60|0|cpu=1" for n in range(1, 5)]
    found = take(tmp_path, text(HEAD, *rows, "9|COMPLETED|90|2026-01-01T00:00:00|160|60|0|cpu=1"))
    assert (found.batch.kept, found.reasons) == (4, ["bad-time"])
    assert "--timezone" in found.rejected[0]["detail"]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "beijing"])
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str) -> None:
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, text(HEAD), timezone=zone)
    assert refused.value.key == "ingest.timezone_unknown"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    zone=st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
    starts=st.lists(st.integers(1_500_000_000, 1_900_000_000), min_size=20, max_size=60),
    length=st.integers(0, 200_000),
)
def test_what_sacct_prints_is_read_back(tmp_path: Path, zone: str, starts: list[int], length: int) -> None:
    # As sacct prints: local wall times. A run is found again unless both its ends are in one repeated hour.
    def wall(moment: int) -> str:
        return datetime.fromtimestamp(moment, ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")

    rows = [f"{n}|COMPLETED|1|{wall(s)}|{wall(s + length)}|{length}|0|cpu=1" for n, s in enumerate(starts, 1)]
    found = take(tmp_path, text(HEAD, *rows), timezone=zone)
    undecided = {one["location"] for one in found.findings}
    for line, (one, start) in enumerate(zip(found.rows, starts, strict=True), 2):
        if f"line {line}" not in undecided:
            assert (one["start_s"], one["end_s"]) == (start, start + length)
        else:
            assert one["end_s"] - one["start_s"] == length
