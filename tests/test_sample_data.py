"""The sample: its files come from its generator, hold every kind of record, and add up to the committed figures."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from hesuan.site import read_site
from ingest.slurm import ingest_file
from models.build import SitePaths, build
from models.mart import mart_reader
from models.tariff_file import read_price_book
from sample_data import make
from sample_data.expected import HERE, expected
from sample_data.run import MONTH_S, READ_S, at


@pytest.fixture(scope="module")
def fields() -> dict[str, list[list[bytes]]]:
    """The committed files cut into fields, as far as a line end and a delimiter tell."""
    cpu = gzip.decompress((HERE / make.CPU_FILE).read_bytes())
    gpu = gzip.decompress((HERE / make.GPU_FILE).read_bytes())
    return {
        "cpu1": [line.split(b"\x1f") for line in cpu.splitlines()],
        "gpu1": [line.split(b"|") for line in gpu.splitlines()],
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The way of hesuan itself through the sample: a folder of marts of both months."""
    paths = SitePaths(tmp_path_factory.mktemp("sample"))
    for cluster, name, zone in (("cpu1", make.CPU_FILE, None), ("gpu1", make.GPU_FILE, "Asia/Shanghai")):
        ingest_file(
            paths.raw,
            HERE / name,
            cluster=cluster,
            timezone=zone,
            who="test",
            now_s=READ_S,
            program_version="test",
        )
    for period in expected()["periods"]:
        build(paths, read_site(HERE), read_price_book(HERE / "tariffs.toml"), period, program_version="test")
    return paths.marts


@pytest.mark.parametrize("period", ["2026-08", "2026-09"])
def test_hesuan_comes_to_the_figures_worked_out_without_it(built: Path, period: str) -> None:
    tenants = expected()["periods"][period]["tenants"]
    device_or_cpu = "(resource = 'cpu' OR resource LIKE '%:%')"
    with mart_reader(built, period) as con:
        lines = con.execute(
            """
            SELECT tenant, tariff_version, item, resource, priced_base, quantity, billed_amount, list_amount
            FROM out_charge_line
            """
        ).fetchall()
        bills = con.execute("SELECT tenant, net, tax, gross FROM out_bill").fetchall()
        use = con.execute(
            f"SELECT tenant, resource, SUM(consumed_base) FROM out_usage WHERE {device_or_cpu} GROUP BY ALL"
        ).fetchall()
        runs = con.execute("SELECT tenant, COUNT(DISTINCT run_no) FROM out_run GROUP BY tenant").fetchall()
        not_charged = con.execute(
            f"""
            SELECT tenant, SPLIT_PART(reason, ':', 1) || ' ' || resource, SUM(consumed_base)
            FROM out_not_charged WHERE {device_or_cpu} GROUP BY ALL
            """
        ).fetchall()
    money = ("quantity", "amount", "list_amount")
    assert sorted(lines) == sorted(
        (
            *(tenant, line["version"], line["item"], line["resource"], line["priced_ms"]),
            *(Decimal(line[key]) for key in money),
        )
        for tenant, said in tenants.items()
        for line in said["lines"]
    )
    assert {tenant: amounts for tenant, *amounts in bills} == {
        tenant: [Decimal(said[key]) for key in ("net", "tax", "gross")] for tenant, said in tenants.items()
    }
    for rows, key in ((use, "consumed_ms"), (not_charged, "not_charged_ms")):
        assert {(tenant, word): int(ms) for tenant, word, ms in rows} == {
            (tenant, word): ms for tenant, said in tenants.items() for word, ms in said[key].items()
        }
    assert dict(runs) == {tenant: said["runs"] for tenant, said in tenants.items()}


def test_the_committed_files_are_what_the_generator_makes() -> None:
    # The text, not the gzip: another zlib may pack the same text differently.
    for name, data in make.texts().items():
        assert gzip.decompress((HERE / name).read_bytes()) == data, f"{name}: run python -m sample_data.make"
    committed = (HERE / "expected.json").read_text(encoding="utf-8")
    assert committed == make.figures_text(), "expected.json: run python -m sample_data.make"


def test_the_generator_packs_the_same_bytes_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = []
    for _ in range(2):
        (tmp_path / make.CPU_FILE).unlink(missing_ok=True)
        monkeypatch.setattr(make, "HERE", tmp_path)
        make.main()
        packed.append([file.read_bytes() for file in sorted(tmp_path.iterdir())])
    assert packed[0] == packed[1]
    assert len(packed[0]) == 3


def test_records_are_as_many_as_said(fields: dict[str, list[list[bytes]]]) -> None:
    records = expected()["records"]
    # One name of cpu1 holds a line end: its record takes two lines.
    assert len(fields["cpu1"]) == 1 + records["cpu1"]["allocations"] + 1
    assert len(fields["gpu1"]) == 1 + records["gpu1"]["allocations"] + records["gpu1"]["steps"]
    steps = sum(b"." in row[0] for row in fields["gpu1"][1:])
    assert steps == records["gpu1"]["steps"]
    assert 3000 <= sum(cluster["allocations"] for cluster in records.values()) <= 6000


def test_every_kind_of_record_is_there(fields: dict[str, list[list[bytes]]]) -> None:
    cpu, gpu = fields["cpu1"], fields["gpu1"]
    state = cpu[0].index(b"State")
    states = {row[state].split()[0].decode() for row in cpu[1:] if len(row) > state} | {
        row[7].split()[0].decode() for row in gpu[1:]
    }
    assert states == {
        "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PENDING",
        "PREEMPTED", "REQUEUED", "RESIZING", "RUNNING", "SUSPENDED", "TIMEOUT",
    }  # fmt: skip
    ids = [row[3].decode() for row in cpu[1:] if len(row) > 3] + [row[1].decode() for row in gpu[1:]]
    for form in ("690001_5", "690006_[6-40%4]", "690020+1", "300020+1", "300010_2"):
        assert form in ids
    raw = Counter(row[2] for row in cpu[1:] if len(row) > 3)
    assert raw[b"690070"] == 2, "a recycled id"
    whole = b"\n".join(b"|".join(row) for row in [*cpu, *gpu])
    for text in (
        "训练",
        "能带|态密度|第3批",
        "gres/npu:ascend910b=8,gres/npu=8",
        "gres/gpu:a100_1g.10gb=1",
        "gres/gpu:h800=8,mem",
    ):
        assert text.encode() in whole
    assert b"f\xfcr-Thermo" in whole
    assert b"2026-09-24T09?00:00" in whole
    assert b"00:00:00" in whole
    assert b"01:40:07" in whole


def test_the_month_is_worked_on_from_end_to_end() -> None:
    runs = [run for run in make.all_runs() if run.start is not None and run.reach is not None]
    for day in range(1, 31):
        assert any(at(day) <= (run.start or 0) < at(day + 1) for run in runs), f"September {day}"
    crossing = [run for run in runs if (run.start or 0) < MONTH_S < (run.reach or 0)]
    assert len(crossing) > 10
    assert sum((run.start or 0) < at(31) < (run.reach or 0) for run in runs) > 10
    assert max(run.reach or 0 for run in runs) == READ_S


def test_nodes_are_never_promised_twice() -> None:
    # 64 cores of cn01 and 8 cards of ga01 at every quarter of an hour of a week in the middle.
    runs = [run for run in make.all_runs() if run.start and run.reach]
    for name, size, use in (("cn01", 64, "cpus"), ("ga01", 8, "devices")):
        here = [run for run in runs if name in run.node_list.split(",")]
        for moment in range(at(10), at(17), 900):
            live = [run for run in here if (run.start or 0) <= moment < (run.reach or 0)]
            cpus = sum(run.held.cpus // run.held.nodes for run in live)
            devices = sum(count for run in live for _, _, count in run.held.devices)
            assert (cpus if use == "cpus" else devices) <= size


def test_the_configuration_is_read_without_a_fault() -> None:
    site = read_site(HERE)
    book = read_price_book(HERE / "tariffs.toml")
    assert (len(site.tenants), len({tenant.unit for tenant in site.tenants})) == (7, 3)
    assert {tenant.user_class for tenant in site.tenants} == {"internal", "partner", "external"}
    assert [version.valid_from for version in book.versions] == [date(2026, 1, 1), date(2026, 9, 16)]


def test_expected_figures_worked_out_by_hand() -> None:
    """Lines that few runs make, from the list in special.py.

    Unassigned in September: guest's ordinary jobs and visitor2019: 32 cores x 5 h and 2 A100 x 3 h.
    Untyped card: job 300071, 1 card x 1 h on 20 September by vision (ai-he, internal, 2026b): 3.50.
    Suspended cards: job 300050, 2 cards x 4001 s = 8,002,000 card-ms free.
    Refunded to ai-he: 300031's first run 2 x 5000 s, 300032's first run 2 x 14,400 s = 38,800,000 card-ms, and with
    16 cores each 310,400,000 core-ms. Refunded to mat-lin: 32 x 4000 s + 32 x 25,200 s = 934,400,000 core-ms. Deadline,
    free: 4 x 1500 s = 6,000,000 core-ms.
    """
    september = expected()["periods"]["2026-09"]
    he, lin = september["tenants"]["ai-he"], september["tenants"]["mat-lin"]
    (untyped,) = [line for line in he["lines"] if line["resource"] == "gpu:untyped"]
    assert (untyped["item"], untyped["version"], untyped["quantity"]) == ("GPU-OTHER", "2026b", "1.0000")
    assert (untyped["amount"], untyped["list_amount"]) == ("3.50", "5.00")
    assert he["not_charged_ms"] == {
        "refund cpu": 310_400_000,
        "refund gpu:a100": 38_800_000,
        "suspended gpu:a100": 8_002_000,
    }
    assert lin["not_charged_ms"] == {"free cpu": 6_000_000, "refund cpu": 934_400_000}
    nobody = september["tenants"]["unassigned"]
    (cards,) = [line for line in nobody["lines"] if line["item"] == "GPU-A100"]
    assert (cards["quantity"], cards["price"], cards["amount"]) == ("6.0000", "5.50", "33.00")
    assert september["held_runs"] == 1


def test_expected_figures_agree_with_themselves() -> None:
    for period in expected()["periods"].values():
        for tenant in period["tenants"].values():
            for line in tenant["lines"]:
                assert Decimal(line["amount"]) <= Decimal(line["list_amount"])
            assert sum(Decimal(line["amount"]) for line in tenant["lines"]) == Decimal(tenant["gross"])
            assert Decimal(tenant["net"]) + Decimal(tenant["tax"]) == Decimal(tenant["gross"])
            charged = sum(line["priced_ms"] for line in tenant["lines"])
            assert charged + sum(tenant["not_charged_ms"].values()) == sum(tenant["consumed_ms"].values())
        assert period["core_ms"] == sum(t["consumed_ms"]["cpu"] for t in period["tenants"].values())
    assert json.loads(make.figures_text()) == expected()


def test_the_readme_prints_the_expected_figures() -> None:
    table = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
    for name, tenant in expected()["periods"]["2026-09"]["tenants"].items():
        (row,) = [line for line in table if line.startswith(f"| {name} ")]
        money = [f"{Decimal(tenant[key]):,.2f}" for key in ("net", "tax", "gross")]
        assert [cell.strip() for cell in row.strip("|").split("|")][4:] == money
        assert f"| {tenant['runs']} |" in row
