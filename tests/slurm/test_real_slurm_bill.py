"""From a real Slurm to bills: what it ran, pulled through its sacct, is billed to the second that its sreport says."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pypdf import PdfReader

from hesuan.cli import run

pytestmark = pytest.mark.slurm

SITE = """
name = "测试中心"
name_en = "Test centre"
timezone = "UTC"
currency = "CNY"
[[clusters]]
name = "{cluster}"
""" + "".join(
    f"""
[[tenants]]
id = "{account}"
name = "{account} 课题组"
unit = "测试学院"
[[rules]]
tenant = "{account}"
account = "{account}"
"""
    for account in ("physics", "chem", "ai")
)

TARIFFS = """
currency = "CNY"
[[vat]]
valid_from = 2020-01-01
mode = "none"
[[version]]
id = "test"
valid_from = 2020-01-01
approved_by = "test"
quantity_decimals = 6
not_priced = ["mem", "node", "billing"]
[[version.price]]
item = "CPU"
name = "CPU 核时"
resource = "cpu"
unit = "core-hour"
list_price = "36.00"
[[version.price]]
item = "GPU"
name = "GPU 卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "3600.00"
"""


@pytest.fixture(scope="module")
def billed(real_slurm_store, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A site with the real records, built for the months that they touch."""
    site = tmp_path_factory.mktemp("billed")
    (site / "site.toml").write_text(SITE.format(cluster=real_slurm_store.cluster), encoding="utf-8")
    (site / "tariffs.toml").write_text(TARIFFS, encoding="utf-8")
    shutil.copyfile(real_slurm_store.path, site / "raw.duckdb")
    months = sorted({f"{datetime.fromtimestamp(moment, UTC):%Y-%m}" for moment in real_slurm_store.window})
    for month in months:
        assert run(["--site", str(site), "build", month]) == 0
        assert run(["--site", str(site), "check", month]) == 0
    return site, months


def rows(site: Path, kind: str, month: str) -> list[dict[str, str]]:
    """One export of a month."""
    path = site / f"{kind}-{month}.csv"
    assert run(["--site", str(site), "--quiet", "export", kind, month, "--out", str(path)]) == 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_billed_core_seconds_are_sreports(real_slurm_store, billed):
    """Used, and priced: at 36.00 an hour a core-second is a fen, so the bill in fen is sreport's number too."""
    site, months = billed
    used: Counter[str] = Counter()
    fen: Counter[str] = Counter()
    for month in months:
        for row in rows(site, "usage", month):
            if row["resource"] == "cpu":
                used[row["tenant"]] += int(row["base_quantity"])
        for row in rows(site, "charges", month):
            if row["item"] == "CPU":
                fen[row["tenant"]] += int(Decimal(row["billed_cost"]) * 100)
    assert used == {account: seconds * 1000 for account, seconds in real_slurm_store.cpu_s.items()}
    assert fen == real_slurm_store.cpu_s


def test_bills_are_written(billed):
    site, months = billed
    assert run(["--site", str(site), "report", "bill", months[-1]]) == 0
    papers = sorted((site / "reports" / months[-1]).glob("*.pdf"))
    assert {paper.stem.rsplit("-", 1)[1] for paper in papers} == {"physics", "chem", "ai"}
    assert "人民币" in PdfReader(papers[0]).pages[0].extract_text()


def test_hostile_name_reaches_the_bill_whole(billed):
    """A line of the bill is explained down to what the real sacct said."""
    site, months = billed
    line = next(row["line"] for row in rows(site, "charges", months[-1]) if row["item"] == "CPU")
    assert run(["--site", str(site), "explain", months[-1], line, "--json"]) == 0
