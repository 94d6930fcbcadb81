"""How long a month of a large centre takes to build: a million runs of 300 tenants, by table, and in how much memory.

`make bench` prints the figures.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command import environment, hesuan
from generated import PERIOD, make_records, make_site

pytestmark = pytest.mark.bench

RUNS, TENANTS = 1_000_000, 300
MOST_BUILD_S = 60.0
MOST_RESIDENT_BYTES = 4 << 30

BUILD = """
import json, resource, sys, time
from pathlib import Path
from hesuan.site import read_site
from models.build import SitePaths, build
from models.tariff_file import read_price_book

site, period = Path(sys.argv[1]), sys.argv[2]
marks = []
began = time.monotonic()
build(
    SitePaths(site), read_site(site), read_price_book(site / "tariffs.toml"), period, program_version="bench",
    progress=lambda table, done, total: marks.append((table, time.monotonic())),
)
ended = time.monotonic()
ends = [at for _, at in marks[1:]] + [ended]
print(json.dumps({
    "whole_s": ended - began,
    "tables": {table: end - at for (table, at), end in zip(marks, ends)},
    "resident_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""


def test_a_million_runs(tmp_path):
    site = make_site(tmp_path / "site", TENANTS)
    file = make_records(tmp_path / "sacct.txt", RUNS, TENANTS, users=10)
    assert hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, site=site).code == 0
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(site), PERIOD], env=environment(), check=True, capture_output=True
    )
    found = json.loads(done.stdout)
    print(
        f"\n{RUNS:,} runs of {TENANTS} tenants: {found['whole_s']:.1f} s, {found['resident_bytes'] / 2**30:.2f} GiB resident"
    )
    for table, spent_s in sorted(found["tables"].items(), key=lambda item: -item[1]):
        print(f"  {spent_s:6.2f} s  {table}")
    check = hesuan("check", PERIOD, "--json", site=site)
    assert (check.code, check.json["failed"]) == (0, {})
    assert found["whole_s"] < MOST_BUILD_S
    assert found["resident_bytes"] < MOST_RESIDENT_BYTES
