"""Money: tax by hand-worked sheets, remainders and products as properties."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.pricing import UsageLine, amount, largest_remainder, price_tenant, split_tax, vat_on
from models.split import part
from models.tariff import Vat
from models.units import BILLING, CORE, DEVICE, MEMORY, NODE, Unit, in_units

D = Decimal
SIX = D("0.06")
FEN = D("0.01")
money = st.decimals(min_value=0, max_value=10**9, places=2)


@pytest.mark.parametrize(
    ("mode", "total", "net", "tax", "gross"),
    [
        # 12,345.67 / 1.06 = 11,646.8585 -> 11,646.86; 100 / 1.06 = 94.3396 -> 94.34: the tax is the difference.
        ("inclusive", "12345.67", "11646.86", "698.81", "12345.67"),
        ("inclusive", "100.00", "94.34", "5.66", "100.00"),
        ("inclusive", "0.01", "0.01", "0.00", "0.01"),
        ("inclusive", "0.00", "0.00", "0.00", "0.00"),
        # 100 x 6 % = 6; 12,345.67 x 6 % = 740.7402; 0.25 x 6 % = 0.015 -> 0.02, half up.
        ("exclusive", "100.00", "100.00", "6.00", "106.00"),
        ("exclusive", "12345.67", "12345.67", "740.74", "13086.41"),
        ("exclusive", "0.25", "0.25", "0.02", "0.27"),
        ("none", "12345.67", "12345.67", "0.00", "12345.67"),
    ],
)
def test_tax(mode: str, total: str, net: str, tax: str, gross: str) -> None:
    assert [str(value) for value in split_tax(D(total), mode, SIX)] == [net, tax, gross]


@given(
    total=money, mode=st.sampled_from(["inclusive", "exclusive", "none"]), rate=st.decimals(0, 1, places=4)
)
def test_tax_adds_up_and_is_right_to_half_a_fen(total: Decimal, mode: str, rate: Decimal) -> None:
    net, tax, gross = split_tax(total, mode, rate)
    assert net + tax == gross
    assert total == (gross if mode == "inclusive" else net)
    if mode != "none":
        assert abs(Fraction(net) * Fraction(rate) - Fraction(tax)) <= Fraction(1, 100)
        exact = (
            Fraction(total) / (1 + Fraction(rate))
            if mode == "inclusive"
            else Fraction(total) * Fraction(rate)
        )
        assert abs(exact - Fraction(net if mode == "inclusive" else tax)) <= Fraction(1, 200)


def test_the_tax_of_a_day() -> None:
    """The newest row that is in force; none before the first one."""
    book = (Vat(date(2026, 1, 1), "inclusive", SIX), Vat(date(2026, 7, 1), "exclusive", D("0.09")))
    assert vat_on(book, date(2025, 12, 31)) == ("none", D(0))
    assert vat_on(book, date(2026, 6, 30)) == ("inclusive", SIX)
    assert vat_on(book, date(2026, 7, 1)) == ("exclusive", D("0.09"))


@pytest.mark.parametrize(
    ("total", "weights", "expected"),
    [
        ("1.00", ["1", "1", "1"], ["0.34", "0.33", "0.33"]),  # a tie goes to the first
        ("0.02", ["1", "1", "1"], ["0.01", "0.01", "0.00"]),
        (
            "10.00",
            ["2.335", "5.665", "2"],
            ["2.34", "5.66", "2.00"],
        ),  # 233.5 and 566.5 fen tie: the first gets it
        ("10.00", ["0", "5", "0"], ["0.00", "10.00", "0.00"]),
        ("0.05", ["0", "0"], ["0.05", "0.00"]),
        ("1.00", ["1e-20", "1e-20"], ["0.50", "0.50"]),  # the size of weights does not matter
    ],
)
def test_largest_remainder(total: str, weights: list[str], expected: list[str]) -> None:
    assert [str(one) for one in largest_remainder(D(total), [D(w) for w in weights])] == expected


@given(total=money, weights=st.lists(st.decimals(0, 10**7, places=4), min_size=1, max_size=40))
def test_largest_remainder_adds_up_within_a_fen(total: Decimal, weights: list[Decimal]) -> None:
    parts = largest_remainder(total, weights)
    assert sum(parts) == total
    if whole := sum(map(Fraction, weights)):
        for one, weight in zip(parts, weights, strict=True):
            assert abs(Fraction(one) - Fraction(total) * Fraction(weight) / whole) < Fraction(1, 100)


@pytest.mark.parametrize("weights", [[], [D(1), D(-1)]])
def test_largest_remainder_refuses(weights: list[Decimal]) -> None:
    with pytest.raises(ValueError, match="weights"):
        largest_remainder(D(1), weights)


@given(
    whole=st.integers(0, 10**24),
    length=st.integers(1, 10**9),
    marks=st.lists(st.integers(0, 10**9), max_size=20),
)
def test_slices_add_up(whole: int, length: int, marks: list[int]) -> None:
    edges = [0, *sorted(mark % (length + 1) for mark in marks), length]
    slices = [part(whole, high, length) - part(whole, low, length) for low, high in pairwise(edges)]
    assert sum(slices) == whole
    assert min(slices) >= 0


def test_price_times_printed_quantity_is_the_printed_amount() -> None:
    """10,000 lines, recomputed in whole numbers: half up at the quantity's last place and at the fen."""
    rng = random.Random(20260901)
    units = [CORE, MEMORY, NODE, DEVICE, BILLING]
    lines = [
        UsageLine(
            line=f"t-{n}",
            tenant="t",
            unit=rng.choice(units),
            consumed_base=rng.randrange(10 ** rng.randrange(1, 18)),
            priced_base=rng.randrange(10 ** rng.randrange(1, 18)),
            list_price=D(rng.randrange(10 ** rng.randrange(1, 11))).scaleb(-8),
            price=D(rng.randrange(10 ** rng.randrange(1, 11))).scaleb(-8),
            quantity_decimals=rng.randrange(7),
        )
        for n in range(10_000)
    ]
    charges, bill = price_tenant(lines, "exclusive", SIX)
    for line, charge in zip(lines, charges, strict=True):
        step = 10**line.quantity_decimals
        per_unit = line.unit.base_per_unit
        quantity = (2 * line.priced_base * step + per_unit) // (2 * per_unit)
        assert charge.quantity == D(quantity) / step
        for price, printed in ((line.price, charge.billed_amount), (line.list_price, charge.list_amount)):
            scale = 10**6 * step  # price in 10^-8, quantity in 1/step, amount in fen
            fen = (2 * quantity * int(price.scaleb(8)) + scale) // (2 * scale)
            assert printed == D(fen).scaleb(-2)
            assert printed == amount(charge.quantity, price)
    assert bill.billed_amount == sum(charge.billed_amount for charge in charges)
    assert bill.list_amount == sum(charge.list_amount for charge in charges)


@given(
    amounts=st.lists(st.integers(0, 10**9), min_size=1, max_size=30),
    mode=st.sampled_from(["inclusive", "exclusive", "none"]),
)
@example(amounts=[0, 0], mode="inclusive")
def test_lines_before_tax_add_up_to_the_bill(amounts: list[int], mode: str) -> None:
    """A line of n node-hours at 0.01 is n fen."""
    lines = [
        UsageLine(f"t-{n}", "t", NODE, fen * 3600, fen * 3600, D("0.02"), FEN, 4)
        for n, fen in enumerate(amounts)
    ]
    charges, bill = price_tenant(lines, mode, SIX)
    assert bill.billed_amount == D(sum(amounts)).scaleb(-2)
    assert bill.list_amount == 2 * bill.billed_amount
    assert sum(charge.billed_cost for charge in charges) == bill.net
    assert bill.net + bill.tax == bill.gross
    for charge, fen in zip(charges, amounts, strict=True):
        assert charge.billed_amount == D(fen).scaleb(-2)
        rate = SIX if mode == "inclusive" else D(0)
        assert abs(charge.billed_cost - charge.billed_amount / (1 + rate)) < 2 * FEN


@given(
    base=st.integers(-(10**20), 10**20),
    decimals=st.integers(0, 6),
    unit=st.sampled_from([CORE, MEMORY, NODE]),
)
def test_quantities_are_rounded_half_away_from_zero(base: int, decimals: int, unit: Unit) -> None:
    found = Fraction(in_units(base, unit, decimals))
    exact = Fraction(base, unit.base_per_unit)
    half = Fraction(1, 2 * 10**decimals)
    assert abs(found - exact) <= half
    assert abs(found - exact) < half or abs(found) > abs(exact)
    assert (found * 10**decimals).denominator == 1
