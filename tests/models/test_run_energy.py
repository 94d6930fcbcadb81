"""Energy of a run from Slurm's counter, worked by hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb

from models.build import SitePaths, build
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import book, price, site, tariff

HOUR = 3600
T0 = 1_788_220_800  # 2026-09-01T00:00:00Z


def energies(directory: Path, *records: dict[str, Any]) -> dict[int, tuple[str, int | None]]:
    paths = SitePaths(directory)
    fill_raw(paths.raw, list(records))
    made = build(paths, site(), book(tariff(price("CPU", "cpu", "1"))), "2026-09", program_version="test")
    con = duckdb.connect(str(made.path), read_only=True)
    return {
        job: (basis, joules)
        for job, basis, joules in con.execute(
            "SELECT job_id_raw, basis, energy_j FROM core_run_energy JOIN (SELECT run_no, job_id_raw FROM core_run) USING (run_no)"
        ).fetchall()
    }


def metered(
    job: int, begin: int, end: int, joules: str | None, node: str = "n09", tres: str = "cpu=32", **more: Any
) -> dict[str, Any]:
    return run(job, T0 + begin, T0 + end, tres, energy=joules, node_list=node, **more)


def test_alone_on_its_node(tmp_path: Path) -> None:
    """One run, one node, 3,600,000 J: 1 kWh."""
    assert energies(tmp_path, metered(1, 0, HOUR, "3600000")) == {1: ("measured", 3_600_000)}


def test_two_alike_share_a_node(tmp_path: Path) -> None:
    """Each carries the whole node's 3,600,000 J: half each."""
    both = energies(tmp_path, metered(1, 0, HOUR, "3600000"), metered(2, 0, HOUR, "3600000"))
    assert both == {1: ("shared", 1_800_000), 2: ("shared", 1_800_000)}


def test_shared_for_a_part_of_the_time_and_by_cores(tmp_path: Path) -> None:
    """Run 1: 10 cores for 2 h; run 2: 30 cores for the second of them.

    Run 1 held 20 core-h of 50 meanwhile: 1,000,000 x 20 / 50 = 400,000. Run 2 held 30 of 40: 600,000 x 30 / 40 = 450,000.
    """
    found = energies(
        tmp_path,
        metered(1, 0, 2 * HOUR, "1000000", tres="cpu=10"),
        metered(2, HOUR, 2 * HOUR, "600000", tres="cpu=30"),
    )
    assert found == {1: ("shared", 400_000), 2: ("shared", 450_000)}


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


def test_what_is_no_energy(tmp_path: Path) -> None:
    """2^64 - 2 is Slurm's unknown, 2^63 and beyond a wrapped counter, −2 the signed form; 250 MW is no node."""
    found = energies(
        tmp_path,
        metered(1, 0, HOUR, "18446744073709551614", node="a"),
        metered(2, 0, HOUR, "18446744073708549186", node="b"),
        metered(3, 0, HOUR, "-2", node="c"),
        metered(4, 0, HOUR, "900000000000", node="d"),
        metered(5, 0, HOUR, "", node="e"),
        metered(6, 0, HOUR, "72000000", node="f"),
    )
    assert found == {
        1: ("unknown", None), 2: ("unknown", None), 3: ("unknown", None), 4: ("implausible", None), 5: ("unknown", None),
        6: ("measured", 72_000_000),
    }  # fmt: skip


REPRO = Path(__file__).parents[1] / "data" / "sacct-repro.psv"


def repro(directory: Path, *cases: str) -> dict[int, tuple[str, int | None]]:
    """The energies of some rows of the hand-written reproducers, alone in their store."""
    with REPRO.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="|") if row["case"] in cases]
    assert len(rows) == len(cases)
    shift = T0 - 1_704_067_200  # the rows are of January 2024
    return energies(
        directory,
        *(
            metered(
                int(row["JobIDRaw"]), int(row["Start"]) + shift - T0, int(row["End"]) + shift - T0, row["ConsumedEnergyRaw"],
                node=row["NodeList"], tres=row["AllocTRES"], nodes_count=int(row["NNodes"]),
            )
            for row in rows
        ),
    )  # fmt: skip


def test_reproducers(tmp_path: Path) -> None:
    """What the file says of them: unknown, invalid, 1 kWh, half of the node's for each of two."""
    assert repro(tmp_path / "a", "energy_sentinel") == {121: ("unknown", None)}
    assert repro(tmp_path / "b", "energy_implausible") == {124: ("implausible", None)}
    assert repro(tmp_path / "c", "energy_good") == {125: ("measured", 3_600_000)}
    assert repro(tmp_path / "d", "energy_shared_a", "energy_shared_b") == {
        126: ("shared", 1_800_000), 127: ("shared", 1_800_000),
    }  # fmt: skip
