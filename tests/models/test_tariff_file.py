"""tariffs.toml read: what it means, and a hash that knows what a version says from how it is written."""

from __future__ import annotations

import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tariff import Price, PriceBook, Vat
from models.tariff_file import read_price_book
from models.toml_file import TomlError

BOOK = """\
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
mode = "inclusive"
rate = "0.06"
[[vat]]
valid_from = 2026-07-01
mode = "none"

[[version]]
id = "2026b"
valid_from = 2026-09-16
approved_by = "校长办公会"
[[version.price]]
item = "NODE"
name = "整节点"
resource = "node"
unit = "node-hour"
list_price = "0.12345678"

[[version]]
id = "2026a"
valid_from = 2026-01-01
approved_by = "校长办公会"
quantity_decimals = 2
not_priced = ["node", "mem", "node"]
[version.runs]
preempted = "free"
node_fail = "refund"
[version.suspended]
"*" = "bill"
"gpu:*" = "free"
"gpu:a100" = "bill"
[[version.price]]
item = "CPU-STD"
name = "CPU 核时"
name_en = "CPU core-hours"
cluster = "c*"
partition = "cpu"
qos = "normal"
resource = "cpu"
user_class = "internal"
unit = "core-hour"
list_price = "0.10"
price = "0.08"
"""


def read(content: str) -> PriceBook:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tariffs.toml"
        file.write_text(content, encoding="utf-8")
        return read_price_book(file)


def test_every_key_arrives():
    book = read(BOOK)
    assert book.currency == "CNY"
    assert book.vat == (
        Vat(date(2026, 1, 1), "inclusive", Decimal("0.06")),
        Vat(date(2026, 7, 1), "none", Decimal(0)),
    )
    first, second = book.versions
    assert (first.version, first.valid_from, first.line_no) == ("2026a", date(2026, 1, 1), 21)
    assert (first.approved_by, first.quantity_decimals) == ("校长办公会", 2)
    assert first.not_priced == ("mem", "node")
    assert first.runs == (("node_fail", "refund"), ("preempted", "free"))
    assert first.prices == (
        Price(
            item="CPU-STD",
            name="CPU 核时",
            name_en="CPU core-hours",
            cluster="c*",
            partition="cpu",
            qos="normal",
            resource="cpu",
            user_class="internal",
            list_price=Decimal("0.10"),
            price=Decimal("0.08"),
            line_no=34,
        ),
    )
    assert (second.version, second.line_no, second.quantity_decimals) == ("2026b", 10, 4)


def test_what_is_left_out():
    """Patterns are any, the contracted price is the list price, the English name is the name."""
    (node,) = read(BOOK).versions[1].prices
    assert (node.cluster, node.partition, node.qos, node.user_class) == ("*", "*", "*", "*")
    assert (node.list_price, node.price) == (Decimal("0.12345678"), Decimal("0.12345678"))
    assert node.name_en == "整节点"


def test_versions_stand_in_order_and_an_open_one_ends_where_the_next_begins():
    first, second = read(BOOK).versions
    assert (first.valid_from, first.valid_to) == (date(2026, 1, 1), date(2026, 9, 16))
    assert (second.valid_from, second.valid_to) == (date(2026, 9, 16), None)


def test_a_new_version_leaves_the_hash_of_the_open_one():
    alone = BOOK[: BOOK.index("[[version]]")] + BOOK[BOOK.rindex("[[version]]") :]
    assert read(alone).versions[0].valid_to is None
    assert read(alone).versions[0].sha256 == read(BOOK).versions[0].sha256


def test_the_closest_pattern_of_suspended_comes_first():
    assert read(BOOK).versions[0].suspended == (("gpu:a100", "bill"), ("gpu:*", "free"), ("*", "bill"))


def test_accelerators_are_the_sites():
    content = BOOK.replace('resource = "node"', 'resource = "tpu:v5"').replace("node-hour", "device-hour")
    with pytest.raises(TomlError):
        read(content)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tariffs.toml"
        file.write_text(content, encoding="utf-8")
        book = read_price_book(file, accelerators=("gpu", "tpu"))
    assert book.versions[1].prices[0].resource == "tpu:v5"


def test_a_byte_order_mark_and_crlf_change_nothing():
    assert read("\ufeff" + BOOK.replace("\n", "\r\n")) == read(BOOK)


def blocks(content: str) -> list[list[str]]:
    """The lines of each table: its header, then its keys."""
    parts: list[list[str]] = [[]]
    for line in content.splitlines():
        if line.startswith("["):
            parts.append([])
        if line:
            parts[-1].append(line)
    return parts


@given(st.data())
def test_no_order_of_keys_changes_a_hash(data: st.DataObject):
    lines: list[str] = []
    for block in blocks(BOOK):
        head = [line for line in block if line.startswith("[")]
        keys = data.draw(st.permutations(block[len(head) :]))
        comment = data.draw(st.sampled_from(["", "# 说明", "\t"]))
        lines += [*head, comment, *keys]
    book = read("\n".join(lines))
    assert [v.sha256 for v in book.versions] == [v.sha256 for v in read(BOOK).versions]


prices = st.decimals(min_value=0, max_value=10**6, places=8, allow_nan=False)


@given(prices, st.sampled_from(["0.10", "0.08"]))
def test_another_price_gives_another_hash(price: Decimal, replaced: str):
    changed = read(BOOK.replace(f'"{replaced}"', f'"{price:f}"'))
    same = price == Decimal(replaced)
    assert (changed.versions[0].sha256 == read(BOOK).versions[0].sha256) is same
    assert changed.versions[1].sha256 == read(BOOK).versions[1].sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"CNY"', '"HKD"'),
        ('id = "2026a"', 'id = "2026A"'),
        ("valid_from = 2026-01-01\napproved", "valid_from = 2026-01-02\napproved"),
        ("quantity_decimals = 2", "quantity_decimals = 3"),
        ("quantity_decimals = 2", "quantity_decimals = 2\nvalid_to = 2026-09-16"),
        ('["node", "mem", "node"]', '["node"]'),
        ('preempted = "free"', 'preempted = "refund"'),
        ('"gpu:*" = "free"', '"gpu:*" = "bill"'),
        ('"CPU-STD"', '"CPU"'),
        ('"CPU 核时"', '"核时"'),
        ('"CPU core-hours"', '"Core-hours"'),
        ('cluster = "c*"', 'cluster = "*"'),
        ('partition = "cpu"', 'partition = "fat"'),
        ('qos = "normal"', 'qos = "high"'),
        ('user_class = "internal"', 'user_class = "partner"'),
    ],
)
def test_everything_that_is_said_is_in_the_hash(old: str, new: str):
    assert old in BOOK
    before, after = (
        next(version for version in read(text).versions if version.version.lower() == "2026a")
        for text in (BOOK, BOOK.replace(old, new))
    )
    assert before.sha256 != after.sha256


def test_the_order_of_price_rows_is_in_the_hash():
    row = '[[version.price]]\nitem = "GPU"\nname = "卡时"\nresource = "{}"\nunit = "device-hour"\nlist_price = "1"\n'
    one, other = row.format("gpu:a*"), row.format("gpu:*0")
    assert read(BOOK + one + other).versions[0].sha256 != read(BOOK + other + one).versions[0].sha256


def test_equal_decimals_hash_alike():
    assert read(BOOK.replace('"0.10"', '"0.1000"')).versions[0].sha256 == read(BOOK).versions[0].sha256
