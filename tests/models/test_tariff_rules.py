"""Rules of tariffs.toml read: what each key means, what is left out, and what their hash knows."""

from __future__ import annotations

import re
import tempfile
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hesuan.site import read_site
from models.tariff import PriceBook, Tariff
from models.tariff_file import read_price_book
from models.tariff_rules import (
    Band,
    Contribution,
    Credit,
    Factor,
    LastMonth,
    Meter,
    Place,
    Pool,
    Quota,
    Rules,
    Step,
)

D = Decimal
HEAD = """\
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
mode = "none"
[[version]]
id = "2026a"
valid_from = 2026-01-01
approved_by = "x"
[[version.price]]
item = "CPU-STD"
name = "核时"
qos = "normal"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
[[version.price]]
item = "CPU-FAT"
name = "胖节点核时"
qos = "fat"
resource = "cpu"
unit = "core-hour"
list_price = "0.20"
[[version.price]]
item = "GPU"
name = "卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "6.00"
"""
EVERY = """
[[version.meter]]
name = "核当量"
cluster = "cpu1"
partition = "fat"
qos = "high"
user_class = "internal"
resource = "cpu"
minimum_seconds = 300
granularity_seconds = 3600
max_of = { mem = "0.25", "gpu:*" = "16", cpu = "1", "gpu:a100" = "32", node = "64" }
[[version.meter]]
name = "积分"
partition = "points"
resource = "cpu"
sum_of = { cpu = "1" }
[[version.meter]]
name = "MIG"
resource = "gpu:*"
board_share = true
[[version.band]]
name = "夜"
name_en = "night"
items = ["GPU", "CPU-*", "CPU-*"]
factor = "0.50"
weekdays = [7, 6]
first_day = 2026-02-01
last_day = 2026-03-31
from = "23:00"
to = "07:30"
by = "end"
[[version.factor]]
name = "优先"
items = ["CPU-STD"]
cluster = "cpu*"
partition = "p"
qos = "q"
user_class = "partner"
tenants = ["b", "a"]
factor = "1.5"
on = "price"
[[version.last_month]]
name = "上月"
name_en = "last month"
items = ["GPU"]
owner = "tenant"
allotment = "50000"
steps = [{ from = "0", factor = "0.4" }, { from = "0.4", factor = "0.8" }, { from = "0.8", factor = "1" }]
[[version.pool]]
name = "阶梯"
items = ["CPU-*"]
owner = "user"
reset = "contract"
contract_from = 2025-09-01
steps = [{ above = "100000", list_price = "0.10" }, { above = "500000", list_price = "0.10", price = "0.08" }]
[[version.quota]]
name = "免费"
items = ["CPU-STD"]
owner = "project"
tenants = ["chem"]
amount = "1000"
reset = "year"
valid_from = 2026-03-01
valid_to = 2026-09-01
[[version.credit]]
name = "赠送"
tenant = "chem"
items = ["CPU-STD"]
amount = "500.00"
valid_from = 2026-01-01
valid_to = 2027-01-01
[[version.contribution]]
name = "自购"
tenant = "chem"
cluster = "cpu1"
nodes = "cn[01-04,07],gn1"
resource = "cpu"
rate = "0.03"
valid_from = 2026-01-01
valid_to = 2029-01-01
"""
LEAST = """
[[version.meter]]
name = "m"
resource = "gpu:*"
[[version.band]]
name = "b"
items = ["*"]
factor = "0"
[[version.factor]]
name = "f"
factor = "1.5"
[[version.quota]]
name = "q"
items = ["GPU"]
owner = "tenant"
amount = "1"
reset = "month"
[[version.credit]]
name = "c"
tenant = "chem"
amount = "1"
valid_from = 2026-01-01
[[version.contribution]]
name = "n"
tenant = "chem"
cluster = "cpu1"
nodes = "cn1"
resource = "cpu"
rate = "0.03"
"""


def read(content: str) -> PriceBook:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tariffs.toml"
        file.write_text(content, encoding="utf-8")
        return read_price_book(file)


def only(content: str) -> Tariff:
    (version,) = read(content).versions
    return version


def without_lines(rules: Rules) -> Rules:
    """The rules, every one on line 0."""
    return Rules(
        **{
            kind.name: tuple(replace(rule, line_no=0) for rule in getattr(rules, kind.name))
            for kind in fields(Rules)
        }
    )


def test_every_key_arrives():
    assert without_lines(only(HEAD + EVERY).rules) == Rules(
        meters=(
            Meter(
                name="核当量",
                place=Place("cpu1", "fat", "high", "internal"),
                resource="cpu",
                minimum_s=300,
                granularity_s=3600,
                # The closest pattern first, whatever the order in the file.
                weights=(
                    ("gpu:a100", D(32)),
                    ("node", D(64)),
                    ("gpu:*", D(16)),
                    ("cpu", D(1)),
                    ("mem", D("0.25")),
                ),
                combine="max",
                board_share=False,
                line_no=0,
            ),
            Meter("积分", Place("*", "points", "*", "*"), "cpu", 0, 1, (("cpu", D(1)),), "sum", False, 0),
            Meter("MIG", Place("*", "*", "*", "*"), "gpu:*", 0, 1, (), "max", True, 0),
        ),
        bands=(
            Band(
                name="夜",
                name_en="night",
                items=("CPU-*", "GPU"),
                factor=D("0.5"),
                weekdays=(6, 7),
                first_day=date(2026, 2, 1),
                last_day=date(2026, 3, 31),
                from_minute=23 * 60,
                to_minute=7 * 60 + 30,
                by="end",
                line_no=0,
            ),
        ),
        factors=(
            Factor(
                name="优先",
                name_en="优先",
                items=("CPU-STD",),
                place=Place("cpu*", "p", "q", "partner"),
                tenants=("a", "b"),
                factor=D("1.5"),
                on="price",
                line_no=0,
            ),
        ),
        last_month=(
            LastMonth(
                name="上月",
                name_en="last month",
                items=("GPU",),
                owner="tenant",
                allotment=D(50000),
                steps=((D(0), D("0.4")), (D("0.4"), D("0.8")), (D("0.8"), D(1))),
                line_no=0,
            ),
        ),
        pools=(
            Pool(
                name="阶梯",
                name_en="阶梯",
                items=("CPU-*",),
                owner="user",
                reset="contract",
                contract_from=date(2025, 9, 1),
                steps=(
                    Step(D(100000), D("0.10"), D("0.10")),
                    Step(D(500000), D("0.10"), D("0.08")),
                ),
                line_no=0,
            ),
        ),
        quotas=(
            Quota(
                name="免费",
                name_en="免费",
                items=("CPU-STD",),
                owner="project",
                tenants=("chem",),
                amount=D(1000),
                reset="year",
                contract_from=None,
                valid_from=date(2026, 3, 1),
                valid_to=date(2026, 9, 1),
                line_no=0,
            ),
        ),
        credits=(
            Credit("赠送", "赠送", "chem", ("CPU-STD",), D(500), date(2026, 1, 1), date(2027, 1, 1), 0),
        ),
        contributions=(
            Contribution(
                name="自购",
                name_en="自购",
                tenant="chem",
                cluster="cpu1",
                nodes="cn[01-04,07],gn1",
                resource="cpu",
                rate=D("0.03"),
                valid_from=date(2026, 1, 1),
                valid_to=date(2029, 1, 1),
                line_no=0,
            ),
        ),
    )


def test_lines_are_those_of_the_headers():
    content = (HEAD + EVERY).splitlines()
    rules = only(HEAD + EVERY).rules
    for kind, header in (("meters", "meter"), ("bands", "band"), ("pools", "pool"), ("credits", "credit")):
        for rule in getattr(rules, kind):
            assert content[rule.line_no - 1] == f"[[version.{header}]]"
            assert content[rule.line_no] == f'name = "{rule.name}"'


def test_what_is_left_out():
    rules = only(HEAD + LEAST).rules
    (meter,), (band,), (factor,) = rules.meters, rules.bands, rules.factors
    assert (meter.place, meter.minimum_s, meter.granularity_s) == (Place("*", "*", "*", "*"), 0, 1)
    assert (meter.weights, meter.board_share) == ((), False)
    assert (band.weekdays, band.first_day, band.last_day, band.by) == ((), None, None, "slot")
    assert (band.from_minute, band.to_minute) == (0, 0)
    assert (factor.place, factor.items, factor.tenants) == (Place("*", "*", "*", "*"), ("*",), ("*",))
    assert (factor.on, factor.name_en) == ("both", "f")
    assert (rules.quotas[0].tenants, rules.quotas[0].valid_from, rules.quotas[0].valid_to) == (
        ("*",),
        None,
        None,
    )
    assert (rules.credits[0].items, rules.credits[0].valid_to) == (("*",), None)
    assert (rules.contributions[0].valid_from, rules.contributions[0].valid_to) == (None, None)


def test_a_book_without_rules_has_none():
    assert only(HEAD).rules == Rules()


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        ('from = "08:00"\nto = "20:00"', (480, 1200)),
        ('from = "22:00"\nto = "24:00"', (1320, 1440)),
        ('from = "22:00"\nto = "00:00"', (1320, 1440)),
        ('from = "00:00"\nto = "07:45"', (0, 465)),
        ('from = "00:00"\nto = "24:00"', (0, 0)),
        ("", (0, 0)),
    ],
)
def test_times_of_a_band(times: str, minutes: tuple[int, int]):
    """The whole day is both 0, as bands.py reads it; midnight at the end is minute 1440."""
    head = '\n[[version.band]]\nname = "b"\nitems = ["*"]\nfactor = "2"\n'
    (band,) = only(HEAD + head + times).rules.bands
    assert (band.from_minute, band.to_minute) == minutes


# --- the hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("minimum_seconds = 300", "minimum_seconds = 301"),
        ("granularity_seconds = 3600", "granularity_seconds = 60"),
        ('mem = "0.25"', 'mem = "0.5"'),
        ("max_of", "sum_of"),
        ("board_share = true", "board_share = false"),
        ('items = ["GPU", "CPU-*", "CPU-*"]', 'items = ["GPU"]'),
        ('factor = "0.50"', 'factor = "0.51"'),
        ("weekdays = [7, 6]", "weekdays = [7]"),
        ("first_day = 2026-02-01", "first_day = 2026-02-02"),
        ("last_day = 2026-03-31", "last_day = 2026-03-30"),
        ('from = "23:00"', 'from = "22:00"'),
        ('to = "07:30"', 'to = "07:00"'),
        ('by = "end"', 'by = "slot"'),
        ('on = "price"', 'on = "both"'),
        ('tenants = ["b", "a"]', 'tenants = ["b"]'),
        ('allotment = "50000"', 'allotment = "50001"'),
        ('{ from = "0.4", factor = "0.8" }', '{ from = "0.4", factor = "0.7" }'),
        ('owner = "user"', 'owner = "tenant"'),
        ("contract_from = 2025-09-01", "contract_from = 2025-09-02"),
        ('above = "500000"', 'above = "500001"'),
        ('price = "0.08"', 'price = "0.07"'),
        ('amount = "1000"', 'amount = "1001"'),
        ('reset = "year"', 'reset = "month"'),
        ("valid_to = 2026-09-01", "valid_to = 2026-09-02"),
        ('amount = "500.00"', 'amount = "500.01"'),
        ('nodes = "cn[01-04,07],gn1"', 'nodes = "cn[01-04,07]"'),
        ('rate = "0.03"', 'rate = "0.04"'),
        ('name_en = "night"', 'name_en = "Night"'),
    ],
)
def test_everything_that_a_rule_says_is_in_the_hash(old: str, new: str):
    assert old in EVERY
    changed = EVERY.replace(old, new, 1)
    assert only(HEAD + changed).sha256 != only(HEAD + EVERY).sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('factor = "0.50"', 'factor = "0.5000"'),
        ("weekdays = [7, 6]", "weekdays = [6, 7, 6]"),
        ('items = ["GPU", "CPU-*", "CPU-*"]', 'items = ["CPU-*", "GPU"] # 说明'),
        ('"gpu:*" = "16", cpu = "1"', 'cpu = "1.0", "gpu:*" = "16"'),
        ('tenants = ["b", "a"]', 'tenants = ["a", "b"]'),
        ('list_price = "0.10" }, {', 'list_price = "0.10", price = "0.1" }, {'),
    ],
)
def test_the_same_said_otherwise_has_the_same_hash(old: str, new: str):
    assert old in EVERY
    assert only(HEAD + EVERY.replace(old, new, 1)).sha256 == only(HEAD + EVERY).sha256


TABLES = [f"[[version.{part}" for part in EVERY.split("[[version.")[1:]]


def kind(table: str) -> str:
    return table.partition("]]")[0]


@given(st.permutations(TABLES))
def test_only_the_order_that_counts_is_in_the_hash(tables: list[str]):
    """Only meters are several here: in whatever order the kinds stand, the hash is told by the order of the meters."""
    meters = [table for table in TABLES if "version.meter" in kind(table)]
    same = [table for table in tables if "version.meter" in kind(table)] == meters
    changed = only(HEAD + "".join(tables))
    assert (changed.sha256 == only(HEAD + EVERY).sha256) is same


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        ('[[version.band]]\nname = "{}"\nitems = ["{}"]\nfactor = "2"\n', True),
        ('[[version.factor]]\nname = "{}"\nitems = ["{}"]\nfactor = "2"\n', True),
        ('[[version.quota]]\nname = "{}"\nitems = ["{}"]\nowner = "user"\namount = "2"\nreset = "month"\n', True),
        ('[[version.credit]]\nname = "{}"\nitems = ["{}"]\ntenant = "t"\namount = "2"\nvalid_from = 2026-01-01\n', True),
        ('[[version.pool]]\nname = "{}"\nitems = ["{}"]\nowner = "user"\nreset = "month"\nsteps = [{{above = "1", list_price = "2"}}]\n', False),
        ('[[version.last_month]]\nname = "{}"\nitems = ["{}"]\nowner = "user"\nallotment = "1"\nsteps = [{{from = "0", factor = "1"}}]\n', False),
    ],
)  # fmt: skip
def test_order_within_a_kind(table: str, counts: bool):
    one, other = table.format("a", "CPU-STD"), table.format("b", "GPU")
    assert (only(HEAD + one + other).sha256 != only(HEAD + other + one).sha256) is counts


# --- the template is the documentation


def test_every_example_of_the_template_is_sound():
    """With the leading "# " of every example taken away the book still reads, each kind of rule in it."""
    template = files("hesuan").joinpath("templates", "tariffs.toml").read_text(encoding="utf-8")
    lines = template.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("# [[version."))
    code = re.compile(r"# (?=\[\[version\.|[a-z_]+ = |    \{|\]$)")
    content = "\n".join([*lines[:begin], *(code.sub("", line) for line in lines[begin:])])
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tariffs.toml"
        file.write_text(content, encoding="utf-8")
        site_file = files("hesuan").joinpath("templates", "site.toml").read_text(encoding="utf-8")
        (Path(directory) / "site.toml").write_text(site_file, encoding="utf-8")
        site = read_site(Path(directory))
        tenants = [tenant.tenant for tenant in site.tenants]
        book = read_price_book(file, site.accelerators, tenants=tenants, slot_minutes=site.slot_minutes)
    rules = book.versions[-1].rules
    assert all(getattr(rules, kind.name) for kind in fields(Rules))
    assert read(template).versions[-1].rules == Rules()
