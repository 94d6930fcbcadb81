"""Printed numbers: the forms that the design names, and rounding half up against integers."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.format import (
    change,
    day_text,
    hours,
    local_text,
    money,
    number,
    percent,
    period_text,
    places_of,
    price,
    symbol,
)


@pytest.mark.parametrize(
    ("amount", "currency", "printed"),
    [
        ("12345.67", "CNY", "¥12,345.67"),
        ("-1234.56", "CNY", "−¥1,234.56"),
        ("0", "CNY", "¥0.00"),
        ("-0.00", "CNY", "¥0.00"),
        ("0.004", "CNY", "<¥0.01"),
        ("-0.004", "CNY", ">−¥0.01"),
        ("0.005", "CNY", "¥0.01"),
        ("1234567.005", "USD", "USD 1,234,567.01"),
    ],
)
def test_money(amount: str, currency: str, printed: str) -> None:
    assert money(Decimal(amount), currency) == printed


def test_unknown_is_a_dash() -> None:
    assert [money(None, "CNY"), hours(None), percent(None), price(None), local_text(None, "UTC")] == ["—"] * 5


def test_quantities() -> None:
    assert hours(Decimal("1234.565")) == "1,234.57"
    assert hours(Decimal("0.0001")) == "<0.01"
    assert hours(Decimal(0)) == "0.00"
    assert number(Decimal("63616.0000"), 4) == "63,616.0000"
    assert number(1234567, 0) == "1,234,567"
    assert places_of(Decimal("12.5000")) == 4
    assert places_of(Decimal("1E+3")) == 0


def test_prices_keep_their_decimals() -> None:
    assert [price(Decimal(p)) for p in ("0.0600", "0.0855", "4", "1200.00", "0")] == [
        "0.06",
        "0.0855",
        "4.00",
        "1,200.00",
        "0.00",
    ]


def test_ratios() -> None:
    assert percent(Decimal("0.183")) == "18.3%"
    assert percent(Decimal("0.0001")) == "<0.1%"
    assert change(Decimal(118), Decimal(100)) == "+18.0%"
    assert change(Decimal(90), Decimal(100)) == "−10.0%"
    assert change(Decimal(100), Decimal(100)) == "0.0%"
    assert change(Decimal(100), Decimal(0)) == "—"
    assert change(Decimal(-5), Decimal(100)) == "—"
    assert change(Decimal(100), None) == "—"


def test_days_and_times() -> None:
    assert period_text("2026-09", "zh") == "2026年9月"
    assert period_text("2026-09", "en") == "September 2026"
    assert day_text(date(2026, 9, 30), "zh") == "2026年9月30日"
    assert day_text(date(2026, 9, 30), "en") == "30 September 2026"
    # 2026-09-01T00:00 in Shanghai is 2026-08-31T16:00Z.
    assert local_text(1788192000, "Asia/Shanghai") == "2026-09-01 00:00:00"
    assert local_text(1788192000, "UTC") == "2026-08-31 16:00:00"
    assert symbol("CNY") == "¥"
    assert symbol("EUR") == "EUR"


@given(st.integers(-(10**18), 10**18), st.integers(0, 6))
def test_rounds_half_up_and_keeps_every_digit(units: int, drop: int) -> None:
    # units is the value in 10^-(2 + drop); half up by integers, away from zero.
    half = 10**drop // 2 if drop else 0
    rounded = (abs(units) + half) // 10**drop
    printed = number(Decimal(units).scaleb(-2 - drop), 2)
    if rounded == 0 and units:
        assert printed in {"<0.01", ">−0.01"}
    else:
        expected = rounded if units >= 0 else -rounded
        assert Decimal(printed.replace(",", "").replace("−", "-")) == Decimal(expected).scaleb(-2)
