"""No check is an empty word: each passes on a sound mart and finds what is wrong when a number in it is changed."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from models.build import SitePaths, build
from models.engine import check_names, check_rows
from models.tariff import Vat
from models.tariff_rules import Pool, Quota, Rules, Step
from tests.models.marts import failing
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import book, price, rule, site, tariff, tenant

T = 1_704_067_200
HOUR = 3600
FINDING = "INSERT INTO out_finding VALUES ('tariffs', 'tariffs.toml:1', '{}', 'v1', 'error')"

# A node that gave more than runs used, of a capacity that is no sum of its parts.
NODE_SLOT = (
    "INSERT INTO core_node_slot BY NAME SELECT 1 AS node_no, 1 AS slot_no, 'cpu' AS resource, 9 AS capacity_base, 0 AS over_base,"
    " 4 AS allocated_base, 0 AS reserved_idle_base, 4 AS idle_base, 0 AS down_base, 0 AS drained_base, 0 AS maintenance_base,"
    " 0 AS unknown_base"
)
NODE = "INSERT INTO core_node BY NAME SELECT 1 AS node_no, 'c1' AS cluster, 'n1' AS node"

# Check -> changes, each of which it must find.
CHANGES: dict[str, tuple[str, ...]] = {
    "bills_equal_lines": (
        "UPDATE out_bill SET billed_amount = billed_amount + 0.01 WHERE tenant = 'alpha'",
        "UPDATE out_bill SET net = net + 0.01, tax = tax - 0.01 WHERE tenant = 'alpha'",
        "UPDATE out_bill SET gross = gross + 0.01 WHERE tenant = 'alpha'",
        "UPDATE out_bill SET tax = tax + 0.01 WHERE tenant = 'alpha'",
        "UPDATE out_charge_line SET billed_cost = billed_cost + 0.01 WHERE line = 'alpha-001'",
        "DELETE FROM out_charge_line WHERE line = 'beta-001'",
    ),
    "capacity_allocated_is_usage": (f"{NODE}; {NODE_SLOT}",),
    "capacity_identity": (NODE_SLOT,),
    "details_equal_bills": (
        "UPDATE out_run SET billed_fen = billed_fen + 1 WHERE run_no = 1",
        "UPDATE out_user_day SET billed_fen = billed_fen - 1 WHERE tenant = 'beta'",
        "DELETE FROM out_run WHERE tenant = 'beta'",
    ),
    "edited_version": (FINDING.format("edited-version"),),
    "every_line_has_a_bill": (
        "DELETE FROM out_bill WHERE tenant = 'alpha'",
        "UPDATE out_charge_line SET tenant = 'gamma' WHERE line = 'alpha-001'",
        "UPDATE out_usage SET tenant = 'gamma' WHERE tenant = 'beta' AND resource = 'cpu'",
    ),
    "line_amount": (
        "UPDATE out_charge_line SET billed_amount = billed_amount + 0.01 WHERE line = 'alpha-001'",
        "UPDATE out_charge_line SET list_amount = list_amount - 0.01 WHERE line = 'alpha-001'",
        "UPDATE out_charge_line SET price = price * 2 WHERE line = 'alpha-001'",
        "UPDATE out_charge_line SET quantity = quantity + 0.0001 WHERE line = 'beta-001'",
    ),
    "month_before": (FINDING.format("month-before-missing"),),
    "no_price": ("UPDATE core_use SET unbilled_reason = 'no-price' WHERE run_no = 1",),
    "parts_equal_use": (
        "UPDATE core_pool_step SET to_base = to_base + 1 WHERE quota_name <> ''",
        "UPDATE core_pool_step SET from_base = 1 WHERE from_base = 0",
        "DELETE FROM core_pool_step WHERE quota_name <> ''",
    ),
    "priced_is_consumed": (
        "UPDATE core_use SET priced_base = priced_base + 1 WHERE run_no = 1",
        "UPDATE core_use SET priced_base = -priced_base, unbilled_base = unbilled_base + 2 * priced_base WHERE run_no = 1",
        "UPDATE core_use SET unbilled_reason = '' WHERE unbilled_base > 0",
        "UPDATE core_use SET policy_reason = '' WHERE refunded_base > 0",
    ),
    "records_accounted": (
        "UPDATE core_batch SET records_count = records_count + 1, rejected_count = rejected_count + 1",
        "UPDATE core_batch SET kept_count = kept_count - 1",
        "UPDATE out_reconciliation SET records_count = records_count - 1 WHERE fate = 'zero'",
        "DELETE FROM out_reconciliation WHERE fate = 'other-period'",
    ),
    "runs_equal_records": (
        "UPDATE core_use SET consumed_base = consumed_base + 1 WHERE run_no = 1 AND resource = 'cpu'",
        "DELETE FROM core_use WHERE run_no = 2",
        "DELETE FROM core_run WHERE run_no = 1",
        "UPDATE core_record SET fate = 'held' WHERE fate = 'billed'",
        "UPDATE core_record SET cpu_core_ms = cpu_core_ms + 1 WHERE fate = 'billed' AND job_id_raw = 1",
    ),
    "runs_never_twice": ("UPDATE core_run SET job_id_raw = 1 WHERE job_id_raw = 2",),
    "shares_equal_lines": (
        "UPDATE out_run_charge SET billed_fen = billed_fen + 1 WHERE run_no = 1",
        "UPDATE out_run_charge SET list_fen = list_fen + 1 WHERE run_no = 1",
        "UPDATE out_run_charge SET priced_base = priced_base + 1 WHERE run_no = 1",
        "DELETE FROM out_run_charge WHERE line = 'beta-001'",
    ),
    "slots_equal_days": (
        "UPDATE core_usage_slot SET consumed_base = consumed_base + 1 WHERE resource = 'mem'",
        "DELETE FROM core_usage_slot WHERE slot_no = (SELECT MIN(slot_no) FROM core_usage_slot)",
    ),
    "usage_equals_lines": (
        "UPDATE out_usage SET priced_base = priced_base + 1 WHERE resource = 'cpu'",
        "DELETE FROM out_usage WHERE tenant = 'beta'",
    ),
}


@pytest.fixture(scope="module")
def mart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """January of two tenants: tax in prices, tiers, a free quota, a refunded run, one outside the month, one that never ran."""
    paths = SitePaths(tmp_path_factory.mktemp("checks"))
    records = [
        run(1, T, T + 3 * HOUR + 7, "cpu=11,mem=3G,node=1"),
        run(2, T + HOUR, T + 5 * HOUR, "cpu=7,mem=1G", user_name="u2"),
        run(3, T, T + 1111, "cpu=3,mem=2G,gres/gpu:a100=1", account="beta"),
        run(4, T, T + HOUR, "cpu=2,mem=1G", account="beta", state="NODE_FAIL"),
        run(5, None, T + 5, ""),
        run(6, T - HOUR, T - 60, "cpu=1"),
    ]
    fill_raw(paths.raw, records)
    pool = Pool(
        name="tiers", name_en="tiers", items=("CPU",), owner="tenant", reset="month", contract_from=None,
        steps=(Step(Decimal(20), Decimal("0.08"), Decimal("0.07")),), line_no=1,
    )  # fmt: skip
    quota = Quota(
        name="free", name_en="free", items=("CPU",), owner="tenant", tenants=("alpha",), amount=Decimal(5), reset="month",
        contract_from=None, valid_from=None, valid_to=None, line_no=1,
    )  # fmt: skip
    prices = book(
        tariff(
            price("CPU", "cpu", "0.1003", price=Decimal("0.0951")),
            price("MEM", "mem", "0.0107"),
            price("GPU", "gpu:*", "3.99"),
            runs=(("node_fail", "refund"),),
            rules=Rules(pools=(pool,), quotas=(quota,)),
            not_priced=("node",),
        ),
        vat=(Vat(date(2000, 1, 1), "inclusive", Decimal("0.06")),),
    )
    of = site(
        tenants=(tenant("alpha"), tenant("beta")),
        rules=(rule(0, "alpha", account="alpha"), rule(1, "beta", account="beta")),
    )
    path = build(paths, of, prices, "2024-01", program_version="test").path
    with duckdb.connect(str(path), read_only=True) as con:
        assert failing(con) == set()
    return path


def test_every_check_is_tried() -> None:
    """Whoever adds a check adds the changes that it must find."""
    assert set(check_names()) - set(CHANGES) == set()


@pytest.mark.parametrize(
    ("name", "change"), [(name, one) for name in check_names() for one in CHANGES.get(name, ())]
)
def test_a_check_finds_what_was_changed(mart: Path, tmp_path: Path, name: str, change: str) -> None:
    copy = tmp_path / "copy.duckdb"
    shutil.copyfile(mart, copy)
    with duckdb.connect(str(copy)) as con:
        ((changed,),) = con.execute(change).fetchall()
        assert changed > 0
        assert check_rows(con, name, 1)
