"""Energy of a run from Slurm's counter, worked by hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb

from ingest.slurm import ingest_file
from models.build import SitePaths
from tests.models.energy_marts import Energy, findings, mart, of_runs
from tests.models.marts import table
from tests.models.raw_rows import fill_raw, run

HOUR = 3600
T0 = 1_788_220_800  # 2026-09-01T00:00:00Z
OCTOBER = T0 + 30 * 24 * HOUR
REPRO = Path(__file__).resolve().parents[1] / "data" / "sacct-repro.psv"


def month(directory: Path, *records: dict[str, Any], period: str = "2026-09") -> duckdb.DuckDBPyConnection:
    paths = SitePaths(directory)
    fill_raw(paths.raw, list(records))
    return mart(paths, period)


def energies(directory: Path, *records: dict[str, Any]) -> Energy:
    return of_runs(month(directory, *records))


def metered(
    job: int, begin: int, end: int, joules: str | None, node: str = "n09", tres: str = "cpu=32", **more: Any
) -> dict[str, Any]:
    return run(job, T0 + begin, T0 + end, tres, energy=joules, node_list=node, **more)


def test_alone_on_its_node(tmp_path: Path) -> None:
    """One run, one node, 3,600,000 J: 1 kWh. Another before it, another after it, a third on another cluster."""
    found = energies(
        tmp_path,
        metered(1, HOUR, 2 * HOUR, "3600000"),
        metered(2, 0, HOUR, None),
        metered(3, 2 * HOUR, 3 * HOUR, None),
        metered(4, HOUR, 2 * HOUR, None, cluster="c2"),
    )
    assert found == {1: ("measured", 3_600_000)} | dict.fromkeys((2, 3, 4), ("unknown", None))


def test_two_alike_share_a_node(tmp_path: Path) -> None:
    """Each carries the whole node's 3,600,000 J: half each."""
    both = energies(tmp_path, metered(1, 0, HOUR, "3600000"), metered(2, 0, HOUR, "3600000"))
    assert both == {1: ("shared", 1_800_000), 2: ("shared", 1_800_000)}


def test_seven_alike_lose_no_joule_that_divides(tmp_path: Path) -> None:
    """7,000,000 J by seven is 1,000,000 J each; 7,000,006 J by seven is 1,000,000 J each and 6 J for nobody."""
    for joules in (7_000_000, 7_000_006):
        found = energies(
            tmp_path / str(joules), *(metered(job, 0, HOUR, str(joules), tres="cpu=1") for job in range(7))
        )
        assert found == dict.fromkeys(range(7), ("shared", 1_000_000))


def test_shared_for_a_part_of_the_time_and_by_cores(tmp_path: Path) -> None:
    """A node of 500 kJ an hour. Run 1: 10 cores for 2 h; run 2: 30 cores for the second of them.

    Run 1 has the first hour's 500,000 J and 10/40 of the second's: 625,000. Run 2 has 30/40: 375,000. All 1,000,000 J.
    """
    found = energies(
        tmp_path,
        metered(1, 0, 2 * HOUR, "1000000", tres="cpu=10"),
        metered(2, HOUR, 2 * HOUR, "500000", tres="cpu=30"),
    )
    assert found == {1: ("shared", 625_000), 2: ("shared", 375_000)}


def test_several_nodes_of_which_one_is_shared(tmp_path: Path) -> None:
    """8 cores on n1 and n2 (4 each) with 1,000,001 J: 500,000 and 500,001; on n2 another run has 12 cores: a quarter.

    500,000 + floor(500,001 / 4) = 500,000 + 125,000. The other has no counter.
    """
    found = energies(
        tmp_path,
        metered(1, 0, HOUR, "1000001", node="n[1-2]", tres="cpu=8", nodes_count=2),
        metered(2, 0, HOUR, None, node="n2", tres="cpu=12"),
    )
    assert found == {1: ("shared", 625_000), 2: ("unknown", None)}


COUNTERS = (
    ("18446744073709551614", "unknown"),  # NO_VAL64
    ("18446744073709551615", "unknown"),  # INFINITE64
    ("18446744073708549186", "unknown"),  # a wrap near 2^64, as a real 22.05 printed it
    ("9223372036854775808", "unknown"),  # 2^63
    ("9223372036854775807", "implausible"),
    ("-2", "unknown"),  # NO_VAL64, signed
    ("4294967294", "unknown"),  # NO_VAL
    ("4294967295", "unknown"),  # INFINITE
    ("4294966272", "implausible"),  # a wrap near 2^32: 1.2 MW for an hour
    ("900000000000", "implausible"),
    ("72000001", "implausible"),  # 20 kW for an hour is 72 MJ
    ("72000000", "measured"),
    ("1", "measured"),
    ("0", "unknown"),
    ("", "unknown"),
    (None, "unknown"),
    ("12.5K", "unknown"),
)


def test_what_is_no_energy(tmp_path: Path) -> None:
    """Each for an hour alone on a node."""
    found = energies(
        tmp_path, *(metered(n, 0, HOUR, joules, node=f"n{n}") for n, (joules, _) in enumerate(COUNTERS))
    )
    assert [found[n] for n in range(len(COUNTERS))] == [
        (basis, int(joules) if joules and basis == "measured" else None) for joules, basis in COUNTERS
    ]


def test_limit_counts_the_nodes_of_the_list(tmp_path: Path) -> None:
    """Four nodes may draw 4 x 72 MJ in an hour, whatever NNodes says; without a list NNodes counts."""
    found = energies(
        tmp_path,
        metered(1, 0, HOUR, "288000000", node="n[1-4]"),
        metered(2, 0, HOUR, "288000001", node="m[1-4]"),
        metered(3, 0, HOUR, "144000001", node="", nodes_count=2),
        metered(4, 0, HOUR, "144000000", node="", nodes_count=2),
    )
    assert found == {
        1: ("measured", 288_000_000), 2: ("implausible", None), 3: ("implausible", None), 4: ("unknown", None),
    }  # fmt: skip


def test_counter_of_a_job_that_changed_its_size_is_of_its_whole_life(tmp_path: Path) -> None:
    """Slurm 22.05 repeats the first Start: 100 MJ in the 2 h since then may be (144 MJ), in the last hour not (72 MJ)."""
    con = month(
        tmp_path,
        metered(1, 0, HOUR, None, state="RESIZING", submit_s=T0, eligible_s=T0),
        metered(1, 0, 2 * HOUR, "100000000", submit_s=T0 + HOUR, eligible_s=T0 + HOUR),
    )
    found = table(
        con,
        """SELECT r.begin_s, e.basis, e.energy_j, e.period_energy_j
           FROM core_run_energy AS e JOIN core_run AS r ON r.run_no = e.run_no ORDER BY 1""",
    )
    assert found == [(T0, "unknown", None, None), (T0 + HOUR, "measured", 100_000_000, 100_000_000)]


def test_nobody_knows_whether_it_was_shared(tmp_path: Path) -> None:
    """Without nodes a counter may be anybody's; a run without cores beside others has no part that could be told."""
    found = energies(
        tmp_path,
        metered(1, 0, HOUR, "3600000", node=""),
        metered(2, 0, HOUR, "3600000", node="n[1-"),
        metered(3, 0, HOUR, "3600000", node="g1", tres="gres/gpu=1,node=1"),
        metered(4, 0, HOUR, "3600000", node="g1", tres="cpu=4,node=1"),
        metered(5, 0, HOUR, "3600000", node="g2", tres="gres/gpu=1,node=1"),
    )
    assert found == {
        1: ("unknown", None), 2: ("unknown", None), 3: ("unknown", None), 4: ("shared", 3_600_000),
        5: ("measured", 3_600_000),
    }  # fmt: skip


def test_two_months_add_up(tmp_path: Path) -> None:
    """3 h over the month's end with 3,000,001 J, 1 h before it: floor(3,000,001 / 3) = 1,000,000 J and the rest.

    In October another run shares the node half and half for the 2 h: floor(3,000,001 / 2) = 1,500,000 J is what the
    run's own part would be if it had been so all the time, 1,000,000 J of it in October.
    """
    crossing = run(
        1, OCTOBER - HOUR, OCTOBER + 2 * HOUR, "cpu=32", energy="3000001", node_list="n1", state="COMPLETED"
    )
    paths = SitePaths(tmp_path / "alone")
    fill_raw(paths.raw, [crossing])
    september, october = (of_runs(mart(paths, name), "period_energy_j")[1] for name in ("2026-09", "2026-10"))
    assert (september, october) == (("measured", 1_000_000), ("measured", 2_000_001))

    paths = SitePaths(tmp_path / "together")
    fill_raw(paths.raw, [crossing, run(2, OCTOBER, OCTOBER + 2 * HOUR, "cpu=32", energy="", node_list="n1")])
    september, october = (of_runs(mart(paths, name), "period_energy_j")[1] for name in ("2026-09", "2026-10"))
    assert (september, october) == (("measured", 1_000_000), ("shared", 1_000_000))


def test_findings(tmp_path: Path) -> None:
    """One row for a jump, one for a partition's unknown counters; not said and 0 are nothing odd."""
    con = month(
        tmp_path,
        metered(1, 0, HOUR, "900000000000", node="n1"),
        metered(2, 0, HOUR, "18446744073709551614", node="n2"),
        metered(3, 0, HOUR, "-2", node="n3"),
        metered(4, 0, HOUR, "0", node="n4"),
        metered(5, 0, HOUR, "", node="n5"),
        metered(6, 0, HOUR, None, node="n6"),
        metered(7, 0, HOUR, "", node="n[7-"),
        metered(8, HOUR, 2 * HOUR, "", node="n[7-"),
        metered(9, 0, HOUR, "", node="n[8-9]", nodes_count=4),
        metered(10, 0, HOUR, "", node="b04-[09-10]", nodes_count=2),
        metered(11, 0, HOUR, "", node="b04-[09-10]", nodes_count=None),
    )
    assert findings(con) == [
        ("c1 1", "energy-implausible", "900000000000 J", "info"),
        ("c1 2", "energy-unknown", "2 runs, 18446744073709551614 J", "info"),
        ("c1 7", "bad-node-list", "2 runs, n[7-", "info"),
        ("c1 9", "nodes-disagree", "1 runs, NNodes 4, n[8-9]", "info"),
    ]


def test_reproducers(tmp_path: Path) -> None:
    """What the file says of them: unknown, invalid, 1 kWh, half of the node's for each of two; b04-09, b04-10.

    Rows 121, 124 and 125 stand for one node and one hour each, so each is alone in its store.
    """
    with REPRO.open(encoding="utf-8", newline="") as file:
        header, *lines = list(csv.reader(file, delimiter="|"))

    def january(*cases: str) -> duckdb.DuckDBPyConnection:
        paths = SitePaths(tmp_path / cases[0])
        paths.directory.mkdir()
        source = paths.directory / "sacct.psv"
        chosen = [line for line in lines if line[0] in cases]
        assert len(chosen) == len(cases)
        source.write_text("".join("|".join(line) + "\n" for line in [header, *chosen]), encoding="utf-8")
        ingest_file(
            paths.raw, source, cluster="c1", timezone="UTC", who="test", now_s=0, program_version="test"
        )
        return mart(paths, "2024-01")

    assert of_runs(january("energy_sentinel")) == {121: ("unknown", None)}
    assert of_runs(january("energy_implausible")) == {124: ("implausible", None)}
    assert of_runs(january("energy_good")) == {125: ("measured", 3_600_000)}
    assert of_runs(january("energy_shared_a", "energy_shared_b")) == {
        126: ("shared", 1_800_000), 127: ("shared", 1_800_000),
    }  # fmt: skip
    padded = january("hostlist_padded")
    assert table(padded, "SELECT node FROM ref_hostlist ORDER BY place") == [("b04-09",), ("b04-10",)]
    assert findings(padded) == []
