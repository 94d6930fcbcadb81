"""Changes in the middle of a month and of a run, and days that are not 24 hours long, each worked out by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from models.build import SitePaths, build
from models.engine import check_rows
from models.ledger import ledger_writer, record_closed
from tests.models.marts import EVERYTHING, month, open_month, table
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import book, price, rule, site, tariff, tenant

D = Decimal
HOUR = 3600


def utc(*when: int) -> int:
    """UTC seconds of year, month, day, hour and so on."""
    return int(datetime(*when, tzinfo=UTC).timestamp())  # type: ignore[arg-type]


def test_a_tariff_that_changes_within_a_run(tmp_path: Path) -> None:
    """10 cores from 20:00 on the 14th to 06:00 on the 15th, in Shanghai; the new price holds from midnight of the 15th.

    4 h x 10 x 0.10 = 4.00 and 6 h x 10 x 0.20 = 12.00. Midnight there is 16:00 UTC.
    """
    prices = book(
        tariff(price("CPU", "cpu", "0.10"), version="old", valid_to=date(2024, 1, 15)),
        tariff(price("CPU", "cpu", "0.20"), version="new", valid_from=date(2024, 1, 15)),
    )
    records = [run(1, utc(2024, 1, 14, 12), utc(2024, 1, 14, 22), "cpu=10")]
    con = month(tmp_path, records, of=site(timezone="Asia/Shanghai"), prices=prices)
    assert table(
        con,
        "SELECT tariff_version, quantity, CAST(price AS DECIMAL(9, 2)), billed_amount FROM out_charge_line ORDER BY 1",
    ) == [("new", D(60), D("0.20"), D("12.00")), ("old", D(40), D("0.10"), D("4.00"))]
    assert table(con, "SELECT COUNT(*), SUM(billed_fen) FROM out_run") == [(1, 1600)]


def test_a_day_before_the_first_version_has_no_price(tmp_path: Path) -> None:
    """The book begins on the 2nd: what ran on the 1st has no price, which stops the close."""
    prices = book(tariff(price("CPU", "cpu", "0.10"), valid_from=date(2024, 1, 2)))
    records = [run(1, utc(2024, 1, 1, 22), utc(2024, 1, 2, 3), "cpu=1")]
    con = month(tmp_path, records, prices=prices, fails={"no_price"})
    assert table(con, "SELECT quantity, billed_amount FROM out_charge_line") == [(D(3), D("0.30"))]
    assert table(con, "SELECT reason, resource, CAST(consumed_base AS BIGINT) FROM out_not_charged") == [
        ("no-price", "cpu", 2 * HOUR * 1000)
    ]


def test_a_tenant_rule_that_changes_within_a_run(tmp_path: Path) -> None:
    """Account x belongs to alpha up to the 9th and to beta from the 10th: 2 h and 5 h of 10 cores at 0.1."""
    of = site(
        tenants=(tenant("alpha"), tenant("beta")),
        rules=(
            rule(0, "alpha", account="x", valid_to=date(2024, 1, 10)),
            rule(1, "beta", account="x", valid_from=date(2024, 1, 10)),
        ),
    )
    records = [run(1, utc(2024, 1, 9, 22), utc(2024, 1, 10, 5), "cpu=10", account="x")]
    con = month(tmp_path, records, of=of)
    assert table(con, "SELECT tenant, billed_amount FROM out_bill ORDER BY 1") == [
        ("alpha", D("2.00")),
        ("beta", D("5.00")),
    ]
    # The run stands on both bills, with its part of the cores.
    assert table(con, "SELECT tenant, cpu_core_ms, billed_fen FROM out_run ORDER BY 1") == [
        ("alpha", 2 * 10 * HOUR * 1000, 200),
        ("beta", 5 * 10 * HOUR * 1000, 500),
    ]


@pytest.mark.parametrize(
    ("zone", "day", "hours", "minutes"),
    [
        ("Asia/Shanghai", date(2026, 10, 25), 24.0, 60),
        ("Europe/Berlin", date(2026, 10, 25), 25.0, 60),
        ("Europe/Berlin", date(2026, 3, 29), 23.0, 15),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5, 60),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5, 30),
        ("America/Sao_Paulo", date(2018, 11, 4), 23.0, 15),  # its midnight does not exist
    ],
)
def test_days_and_slots(tmp_path: Path, zone: str, day: date, hours: float, minutes: int) -> None:
    """One core through the whole month: the day has its hours, every slot its minutes, the last one may be short."""
    first = utc(day.year, day.month, 1) - 86_400
    con = month(
        tmp_path,
        [run(1, first, first + 40 * 86_400, "cpu=1")],
        period=f"{day:%Y-%m}",
        of=site(timezone=zone, slot_minutes=minutes, runaway_days=100),
    )
    assert table(
        con,
        "SELECT CAST(SUM(u.consumed_base) AS BIGINT) FROM core_use AS u JOIN cal_span AS s ON s.span_no = u.span_no WHERE s.day = ?",
        day,
    ) == [(int(hours * HOUR * 1000),)]
    slots = table(
        con,
        "SELECT CAST(u.consumed_base AS BIGINT) FROM core_usage_slot AS u JOIN cal_slot AS s ON s.slot_no = u.slot_no WHERE s.day = ? ORDER BY s.slot_no",
        day,
    )
    whole, rest = divmod(int(hours * 60), minutes)
    assert [base for (base,) in slots] == [minutes * 60_000] * whole + [rest * 60_000] * (rest > 0)


def test_intervals_are_half_open(tmp_path: Path) -> None:
    """A run that ends at midnight of the 1st is no part of the month; one that begins there is, in full."""
    begin = utc(2024, 1, 1)
    records = [
        run(1, begin - 60, begin, "cpu=1"),
        run(2, begin, begin + 60, "cpu=1"),
        run(3, begin - 1, begin + 1, "cpu=1"),
    ]
    con = month(tmp_path, records)
    assert table(
        con,
        "SELECT r.job_id, u.consumed_base FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no ORDER BY 1",
    ) == [("2", 60_000), ("3", 1000)]


def test_an_edited_version_after_a_closed_month(tmp_path: Path) -> None:
    """January was closed with what v1 said then; v1 says something else now: the check and a finding name both."""
    paths = SitePaths(tmp_path)
    fill_raw(paths.raw, [run(1, utc(2024, 1, 5), utc(2024, 1, 5, 1), "cpu=1")])
    (closed,) = EVERYTHING.versions
    with ledger_writer(paths.ledger, now_s=0) as con:
        record_closed(con, "2024-01", (closed,), now_s=1, who="test")
    open_month(paths, "2024-01").close()
    edited = tariff(*closed.prices, not_priced=(), sha256="f" * 64, line_no=12)
    con = open_month(paths, "2024-01", prices=book(edited), fails={"edited_version"})
    assert check_rows(con, "edited_version", 5) == [("tariffs.toml:12", "v1 (2024-01)")]
    assert table(con, "SELECT level, location, detail FROM out_finding WHERE reason = 'edited-version'") == [
        ("error", "tariffs.toml:12", "v1 (2024-01)")
    ]


def test_the_same_inputs_have_the_same_hash(tmp_path: Path) -> None:
    """Built twice it is the same; another price book or another record makes it another."""
    paths = SitePaths(tmp_path)
    begin = utc(2024, 1, 5)
    fill_raw(paths.raw, [run(1, begin, begin + 60, "cpu=1")])
    other = book(tariff(price("CPU", "cpu", "1"), sha256="1" * 64))
    hashes = [
        build(paths, site(), prices, "2024-01", program_version="test").input_hash
        for prices in (EVERYTHING, EVERYTHING, other)
    ]
    fill_raw(paths.raw, [run(2, begin, begin + 60, "cpu=1")])
    hashes.append(build(paths, site(), EVERYTHING, "2024-01", program_version="test").input_hash)
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3
