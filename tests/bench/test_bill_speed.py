"""How long bills take to write: one of 30 pages in a warm process, and those of a thousand tenants over two processors.

`make bench` prints the figures.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest
from command import hesuan, start
from generated import PERIOD, make_records, make_site
from pypdf import PdfReader

from reports.bills import write_bills

pytestmark = pytest.mark.bench

TENANTS, RUNS_EACH, USERS_EACH = 1_000, 150, 5
MOST_ALL_S = 90.0
MOST_LONG_S = 2.0


def built(folder: Path, tenants: int, runs: int, users: int) -> Path:
    """A built site of generated records."""
    site = make_site(folder / "site", tenants)
    file = make_records(folder / "sacct.txt", runs, tenants, users=users)
    assert hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, site=site).code == 0
    assert hesuan("build", PERIOD, site=site).code == 0
    return site


def test_a_bill_of_thirty_pages(tmp_path):
    # 55 users who work on each of the 30 days: 1,650 rows of details.
    site = built(tmp_path, 1, 20_000, 55)
    spent = []
    for turn in range(3):
        began = time.monotonic()
        (path,) = write_bills(
            site / "mart", PERIOD, ("t0001",), tmp_path / str(turn), formats=("pdf",), lang="zh", draft=True
        )
        spent.append(time.monotonic() - began)
    pages = len(PdfReader(path).pages)
    print(
        f"\na bill of {pages} pages: {spent[0]:.2f} s, warm {min(spent[1:]):.2f} s, {path.stat().st_size:,} bytes"
    )
    assert pages >= 30
    assert min(spent[1:]) < MOST_LONG_S


def test_a_thousand_tenants(tmp_path):
    site = built(tmp_path, TENANTS, TENANTS * RUNS_EACH, USERS_EACH)
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = start(
        "report", "bill", PERIOD, "--out", tmp_path / "bills", "--format", "pdf,xlsx,csv", site=site
    )
    process.communicate()
    spent_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    files = list((tmp_path / "bills").iterdir())
    print(
        f"\nbills of {TENANTS:,} tenants: {spent_s:.1f} s ({processor_s:.1f} of processors), {len(files):,} files, {sum(f.stat().st_size for f in files):,} bytes"
    )
    assert process.returncode == 0
    assert len(files) == 4 * TENANTS
    assert spent_s < MOST_ALL_S
