"""Durations and numbers: the forms of sacct(1), worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.sacct_values import duration_ms, limit_s, number, seconds


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [
        ("00:00:00", 0),
        ("00:00.003", 3),
        ("22:53.824", 1_373_824),
        ("04:47:09", 17_229_000),
        ("1-16:59:47", 147_587_000),
        ("1784-21:21:35", 154_214_495_000),
        ("17", 17_000),
        ("00:01.5", 1_500),
        ("Unknown", None),
        ("", None),
    ],
)
def test_durations(written: str, milliseconds: int | None) -> None:
    read = duration_ms(pl.Series([written, "00:00:01"]), plain_unit_ms=1000)
    assert read.values.to_list() == [milliseconds, 1000]
    assert not read.bad.any()


@pytest.mark.parametrize("written", ["x", "1:2:3:4", "12:", "1.5", "9223372036854775807", "00:00:00 "])
def test_what_is_no_duration(written: str) -> None:
    read = seconds(pl.Series([written, "00:00:01"]))
    assert (read.values.to_list(), read.bad.to_list()) == ([None, 1], [True, False])


@given(st.integers(0, 10**9))
def test_a_clock_text_is_its_seconds(length: int) -> None:
    days, rest = divmod(length, 86400)
    clock = f"{days}-" * bool(days) + f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    assert seconds(pl.Series([clock, str(length)])).values.to_list() == [length, length]


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("1440", 86400),
        ("1-00:00:00", 86400),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("4294967295", None),
    ],
)
def test_limits(written: str, limit: int | None) -> None:
    read = limit_s(pl.Series([written]))
    assert (read.values.to_list(), read.bad.to_list()) == ([limit], [False])


def test_sentinels_are_nothing() -> None:
    read = number(
        pl.Series(["4294967294", "4294967295", "18446744073709551614", "18446744073709551615", "65534"])
    )
    assert read.values.to_list() == [None, None, None, None, 65534]
    assert not read.bad.any()
