"""AllocTRES texts by hand: what each holds per second, and which cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from models.site import ACCELERATORS
from tests.models.marts import month, table
from tests.models.raw_rows import run
from tests.models.sites import site

T = 1_704_067_200
BOARD = 28

# Text -> base units per second by resource: core-ms, MiB-s, node-s, billing-ms, device-ms.
READ: dict[str, dict[str, int]] = {
    "cpu=4": {"cpu": 4000},
    "billing=97,cpu=2,gres/gpu:a100=4,gres/gpu=4,mem=1000M,node=2": {
        "billing": 97_000, "cpu": 2000, "gpu:a100": 4000, "mem": 1000, "node": 2,
    },
    # Typed alone add up; generic alone is of no type; what no type names stays untyped.
    "gres/gpu:a100=2,gres/gpu:v100=1": {"gpu:a100": 2000, "gpu:v100": 1000},
    "gres/gpu=3": {"gpu:untyped": 3000},
    "gres/gpu=4,gres/gpu:a100=3": {"gpu:a100": 3000, "gpu:untyped": 1000},
    # More typed than there are: the total counts, cut in the order of names.
    "gres/gpu=3,gres/gpu:a100=2,gres/gpu:v100=2": {"gpu:a100": 2000, "gpu:v100": 1000},
    "gres/gpu=2,gres/gpu:a100=2,gres/gpu:v100=2": {"gpu:a100": 2000},
    "gres/gpu=0,gres/gpu:a100=0,cpu=1": {"cpu": 1000},
    # Each kind of accelerator by itself.
    "gres/npu:910b=8,gres/gpu:a100=1": {"npu:910b": 8000, "gpu:a100": 1000},
    "gres/dcu=4,gres/mlu:mlu370=2": {"dcu:untyped": 4000, "mlu:mlu370": 2000},
    # Not devices: other gres, what Slurm adds to a GPU by itself, licences, energy.
    "cpu=1,gres/gpumem=40G,gres/gpuutil=90,gres/shard=3,license/abaqus=5,energy=12345,fs/disk=9": {"cpu": 1000},
    # MIG slices are devices of a type of their own.
    "gres/gpu:1g.5gb=3,gres/gpu=3": {"gpu:1g.5gb": 3000},
    # Units: none and M are MiB, powers of 1024; 62.50G is 64,000 MiB, 512K half a MiB, rounded down by whole MiB.
    "mem=8192": {"mem": 8192},
    "mem=62.50G": {"mem": 64_000},
    "mem=2T": {"mem": 2 * 1024**2},
    "mem=1P": {"mem": 1024**3},
    "mem=1536K": {"mem": 1},
    "mem=0.5G": {"mem": 512},
    # Fractions to a thousandth; case and blanks do not matter.
    "billing=4.5": {"billing": 4500},
    "cpu=0.3335": {"cpu": 334},
    "CPU=2, Mem=1G ,gres/GPU:A100=1": {"cpu": 2000, "mem": 1024, "gpu:a100": 1000},
    # The largest that is believed: 10^9 of anything, 10^12 MiB.
    "cpu=1000000000": {"cpu": 10**12},
    "mem=1000000000000": {"mem": 10**12},
}  # fmt: skip

# Texts of which a word cannot be read: the run is held.
UNREADABLE = (
    "cpu=-1", "cpu=x", "cpu=", "cpu", "cpu=1K", "cpu=1000000001", "mem=1000000000001", "mem=1X", "mem=1.2.3G", "mem=4Mc",
    "gres/gpu:a100=two", "gres/gpu=1,gres/gpu:a100=-1", "node=1G", "billing=nan", "cpu=4=4", "cpu=1e3", "cpu=Infinity",
    "cpu=4,cpu=4", "gres/gpu:a100=1,gres/gpu:a100=1", "cpu=4,CPU=2", "mem=18446744073709551614",
)  # fmt: skip


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """All the texts in one month, each with a core so that it holds something, ten seconds each."""
    texts = [*READ, *UNREADABLE]
    records = [run(n, T, T + 10, text) for n, text in enumerate(texts, 1)]
    records.append(run(9001, T, T + 10, None, alloc_cpus_count=6))
    made = month(Path(tmp_path_factory.mktemp("tres")), records, of=site())
    yield made
    made.close()


def held(con: duckdb.DuckDBPyConnection, text: str) -> dict[str, int]:
    rows = table(
        con,
        "SELECT i.resource, i.per_s_base FROM core_tres_item AS i JOIN core_tres AS t ON t.tres_no = i.tres_no WHERE t.alloc_tres = ?",
        text,
    )
    assert len(dict(rows)) == len(rows)
    return dict(rows)


@pytest.mark.parametrize("text", READ)
def test_what_a_text_holds(con: duckdb.DuckDBPyConnection, text: str) -> None:
    assert held(con, text) == READ[text]
    used = table(
        con,
        "SELECT u.resource, CAST(SUM(u.consumed_base) AS BIGINT) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no"
        " JOIN core_tres AS t ON t.tres_no = r.tres_no WHERE t.alloc_tres = ? GROUP BY 1",
        text,
    )
    assert dict(used) == {resource: base * 10 for resource, base in READ[text].items()}


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_cannot_be_read_is_held(con: duckdb.DuckDBPyConnection, text: str) -> None:
    rows = table(
        con,
        "SELECT c.fate, c.reason FROM core_record AS c JOIN core_tres AS t ON t.tres_no = c.tres_no WHERE t.alloc_tres = ?",
        text,
    )
    assert rows == [("held", "bad-tres")]


def test_a_source_without_tres_counts_its_cpus(con: duckdb.DuckDBPyConnection) -> None:
    assert table(
        con,
        "SELECT u.resource, u.consumed_base FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no WHERE r.job_id = '9001'",
    ) == [("cpu", 60_000)]


def test_typed_beyond_the_total_is_said(con: duckdb.DuckDBPyConnection) -> None:
    found = table(con, "SELECT DISTINCT detail FROM out_finding WHERE reason = 'typed-over-generic'")
    assert set(found) == {
        ("gres/gpu=3,gres/gpu:a100=2,gres/gpu:v100=2",),
        ("gres/gpu=2,gres/gpu:a100=2,gres/gpu:v100=2",),
    }


# Board's share of a slice, from NVIDIA's MIG profiles: compute slices of 7 (A100, H100 …) or of 4 (A30).
SLICES = {
    "1g.5gb": Decimal(1) / 7, "2g.10gb": Decimal(2) / 7, "3g.20gb": Decimal(3) / 7, "4g.20gb": Decimal(4) / 7,
    "7g.40gb": Decimal(1), "1g.10gb": Decimal(1) / 7, "a100_3g.39gb": Decimal(3) / 7, "1g.6gb": Decimal(1) / 4,
    "2g.12gb": Decimal(1) / 2, "4g.24gb": Decimal(1), "a100": Decimal(1), "h20": Decimal(1),
}  # fmt: skip


def test_a_slice_is_its_part_of_a_board(tmp_path: Path) -> None:
    con = month(tmp_path, [run(n, T, T + 10, f"gres/gpu:{kind}=2") for n, kind in enumerate(SLICES, 1)])
    shares = {f"gpu:{kind}": round(share * BOARD) for kind, share in SLICES.items()}
    assert dict(table(con, "SELECT resource, share28 FROM core_use")) == shares
    assert dict(table(con, "SELECT resource, CAST(consumed_share28 AS BIGINT) FROM out_usage")) == {
        resource: 2 * 10_000 * share28 for resource, share28 in shares.items()
    }


def test_only_accelerators_of_the_site_are_devices(tmp_path: Path) -> None:
    text = "cpu=1," + ",".join(f"gres/{name}=1" for name in ACCELERATORS)
    con = month(tmp_path, [run(1, T, T + 10, text)], of=site(accelerators=("npu",)))
    assert table(con, "SELECT resource FROM core_use ORDER BY 1") == [("cpu",), ("npu:untyped",)]
