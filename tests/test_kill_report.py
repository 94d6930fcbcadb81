"""SIGKILL in the middle of a report that several processes write: none of them is left behind, and a re-run writes all."""

from __future__ import annotations

import time
from pathlib import Path

from command import hesuan, start
from generated import PERIOD, make_records, make_site


def test_the_helpers_of_a_killed_report_end_with_it(tmp_path):
    site = make_site(tmp_path / "site", 60)
    file = make_records(tmp_path / "sacct.txt", 600, 60)
    assert hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, site=site).code == 0
    assert hesuan("build", PERIOD, site=site).code == 0
    words = ("report", "bill", PERIOD, "--format", "pdf", "--out", tmp_path / "bills")
    process = start(*words, site=site)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    began = time.monotonic()
    while not any((tmp_path / "bills").glob("*.pdf")) and time.monotonic() - began < 60:
        time.sleep(0.01)
    helpers = [Path("/proc") / pid for pid in children.read_text().split()]
    process.kill()
    process.communicate()
    assert helpers
    while any(map(alive, helpers)) and time.monotonic() - began < 90:
        time.sleep(0.05)
    assert not any(map(alive, helpers))
    assert hesuan(*words, site=site).code == 0
    assert len(list((tmp_path / "bills").glob("*.pdf"))) == 60


def alive(process: Path) -> bool:
    """Whether a process is there and no mere entry that nobody has collected."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
