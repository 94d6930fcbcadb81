"""The engine on public sacct output of real sites, against sums made another way in plain Python."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.slurm import ingest_file
from models.build import SitePaths
from tests.models.marts import open_month, table
from tests.models.sites import site

SACCT = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "sacct"
pytestmark = pytest.mark.skipif(not SACCT.exists(), reason="the public samples are not beside the repository")

XDMOD = [
    "JobID",
    "JobIDRaw",
    "Cluster",
    "Partition",
    "QOS",
    "Account",
    "Group",
    "GID",
    "User",
    "UID",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ExitCode",
    "State",
    "NNodes",
    "NCPUS",
    "ReqCPUS",
    "ReqMem",
    "ReqTRES",
    "AllocTRES",
    "Timelimit",
    "NodeList",
    "JobName",
]
MONTHS = {"2016-12": (2016, 12, 2017, 1), "2017-01": (2017, 1, 2017, 2)}


def seconds(text: str) -> int | None:
    """An ISO time without a zone, which is UTC in this file."""
    return (
        None
        if text in {"Unknown", "None"}
        else int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    )


def core_seconds(name: str) -> Counter[str]:
    """Core-seconds of the month by account: NCPUS x (End - Start) within it, line by line."""
    year, number, next_year, following = MONTHS[name]
    low = int(datetime(year, number, 1, tzinfo=UTC).timestamp())
    high = int(datetime(next_year, following, 1, tzinfo=UTC).timestamp())
    found: Counter[str] = Counter()
    for line in (SACCT / "xdmod_pozidriv.log").read_text(encoding="utf-8").splitlines():
        row = dict(zip(XDMOD, line.split("|"), strict=True))
        start, end = seconds(row["Start"]), seconds(row["End"])
        if start is not None and end is not None:
            found[row["Account"]] += int(row["NCPUS"]) * max(0, min(end, high) - max(start, low))
    return +found


def test_a_cluster_over_the_turn_of_a_year(tmp_path: Path) -> None:
    """XDMoD's largest reference log: 11,704 records, of which 85 cross midnight of New Year."""
    paths = SitePaths(tmp_path)
    batch = ingest_file(
        paths.raw,
        SACCT / "xdmod_pozidriv.log",
        cluster="pozidriv",
        columns=XDMOD,
        timezone="UTC",
        who="test",
        now_s=0,
        program_version="test",
    )
    assert (batch.kept, batch.rejected, batch.steps) == (11_704, 0, 0)
    for name in MONTHS:
        con = open_month(paths, name, of=site())
        found = table(
            con,
            "SELECT m.account, SUM(u.consumed_base) FROM core_use AS u JOIN core_combo AS m ON m.combo_no = u.combo_no"
            " WHERE u.resource = 'cpu' GROUP BY 1",
        )
        expected = core_seconds(name)
        assert len(expected) >= 3
        assert {account: int(base) for account, base in found} == {
            account: core * 1000 for account, core in expected.items()
        }


def test_a_day_with_steps_and_two_kinds_of_card(tmp_path: Path) -> None:
    """A day of a Norwegian cluster: 294 allocations and 582 steps.

    The sums are those of reference notes made from the file itself: 1,247 core-hours (3,744 if steps were added) and
    39.0 card-hours (74.0 if gres/gpu and gres/gpu:a100 were added).
    """
    paths = SitePaths(tmp_path)
    batch = ingest_file(
        paths.raw,
        SACCT / "jobanalyzer_slurm-sacct_2025-05-03.csv",
        cluster="fox",
        timezone="Europe/Oslo",
        who="test",
        now_s=0,
        program_version="test",
    )
    assert (batch.kept, batch.rejected, batch.steps) == (294, 0, 582)
    hours: Counter[str] = Counter()
    cards: Counter[str] = Counter()
    for name in ("2025-04", "2025-05"):
        con = open_month(paths, name, of=site(timezone="Europe/Oslo"))
        for resource, base in table(con, "SELECT resource, SUM(consumed_base) FROM core_use GROUP BY 1"):
            (cards if ":" in resource else hours)[resource] += int(base)
    assert round(hours["cpu"] / 3_600_000) == 1247
    assert round(sum(cards.values()) / 3_600_000, 1) == 39.0
    assert {"gpu:a100", "gpu:rtx30"} <= set(cards)
