"""Two versions of a price book compared: what was added, removed, changed, and what only stands elsewhere."""

from __future__ import annotations

import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.tariff import Tariff
from models.tariff_diff import changed_fields, difference
from models.tariff_file import read_price_book
from models.tariff_hash import version_said

BOOK = """\
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
mode = "none"
[[version]]
id = "2026a"
valid_from = 2026-01-01
approved_by = "x"
not_priced = ["mem"]
[version.runs]
node_fail = "refund"
[version.suspended]
"gpu:*" = "free"
[[version.price]]
item = "CPU"
name = "核时"
qos = "high"
resource = "cpu"
unit = "core-hour"
list_price = "0.20"
[[version.price]]
item = "CPU"
name = "核时"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
price = "0.08"
[[version.price]]
item = "GPU"
name = "卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "6.00"
[[version.factor]]
name = "f"
factor = "1.5"
[[version.factor]]
name = "g"
factor = "0.8"
[[version.pool]]
name = "p"
items = ["CPU"]
owner = "user"
reset = "month"
steps = [{ above = "1", list_price = "0.07" }]
[[version.pool]]
name = "q"
items = ["GPU"]
owner = "user"
reset = "month"
steps = [{ above = "1", list_price = "5" }]
"""


def read(content: str) -> Tariff:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tariffs.toml"
        file.write_text(content, encoding="utf-8")
        (version,) = read_price_book(file).versions
        return version


def swap(content: str, header: str, first: int) -> str:
    """Tables number `first` and the next of those with `header` exchanged."""
    parts = content.split("[[version.")
    places = [n for n, part in enumerate(parts) if part.startswith(f"{header}]]")]
    one, other = places[first], places[first + 1]
    parts[one], parts[other] = parts[other], parts[one]
    return "[[version.".join(parts)


def test_an_id_and_days_are_no_difference():
    other = BOOK.replace("2026a", "2026b").replace(
        "2026-01-01\napproved", "2026-02-01\nvalid_to = 2027-01-01\napproved"
    )
    assert read(other).sha256 != read(BOOK).sha256
    assert not difference(read(BOOK), read(other))


def test_a_price_that_changed():
    found = difference(read(BOOK), read(BOOK.replace('"0.08"', '"0.09"')))
    (change,) = found.prices
    assert change.old
    assert change.new
    assert (change.old.price, change.new.price, change.new.list_price) == (
        Decimal("0.08"),
        Decimal("0.09"),
        Decimal("0.10"),
    )
    assert changed_fields(change) == ("price",)
    assert (found.terms, found.rules, found.reordered) == ((), (), ())


def test_a_row_that_matches_by_another_word_is_another_row():
    """The row of QOS high is gone; one of QOS top is new, and first in the new version's order."""
    found = difference(read(BOOK), read(BOOK.replace('qos = "high"', 'qos = "top"')))
    added, removed = found.prices
    assert (added.old, added.new and added.new.qos) == (None, "top")
    assert (removed.old and removed.old.qos, removed.new) == ("high", None)
    assert found.reordered == ()


def test_rules_added_removed_changed():
    changed = BOOK.replace('name = "g"\nfactor = "0.8"', 'name = "h"\nfactor = "0.8"').replace(
        '"0.07"', '"0.06"'
    )
    found = difference(read(BOOK), read(changed)).rules
    assert [(each.kind, each.name, each.old is None, each.new is None) for each in found] == [
        ("pool", "p", False, False),
        ("factor", "h", True, False),
        ("factor", "g", False, True),
    ]
    assert [changed_fields(each) for each in found] == [("steps",), (), ()]


def test_terms():
    changed = (
        BOOK.replace('approved_by = "x"', 'approved_by = "y"\nquantity_decimals = 2')
        .replace('["mem"]', '["mem", "node"]')
        .replace('node_fail = "refund"', 'failed = "free"')
        .replace('"gpu:*" = "free"', '"gpu:*" = "bill"')
    )
    assert {
        (each.term, str(each.old), str(each.new)) for each in difference(read(BOOK), read(changed)).terms
    } == {
        ("approved_by", "x", "y"),
        ("quantity_decimals", "4", "2"),
        ("not_priced", "['mem']", "['mem', 'node']"),
        ("runs.node_fail", "refund", "None"),
        ("runs.failed", "None", "free"),
        ("suspended.gpu:*", "free", "bill"),
    }


@pytest.mark.parametrize(
    ("header", "first", "reordered"),
    [("price", 1, ("price",)), ("factor", 0, ("factor",)), ("pool", 0, ())],
)
def test_order(header: str, first: int, reordered: tuple[str, ...]):
    """Rows and factors act in order; pools have no items in common, so theirs says nothing."""
    found = difference(read(BOOK), read(swap(BOOK, header, first)))
    assert found.reordered == reordered
    assert bool(found) is bool(reordered)


EDITS = (
    ('"0.08"', '"0.080"'),
    ('"0.08"', '"0.09"'),
    ('list_price = "6.00"', 'list_price = "6"'),
    ('name = "核时"\nresource', 'name = "核时"\nname_en = "核时"\nresource'),
    ("node_fail", "failed"),
    ('["mem"]', '["mem", "mem"]'),
    ('name = "f"', 'name = "ff"'),
    ('factor = "0.8"', 'on = "price"\nfactor = "0.8"'),
    ('factor = "1.5"', 'items = ["*", "*"]\nfactor = "1.5"'),
    ('above = "1", list_price = "5"', 'above = "2", list_price = "5"'),
)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(EDITS)), st.booleans(), st.booleans(), st.booleans())
def test_no_difference_is_the_same_canonical_form(
    edits: set[tuple[str, str]], rows: bool, factors: bool, pools: bool
):
    """An empty difference and equal canonical forms, but for id and days, go together."""
    content = BOOK
    for old, new in sorted(edits):
        content = content.replace(old, new, 1)
    for header, first, asked in (("price", 1, rows), ("factor", 0, factors), ("pool", 0, pools)):
        content = swap(content, header, first) if asked else content
    versions = read(BOOK), read(content)
    forms = [version_said(version, "CNY") for version in versions]
    assert bool(difference(*versions)) is (forms[0] != forms[1])
    assert versions[0].valid_from == versions[1].valid_from == date(2026, 1, 1)


def test_a_difference_read_backwards():
    """What is added one way is removed the other way."""
    changed = read(
        BOOK.replace('"0.08"', '"0.09"').replace('name = "g"', 'name = "h"').replace("node_fail", "failed")
    )
    there, back = difference(read(BOOK), changed), difference(changed, read(BOOK))
    assert {(each.term, each.old, each.new) for each in there.terms} == {
        (each.term, each.new, each.old) for each in back.terms
    }
    assert {(each.kind, each.name, each.old, each.new) for each in there.rules} == {
        (each.kind, each.name, each.new, each.old) for each in back.rules
    }
    assert {(each.old, each.new) for each in there.prices} == {(each.new, each.old) for each in back.prices}
