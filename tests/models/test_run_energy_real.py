"""Energy of the runs that a real Slurm recorded, with counters and without."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.slurm import ingest_file
from models.build import SitePaths
from tests.models.energy_marts import findings, mart
from tests.models.marts import table

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "slurm-real"


def real(directory: Path, name: str) -> duckdb.DuckDBPyConnection:
    source = REAL / name / "sacct-dup.psv"
    if not source.exists():
        pytest.skip("the recorded Slurm output is not beside the repository")
    paths = SitePaths(directory)
    ingest_file(
        paths.raw, source, cluster="testhpc", timezone="UTC", who="test", now_s=0, program_version="test"
    )
    return mart(paths, "2026-10")


@pytest.mark.parametrize("name", ["22.05-energy", "22.05-energy-underflow"])
def test_no_node_of_a_real_slurm_is_counted_twice(name: str, tmp_path: Path) -> None:
    """The emulated counters draw 200 W on cpu nodes, 900 W on gpu nodes; times are stretched by 1200.

    So a node's energy while some metered run was on it is watts x that time / 1200. Counters and times are whole real
    seconds, read at slightly different moments, so a second a run is granted. What the runs report is beyond that on
    nodes that they shared; what they are given never is.
    """
    con = real(tmp_path, name)
    rows = table(
        con,
        """
        WITH metered AS (
            SELECT r.node_list AS node, r.begin_s, r.reach_s, e.reported_j, e.energy_j,
                   MAX(r.reach_s) OVER (PARTITION BY r.node_list ORDER BY r.begin_s, r.reach_s, r.run_no
                                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_s
            FROM core_run AS r JOIN core_run_energy AS e ON e.run_no = r.run_no
            WHERE e.energy_j IS NOT NULL AND r.node_list NOT LIKE '%[%'
        )
        SELECT node, COUNT(*), SUM(reported_j), SUM(energy_j),
               SUM(GREATEST(reach_s - GREATEST(begin_s, COALESCE(before_s, begin_s)), 0)) // 1200 AS used_s
        FROM metered GROUP BY node ORDER BY node
        """,
    )
    assert len(rows) == 5  # gpu02 was used by a run of two nodes only
    twice = []
    for node, runs, reported_j, energy_j, used_s in rows:
        most_j = (900 if node.startswith("gpu") else 200) * (used_s + runs)
        assert 0 < energy_j <= most_j
        if reported_j > most_j:
            twice.append(node)
    assert twice


def test_real_wrap_around(tmp_path: Path) -> None:
    """Task 4_1 of the recorded run went below zero: 2^64 - 1,002,430 J."""
    con = real(tmp_path, "22.05-energy-underflow")
    found = table(
        con,
        """SELECT e.basis, e.reported_j, e.energy_j, e.period_energy_j
           FROM core_run_energy AS e JOIN core_run AS r ON r.run_no = e.run_no WHERE r.job_id = '4_1'""",
    )
    assert found == [("unknown", None, None, None)]
    assert findings(con) == [("testhpc 4_1", "energy-unknown", "1 runs, 18446744073708549186 J", "info")]


def test_real_job_that_changed_its_size(tmp_path: Path) -> None:
    """Job 36 had two nodes, then one: its record of two nodes tells nothing, the last one tells all, 9135 J."""
    con = real(tmp_path, "22.05-energy")
    found = table(
        con,
        """SELECT r.state, e.basis, e.energy_j FROM core_run_energy AS e JOIN core_run AS r ON r.run_no = e.run_no
           WHERE r.job_id = '36' ORDER BY r.begin_s""",
    )
    assert found == [("resizing", "unknown", None), ("completed", "measured", 9135)]


@pytest.mark.parametrize("name", ["22.05", "24.11", "26.05"])
def test_a_real_slurm_without_sensors_tells_nothing(name: str, tmp_path: Path) -> None:
    """It prints 0 for every job that ended, which is no energy."""
    con = real(tmp_path, name)
    assert table(con, "SELECT DISTINCT energy_said FROM core_run_energy ORDER BY 1") == [("0",), (None,)]
    assert table(con, "SELECT DISTINCT basis, energy_j FROM core_run_energy") == [("unknown", None)]
    assert findings(con) == []
