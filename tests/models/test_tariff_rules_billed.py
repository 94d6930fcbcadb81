"""Rules written in tariffs.toml and billed: the road from the file to the line, worked by hand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import duckdb

from models.build import SitePaths, build
from models.engine import check_names, check_rows
from models.tariff_file import read_price_book
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import site

BOOK = """\
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
mode = "none"
[[version]]
id = "2026a"
valid_from = 2026-01-01
approved_by = "x"
not_priced = ["mem", "node", "billing"]
[[version.price]]
item = "CPU"
name = "核时"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
[[version.price]]
item = "GPU"
name = "卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "1.00"
[[version.meter]]
name = "整时"
resource = "gpu:*"
granularity_seconds = 3600
[[version.quota]]
name = "免费"
items = ["GPU"]
owner = "tenant"
amount = "5"
reset = "month"
[[version.pool]]
name = "阶梯"
items = ["CPU"]
owner = "tenant"
reset = "month"
steps = [{ above = "20", list_price = "0.08" }]
[[version.factor]]
name = "加倍"
items = ["C*"]
factor = "2"
[[version.band]]
name = "夜间"
items = ["CPU"]
factor = "0.5"
from = "23:00"
to = "07:00"
[[version.credit]]
name = "赠送"
tenant = "{tenant}"
items = ["GPU"]
amount = "2.50"
valid_from = 2026-09-01
"""
# 2026-09-01T00:00Z, which is the site's midnight; epoch seconds.
SEPTEMBER = 1_788_220_800
D = Decimal


def test_a_run_over_the_night(tmp_path: Path):
    """10 cores and 2 cards from 22:00 to 01:50.

    CPU, doubled: 10 h before 23:00 at 0.10 x 2; by night 28.3333 h, of which 10 up to the tier at 0.10 x 2 x 0.5
    and 18.3333 above it at 0.08 x 2 x 0.5. 10 x 0.20 = 2.00; 10 x 0.10 = 1.00; 18.3333 x 0.08 = 1.4667.
    GPU: 3 h 50 min are four started hours, 8 h for two cards; 5 are free, 3 x 1.00; the credit takes 2.50 of it.
    """
    made = site()
    assert made.timezone == "UTC"
    file = tmp_path / "tariffs.toml"
    file.write_text(BOOK.replace("{tenant}", made.tenants[0].tenant), encoding="utf-8")
    book = read_price_book(
        file, tenants=[tenant.tenant for tenant in made.tenants], slot_minutes=made.slot_minutes
    )
    paths = SitePaths(tmp_path)
    start, end = SEPTEMBER + 22 * 3600, SEPTEMBER + 25 * 3600 + 50 * 60
    fill_raw(paths.raw, [run(1, start, end, "cpu=10,gres/gpu:a100=2")])
    path = build(paths, made, book, "2026-09", program_version="test").path
    con = duckdb.connect(str(path), read_only=True)
    assert {name: rows for name in check_names() if (rows := check_rows(con, name, 3))} == {}
    lines = con.execute("SELECT item, quantity, price, billed_amount FROM out_charge_line").fetchall()
    assert sorted(lines) == sorted(
        [
            ("CPU", D(10), D("0.20"), D("2.00")),
            ("CPU", D(10), D("0.10"), D("1.00")),
            ("CPU", D("18.3333"), D("0.08"), D("1.47")),
            ("GPU", D(3), D("1.00"), D("3.00")),
            ("CREDIT", D(1), D("-2.50"), D("-2.50")),
        ]
    )
