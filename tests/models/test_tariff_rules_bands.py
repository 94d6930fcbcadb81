"""Time bands of tariffs.toml: which can never count, and which begin or end within an accounting slot."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.bands import holds
from models.tariff import PriceBook, Tariff
from models.tariff_band_checks import band_faults
from models.tariff_checks import band_edges, slot_faults
from models.tariff_rules import Band, Rules

ITEMS = {"CPU": "core-hour", "GPU": "device-hour"}
ALWAYS = Band("all", "all", ("*",), Decimal(2), (), None, None, 0, 0, "slot", 1)


def band(line_no: int = 2, **more: object) -> Band:
    return dataclasses.replace(ALWAYS, name=f"b{line_no}", line_no=line_no, **more)  # type: ignore[arg-type]


def times(begin: str, to: str) -> dict[str, int]:
    def minute(said: str) -> int:
        return int(said[:2]) * 60 + int(said[3:])

    return {"from_minute": minute(begin), "to_minute": minute(to)}


FRIDAY_NIGHT = band(weekdays=(5,), **times("23:00", "07:00"))
SPRING = band(first_day=date(2026, 2, 15), last_day=date(2026, 2, 23))


@pytest.mark.parametrize(
    ("first", "second", "is_covered"),
    [
        (band(), band(3, by="end"), True),
        (band(by="end"), band(3), False),
        (band(items=("GPU",)), band(3, items=("CPU",)), False),
        (band(items=("C*", "G*")), band(3, items=("*",)), True),
        (band(items=("CPU",)), band(3, items=("*",)), False),
        (band(**times("22:00", "08:00")), band(3, **times("23:00", "07:00")), True),
        (band(**times("22:00", "08:00")), band(3, **times("00:00", "07:00")), True),
        (band(**times("23:00", "07:00")), band(3, **times("22:00", "06:00")), False),
        # The morning after Friday night is Saturday's.
        (band(weekdays=(5,)), band(3, weekdays=(5,), **times("23:00", "07:00")), False),
        (band(weekdays=(5, 6)), band(3, weekdays=(5,), **times("23:00", "07:00")), True),
        (FRIDAY_NIGHT, band(3, weekdays=(6,), **times("00:00", "07:00")), True),
        (FRIDAY_NIGHT, band(3, weekdays=(5,), **times("00:00", "07:00")), False),
        (FRIDAY_NIGHT, band(3, weekdays=(5,), **times("23:00", "24:00")), True),
        (SPRING, band(3, first_day=date(2026, 2, 16), last_day=date(2026, 2, 20)), True),
        (SPRING, band(3, first_day=date(2026, 2, 16), last_day=date(2026, 2, 24)), False),
        # The night that begins on the last day ends on the day after.
        (SPRING, band(3, first_day=date(2026, 2, 16), last_day=date(2026, 2, 23), **times("23:00", "07:00")), False),
        (SPRING, band(3), False),
        (band(weekdays=(1,)), band(3, first_day=date(2026, 3, 2), last_day=date(2026, 3, 2)), True),  # a Monday
        (band(weekdays=(1,)), band(3, first_day=date(2026, 3, 3), last_day=date(2026, 3, 3)), False),
    ],
)  # fmt: skip
def test_covered(first: Band, second: Band, is_covered: bool):
    faults = band_faults([first, second], ITEMS)
    assert [(fault.line, fault.key) for fault in faults] == [(3, "tariff.band_covered")] * is_covered


def test_a_band_without_a_moment():
    """1 March 2026 is a Sunday; no Tuesday in a window of that one day."""
    sunday = date(2026, 3, 1)
    never = band(2, weekdays=(2,), first_day=sunday, last_day=sunday)
    assert [fault.key for fault in band_faults([never], ITEMS)] == ["tariff.band_never"]
    assert not band_faults([dataclasses.replace(never, weekdays=(7,))], ITEMS)


minutes = st.integers(0, 95).map(lambda quarter: quarter * 15)
days = st.dates(date(2026, 1, 1), date(2026, 3, 31))


@st.composite
def bands(draw: st.DrawFn) -> Band:
    begin, to = draw(minutes), draw(minutes)
    window = sorted([draw(days), draw(days)]) if draw(st.booleans()) else [None, None]
    return band(
        weekdays=tuple(sorted(draw(st.sets(st.integers(1, 7), max_size=6)))),
        from_minute=begin,
        to_minute=to,
        first_day=window[0],
        last_day=window[1],
    )


def quarters(each: Band) -> set[datetime]:
    """Every quarter of an hour from December 2025 to April 2026 that the band holds: all that a window may touch."""
    first = datetime(2025, 12, 1)  # noqa: DTZ001 - wall time
    every = (first + timedelta(minutes=15 * n) for n in range(151 * 96))
    return {moment for moment in every if holds(each, moment)}


@settings(max_examples=40, deadline=None)
@given(bands(), bands(), st.booleans())
def test_covered_is_what_holds_less(first: Band, second: Band, nested: bool):
    """Against all quarters of five months, one by one; `nested` makes the second a part of the first."""
    if nested:
        second = dataclasses.replace(first, weekdays=first.weekdays[:1], to_minute=second.to_minute)
    second = dataclasses.replace(second, name="second", line_no=3)
    held = quarters(second)
    assume(held)
    wide = quarters(first)
    # A window lies within these months, so a band without one always holds a moment that it does not.
    faults = band_faults([first, second], ITEMS)
    assert ("tariff.band_covered" in {fault.key for fault in faults}) is (held <= wide)


# --- slots


def book(*each: Band) -> PriceBook:
    version = Tariff(
        version="a",
        valid_from=date(2026, 1, 1),
        valid_to=None,
        approved_by="x",
        quantity_decimals=4,
        prices=(),
        runs=(),
        suspended=(),
        not_priced=(),
        sha256="",
        line_no=1,
        rules=Rules(bands=each),
    )
    return PriceBook("CNY", (version,), ())


def test_edges_are_those_of_bands_with_times():
    made = book(band(**times("23:00", "07:30")), band(3), band(4, **times("07:30", "24:00")))
    assert band_edges(made.versions[0]) == (450, 1380, 1440)


@pytest.mark.parametrize(
    ("begin", "to", "slot", "fitting"),
    [
        ("23:00", "07:00", 60, None),
        ("23:00", "24:00", 60, None),
        ("23:30", "07:00", 60, 30),
        ("23:00", "07:30", 60, 30),
        ("23:30", "07:15", 60, 15),
        ("23:30", "07:15", 30, 15),
        ("23:30", "07:30", 30, None),
        ("23:45", "07:15", 15, None),
    ],
)
def test_edges_within_a_slot(begin: str, to: str, slot: int, fitting: int | None):
    faults = slot_faults(book(band(7, **times(begin, to))), slot)
    assert [(fault.line, dict(fault.values)["fitting"]) for fault in faults] == (
        [(7, fitting)] if fitting else []
    )
    for fault in faults:
        assert f"请在 site.toml 中写 slot_minutes = {fitting}" in fault.text("zh")


def test_one_slot_fits_all_bands():
    """One band wants half hours, the other quarters: both are told quarters."""
    made = book(band(2, **times("07:30", "12:00")), band(3, **times("12:00", "18:15")))
    assert [dict(fault.values)["fitting"] for fault in slot_faults(made, 60)] == [15, 15]
