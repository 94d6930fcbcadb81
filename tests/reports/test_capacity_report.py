"""The capacity report out of a small mart worked by hand: paper, workbook, table, and the cost of idle time."""

from __future__ import annotations

import csv
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pytest
from pypdf import PdfReader

# The rows made by hand are those of the models' tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

from raw_inventory import declare, events, reservations, snapshot
from raw_rows import fill_raw, run
from sites import book, price, rule, site, tariff, tenant

from models.build import SitePaths, build
from models.store import connect
from reports.capacity import read_capacity, write_capacity
from reports.capacity_types import TERMS

T0 = 1_704_067_200  # 2024-01-01 00:00 UTC
HOUR = 3600
CORE_MS = 3_600_000


@pytest.fixture(scope="module")
def mart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One node of 10 CPUs and 2 a100, January 2024: 7440 core-hours, 1488 card-hours.

    alpha holds 6 CPUs for 300 h and 1 a100 for 100 of them; beta 4 CPUs for 50 h, failed; beta reserves the node for 100 h
    and does not come. Down for 40 h. Records are read for the first 700 h. In core-hours: 1800 + 200 allocated, 1000 reserved
    idle, 400 down, 440 unknown, 3600 idle. Prices: 0.10 a core-hour, 5 a card-hour.
    """
    folder = tmp_path_factory.mktemp("capacity")
    fill_raw(
        folder / "raw.duckdb",
        [
            run(1, T0, T0 + 100 * HOUR, "cpu=6,gres/gpu:a100=1", node_list="g1", total_cpu_ms=300 * CORE_MS),
            run(2, T0 + 100 * HOUR, T0 + 300 * HOUR, "cpu=6", node_list="g1"),
            run(3, T0 + 300 * HOUR, T0 + 350 * HOUR, "cpu=4", account="beta", state="FAILED", node_list="g1"),
        ],
    )
    snapshot(folder / "raw.duckdb", T0, {"g1": "cpu=10,gres/gpu=2,gres/gpu:a100=2"}, partitions="gpu,all")
    events(folder / "raw.duckdb", T0 + 744 * HOUR, ("g1", T0 + 360 * HOUR, T0 + 400 * HOUR, "DOWN"))
    kept = ("course", T0 + 500 * HOUR, T0 + 600 * HOUR, "g1", "cpu=10", "SPEC_NODES")
    reservations(folder / "raw.duckdb", T0, kept, users="u2")
    declare(folder / "raw.duckdb", (T0, T0 + 700 * HOUR))
    with duckdb.connect(str(folder / "raw.duckdb")) as con:
        con.execute("UPDATE raw_sacct SET user_name = 'u2' WHERE account = 'beta'")
    of = site(
        tenants=(tenant("alpha"), tenant("beta")),
        rules=(rule(0, "alpha", account="alpha"), rule(1, "beta", account="beta")),
    )
    prices = book(tariff(price("CPU", "cpu", "0.1"), price("GPU", "gpu:a100", "5"), not_priced=("node",)))
    return build(SitePaths(folder), of, prices, "2024-01", program_version="t").path


@pytest.fixture
def con(mart: Path) -> duckdb.DuckDBPyConnection:
    return connect(mart, read_only=True)


def test_figures(con: duckdb.DuckDBPyConnection) -> None:
    (cluster,) = read_capacity(con, draft=True).clusters
    cpu, card = cluster.total
    assert {term: cpu.base(term) // CORE_MS for term in TERMS} == {
        "allocated": 2000, "reserved_idle": 1000, "idle": 3600, "maintenance": 0, "drained": 0, "down": 400, "unknown": 440,
    }  # fmt: skip
    # 2000 of 7440 - 400 - 440 = 6600.
    assert (cpu.available // CORE_MS, cpu.utilisation) == (6600, Decimal(2000) / 6600)
    assert card.utilisation == Decimal(100) / (1488 - 80 - 88)
    assert cluster.source.coverage == Decimal(700) / 744
    assert len(cluster.days) == 31
    assert [part.name for part in cluster.partitions] == ["all", "gpu"]


def test_printed_parts_add_up(con: duckdb.DuckDBPyConnection) -> None:
    (cluster,) = read_capacity(con, draft=True).clusters
    parts = [part for group in (cluster.days, cluster.partitions, cluster.nodes) for part in group]
    for went in [*cluster.total, *(one for part in parts for one in part.went)]:
        assert sum(went.shown()) == sum(went.shown_capacity())


def test_idle_cost(con: duckdb.DuckDBPyConnection) -> None:
    """Cores: 4600 h idle x 0.10 = 460.00; cards: 1488 - 100 - 80 - 88 = 1220 h x 5 = 6100.00; in all 6560.00.

    By reservation beta carries 1000 h x 0.10 + 200 h x 5 = 1100.00. By use: cores 1800 : 200, so 414 and 46; cards all alpha.
    """
    costs = read_capacity(con, draft=True).costs
    assert costs.total == Decimal("6560.00")
    found = {one.tenant: (one.centre, one.reservation, one.use) for one in costs.burdens}
    assert found == {
        "": (Decimal("6560.00"), Decimal("5460.00"), Decimal("0.00")),
        "alpha": (Decimal("0.00"), Decimal("0.00"), Decimal("6514.00")),
        "beta": (Decimal("0.00"), Decimal("1100.00"), Decimal("46.00")),
    }


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_paper(con: duckdb.DuckDBPyConnection, tmp_path: Path, lang: str) -> None:
    (path,) = write_capacity(con, tmp_path, formats=("pdf",), lang=lang, draft=True)
    text = "\n".join(page.extract_text() for page in PdfReader(path).pages)
    for printed in (
        "7,440.00",
        "2,000.00",
        "1,000.00",
        "3,600.00",
        "440.00",
        "30.3%",
        "¥6,560.00",
        "¥1,100.00",
        "course",
    ):
        assert printed in text
    assert ("草稿" if lang == "zh" else "DRAFT") in text
    again = write_capacity(con, tmp_path / "again", formats=("pdf",), lang=lang, draft=True)[0]
    assert again.read_bytes() == path.read_bytes()


def test_workbook(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    (path,) = write_capacity(con, tmp_path, formats=("xlsx",), lang="zh", draft=False)
    opened = openpyxl.load_workbook(path)
    assert opened.sheetnames == [
        "说明",
        "本月",
        "按日",
        "按分区",
        "按节点",
        "占用与浪费",
        "预留",
        "空闲的价值",
        "空闲代价",
    ]
    header, cpu, *_ = opened["本月"].iter_rows(values_only=True)
    row = dict(zip(header, cpu, strict=True))
    assert (row["容量"], row["已分配"], row["空闲"], row["未知"], row["利用率 (%)"]) == (
        7440,
        2000,
        3600,
        440,
        30.3,
    )
    waste = {(one[1], one[3]): one[4:] for one in opened["占用与浪费"].iter_rows(min_row=2, values_only=True)}
    # 600 core-hours of the first run have their TotalCPU told: 300 h used, 300 not.
    assert waste["CPU", "完成"] == (2, 1800, 600, 300, 300)
    assert waste["CPU", "失败"] == (1, 200, "—", "—", "—")
    again = write_capacity(con, tmp_path / "again", formats=("xlsx",), lang="zh", draft=False)[0]
    assert again.read_bytes() == path.read_bytes()


def test_table(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    (path,) = write_capacity(con, tmp_path, formats=("csv",), lang="en", draft=False)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == 3 * 31 * 2
    whole = [row for row in rows if row["partition"] == "" and row["resource"] == "cpu"]
    assert sum(int(row["capacity"]) for row in whole) == 7440 * CORE_MS
    for row in rows:
        assert int(row["capacity"]) + int(row["over"]) == sum(int(row[term]) for term in TERMS)


def test_without_an_inventory(tmp_path: Path) -> None:
    """The report says what is missing, and what to do."""
    fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="g1")])
    path = build(
        SitePaths(tmp_path), site(), book(tariff(price("CPU", "cpu", "1"))), "2024-01", program_version="t"
    ).path
    with connect(path, read_only=True) as empty:
        found = read_capacity(empty, draft=True)
        assert (found.clusters, found.without) == ((), ("c1",))
        paths = write_capacity(empty, tmp_path, formats=("pdf", "xlsx", "csv"), lang="en", draft=True)
    assert "hesuan ingest inventory" in PdfReader(paths[0]).pages[0].extract_text()
    assert all(path.exists() for path in paths)
