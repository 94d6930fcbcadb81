"""The traps of a price book, each worked by hand in the comment above it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from models.build import SitePaths, build
from models.calendar import midnight_s
from models.engine import check_names, check_rows
from models.site import Site
from models.tariff import PriceBook, Vat
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
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import book, price, rule, site, tariff, tenant

D = Decimal
HOUR = 3600
ANY = Place("*", "*", "*", "*")
SEPTEMBER = midnight_s(date(2026, 9, 1), "UTC")


def at(day: int, hour: float) -> int:
    """UTC seconds of an hour of a day of September 2026."""
    return SEPTEMBER + (day - 1) * 86400 + round(hour * HOUR)


def band(name: str, factor: str, **more: Any) -> Band:
    values: dict[str, Any] = {
        "name": name, "name_en": name, "items": ("*",), "factor": D(factor), "weekdays": (), "first_day": None,
        "last_day": None, "from_minute": 0, "to_minute": 0, "by": "slot", "line_no": 1,
    }  # fmt: skip
    return Band(**(values | more))


def pool(*steps: tuple[str, str], **more: Any) -> Pool:
    values: dict[str, Any] = {
        "name": "tiers", "name_en": "tiers", "items": ("CPU",), "owner": "tenant", "reset": "month", "contract_from": None,
        "steps": tuple(Step(D(above), D(amount), D(amount)) for above, amount in steps), "line_no": 1,
    }  # fmt: skip
    return Pool(**(values | more))


def quota(amount: str, **more: Any) -> Quota:
    values: dict[str, Any] = {
        "name": "free", "name_en": "free", "items": ("CPU",), "owner": "tenant", "tenants": ("*",), "amount": D(amount),
        "reset": "month", "contract_from": None, "valid_from": None, "valid_to": None, "line_no": 1,
    }  # fmt: skip
    return Quota(**(values | more))


def meter(resource: str, **more: Any) -> Meter:
    values: dict[str, Any] = {
        "name": "meter", "place": ANY, "resource": resource, "minimum_s": 0, "granularity_s": 1, "weights": (),
        "combine": "max", "board_share": False, "line_no": 1,
    }  # fmt: skip
    return Meter(**(values | more))


def built(
    directory: Path, records: list[dict[str, Any]], made: PriceBook, *periods: str, of: Site | None = None
) -> duckdb.DuckDBPyConnection:
    """The mart of the last of `periods` (September 2026 by default), every check run on it."""
    paths = SitePaths(directory)
    fill_raw(paths.raw, records)
    for name in periods or ("2026-09",):
        path = build(paths, of or site(), made, name, program_version="test").path
    con = duckdb.connect(str(path), read_only=True)
    assert {name: rows for name in check_names() if (rows := check_rows(con, name, 3))} == {}
    return con


def lines(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """(item, resource, quantity, price, amount) of every line in order."""
    return con.execute(
        "SELECT item, resource, CAST(quantity AS DECIMAL(18, 4)), CAST(price AS DECIMAL(18, 4)), billed_amount FROM out_charge_line ORDER BY line"
    ).fetchall()


def test_bands_multiply_and_tiers_choose(tmp_path: Path) -> None:
    """60,000 h by day (x 1.5) then 60,000 h by night (x 0.5), a tier above 100,000 h: 0.10 below, 0.08 above.

    Hours count, not what they cost: the day's 60,000 and the night's first 40,000 are below, 20,000 above:
    60,000 x 0.15 = 9,000; 40,000 x 0.05 = 2,000; 20,000 x 0.04 = 800.
    5,000 cores from 8 to 20 on day 1 (day) and from 20 to 8 (night).
    """
    rules = Rules(
        bands=(
            band("day", "1.5", from_minute=480, to_minute=1200),
            band("night", "0.5", from_minute=1200, to_minute=480),
        ),
        pools=(pool(("100000", "0.08")),),
    )
    records = [run(1, at(1, 8), at(2, 8), "cpu=5000")]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "0.10"), rules=rules)))
    assert sorted(lines(con), key=lambda line: -line[3]) == [
        ("CPU", "cpu", D(60000), D("0.15"), D("9000.00")),
        ("CPU", "cpu", D(40000), D("0.05"), D("2000.00")),
        ("CPU", "cpu", D(20000), D("0.04"), D("800.00")),
    ]


def test_quota_that_runs_out_inside_a_slot(tmp_path: Path) -> None:
    """100 h free. Two runs of 60 cores in the same hour: 60 + 60 h; the first takes its turn, then 40 of the second.

    20 h are charged at 0.10 = 2.00, all of them the second run's; 100 h are free by quota.
    """
    records = [run(1, at(3, 9), at(3, 10), "cpu=60"), run(2, at(3, 9), at(3, 10), "cpu=60")]
    con = built(
        tmp_path, records, book(tariff(price("CPU", "cpu", "0.10"), rules=Rules(quotas=(quota("100"),))))
    )
    assert lines(con) == [("CPU", "cpu", D(20), D("0.10"), D("2.00"))]
    assert con.execute("SELECT job_id, billed_fen FROM out_run ORDER BY job_id").fetchall() == [
        ("1", 0),
        ("2", 200),
    ]
    assert con.execute("SELECT reason, consumed_base FROM out_not_charged").fetchall() == [
        ("quota:free", 100 * 3_600_000)
    ]


def test_band_that_begins_at_half_past(tmp_path: Path) -> None:
    """One core from 7:00 to 8:00, x 2 from 7:30 on: 0.5 h at 1.00 and 0.5 h at 2.00."""
    rules = Rules(bands=(band("peak", "2", from_minute=450, to_minute=720),))
    records = [run(1, at(1, 7), at(1, 8), "cpu=1")]
    con = built(
        tmp_path, records, book(tariff(price("CPU", "cpu", "1"), rules=rules)), of=site(slot_minutes=30)
    )
    assert lines(con) == [
        ("CPU", "cpu", D("0.5"), D(1), D("0.50")),
        ("CPU", "cpu", D("0.5"), D(2), D("1.00")),
    ]


def test_price_that_changes_inside_a_job(tmp_path: Path) -> None:
    """One core from 22:00 on the 15th to 03:00 on the 16th: 2 h at 1.00, 3 h at 2.00."""
    made = book(
        tariff(price("CPU", "cpu", "1"), version="a", valid_to=date(2026, 9, 16)),
        tariff(price("CPU", "cpu", "2"), version="b", valid_from=date(2026, 9, 16)),
    )
    con = built(tmp_path, [run(1, at(15, 22), at(16, 3), "cpu=1")], made)
    assert lines(con) == [("CPU", "cpu", D(2), D(1), D("2.00")), ("CPU", "cpu", D(3), D(2), D("6.00"))]


def test_minimum_on_many_tiny_jobs(tmp_path: Path) -> None:
    """10,000 jobs of one core and one second, at least 300 s each: 10,000 x 300 s = 833.3333 h, at 0.60 = 500.00."""
    records = [run(n, at(1, 0) + n, at(1, 0) + n + 1, "cpu=1") for n in range(10_000)]
    con = built(
        tmp_path,
        records,
        book(tariff(price("CPU", "cpu", "0.60"), rules=Rules(meters=(meter("cpu", minimum_s=300),)))),
    )
    assert lines(con) == [("CPU", "cpu", D("833.3333"), D("0.60"), D("500.00"))]
    assert con.execute(
        "SELECT consumed_base, added_base FROM out_usage WHERE resource = 'cpu'"
    ).fetchall() == [(10_000 * 1000, 10_000 * 299 * 1000)]


def test_started_hours_over_a_months_end(tmp_path: Path) -> None:
    """One core from 31 August 23:30 to 1 September 02:10 (2 h 40 min: three started hours).

    Had it ended at midnight, one started hour: August pays 1 h, September the other 2 h, whenever it is built.
    """
    records = [run(1, at(1, -0.5), at(1, 2) + 600, "cpu=1")]
    made = book(tariff(price("CPU", "cpu", "1"), rules=Rules(meters=(meter("cpu", granularity_s=HOUR),))))
    con = built(tmp_path, records, made, "2026-08", "2026-09")
    assert lines(con) == [("CPU", "cpu", D(2), D(1), D("2.00"))]
    before = duckdb.connect(str(tmp_path / "mart" / "2026-08-0001.duckdb"), read_only=True)
    assert lines(before) == [("CPU", "cpu", D(1), D(1), D("1.00"))]


def test_largest_of_shares(tmp_path: Path) -> None:
    """4 cores, 64 GiB, 1 GPU for 2 h; a core-equivalent is a core, 4 GiB, or 1/10 GPU: max(4, 16, 10) = 16: 32 h.

    The second run holds 20 cores and 4 GiB: 20, so 20 h in its one hour. 52 h at 0.10 = 5.20; memory and GPU have no
    price of their own.
    """
    weights = (("cpu", D(1)), ("mem", D("0.25")), ("gpu:*", D(10)))
    rules = Rules(meters=(meter("cpu", weights=weights),))
    records = [
        run(1, at(1, 0), at(1, 2), "cpu=4,gres/gpu:a100=1,gres/gpu=1,mem=64G"),
        run(2, at(1, 5), at(1, 6), "cpu=20,mem=4G"),
    ]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "0.10"), not_priced=(), rules=rules)))
    assert lines(con) == [("CPU", "cpu", D(52), D("0.10"), D("5.20"))]


def test_sum_of_shares_threads_and_whole_nodes(tmp_path: Path) -> None:
    """Three ways to count.

    Partition ht counts two threads as a core: 8 threads x 1 h = 4 h. Partition ex charges whole nodes of 64 cores:
    3 cores on 2 nodes for 1 h = 128 h. Partition pt adds points: 2 cores x 1 + 1 GPU x 20 = 22 h. Price 1.
    """
    rules = Rules(
        meters=(
            meter("cpu", name="ht", place=Place("*", "ht", "*", "*"), weights=(("cpu", D("0.5")),)),
            meter(
                "cpu", name="ex", place=Place("*", "ex", "*", "*"), weights=(("cpu", D(1)), ("node", D(64)))
            ),
            meter(
                "cpu",
                name="pt",
                place=Place("*", "pt", "*", "*"),
                combine="sum",
                weights=(("cpu", D(1)), ("gpu:*", D(20))),
            ),
        )
    )
    records = [
        run(1, at(1, 0), at(1, 1), "cpu=8,node=1", partition="ht"),
        run(2, at(1, 0), at(1, 1), "cpu=3,node=2", partition="ex"),
        run(3, at(1, 0), at(1, 1), "cpu=2,gres/gpu=1,node=1", partition="pt"),
    ]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "1"), rules=rules)))
    assert lines(con) == [("CPU", "cpu", D(4 + 128 + 22), D(1), D("154.00"))]


def test_slice_by_its_share_of_a_board(tmp_path: Path) -> None:
    """Two slices 1g.10gb of a board of seven for 7 h at the board's price of 10: 2/7 x 7 h = 2 h = 20.00."""
    rules = Rules(meters=(meter("gpu:*", board_share=True),))
    records = [run(1, at(1, 0), at(1, 7), "cpu=1,gres/gpu:a100_1g.10gb=2,gres/gpu=2")]
    made = book(tariff(price("GPU", "gpu:*", "10"), not_priced=("cpu", "mem", "node"), rules=rules))
    assert lines(built(tmp_path, records, made)) == [
        ("GPU", "gpu:a100_1g.10gb", D("2.0000"), D(10), D("20.00"))
    ]


def test_factors_in_their_order_and_a_discount(tmp_path: Path) -> None:
    """QOS high x 1.5 on both prices, then 20 % off the contracted one: list 0.15, contracted 0.12; 100 h = 12.00."""
    rules = Rules(
        factors=(
            Factor("high", "high", ("*",), Place("*", "*", "high", "*"), ("*",), D("1.5"), "both", 1),
            Factor("off", "off", ("*",), ANY, ("alpha",), D("0.8"), "price", 2),
        )
    )
    records = [run(1, at(1, 0), at(1, 1), "cpu=100", qos="high")]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "0.10"), rules=rules)))
    assert lines(con) == [("CPU", "cpu", D(100), D("0.12"), D("12.00"))]
    assert con.execute("SELECT list_amount, acting_en FROM out_charge_line").fetchall() == [
        (D("15.00"), "high ×1.5, off ×0.8")
    ]


def test_tiers_by_the_year_for_each_user(tmp_path: Path) -> None:
    """IAP's book: 0.12 up to 100,000 h of a user in the year, 0.10 above.

    User u1 has 90,000 h in August and 20,000 in September: 10,000 at 0.12 = 1,200 and 10,000 at 0.10 = 1,000. User u2 begins anew: 20,000 at 0.12 = 2,400.
    """
    records = [
        run(1, at(-9, 0), at(-9, 10), "cpu=9000"),
        run(2, at(2, 0), at(2, 10), "cpu=2000"),
        run(3, at(2, 0), at(2, 10), "cpu=2000", user_name="u2"),
    ]
    rules = Rules(pools=(pool(("100000", "0.10"), owner="user", reset="year"),))
    con = built(
        tmp_path, records, book(tariff(price("CPU", "cpu", "0.12"), rules=rules)), "2026-08", "2026-09"
    )
    assert lines(con) == [
        ("CPU", "cpu", D(30000), D("0.12"), D("3600.00")),
        ("CPU", "cpu", D(10000), D("0.10"), D("1000.00")),
    ]


def test_a_years_tier_without_its_months_cannot_close(tmp_path: Path) -> None:
    paths = SitePaths(tmp_path)
    fill_raw(paths.raw, [run(1, at(2, 0), at(2, 1), "cpu=1")])
    made = book(tariff(price("CPU", "cpu", "1"), rules=Rules(pools=(pool(("10", "0.5"), reset="year"),))))
    con = duckdb.connect(
        str(build(paths, site(), made, "2026-09", program_version="test").path), read_only=True
    )
    assert check_rows(con, "month_before", 1) == [("2026-09", "2026-08")]


def test_rate_by_last_months_use(tmp_path: Path) -> None:
    """CIBR's rule: below 40 % of the allotment 60 % off, below 80 % 20 % off. August: 500 of 1,000 h: 20 % off.

    September: 100 h at 1.00 x 0.8 = 80.00.
    """
    steps = ((D(0), D("0.4")), (D("0.4"), D("0.8")), (D("0.8"), D(1)))
    rules = Rules(last_month=(LastMonth("use", "use", ("CPU",), "tenant", D(1000), steps, 1),))
    records = [run(1, at(-9, 0), at(-9, 5), "cpu=100"), run(2, at(2, 0), at(2, 1), "cpu=100")]
    con = built(
        tmp_path,
        records,
        book(tariff(price("CPU", "cpu", "1"), rules=rules)),
        "2026-07",
        "2026-08",
        "2026-09",
    )
    assert lines(con) == [("CPU", "cpu", D(100), D("0.8"), D("80.00"))]


def test_holiday_by_the_end_of_a_run(tmp_path: Path) -> None:
    """SUSTech's rule: half price for runs that end in the holiday (3 September).

    Run 1 ends at 01:00 on the 3rd: all of its 5 h at half; run 2 begins there and ends on the 4th: full. 5 x 0.5 + 5 x 1 = 7.50.
    """
    holiday = band("holiday", "0.5", by="end", first_day=date(2026, 9, 3), last_day=date(2026, 9, 3))
    records = [run(1, at(2, 20), at(3, 1), "cpu=1"), run(2, at(3, 20), at(4, 1), "cpu=1")]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "1"), rules=Rules(bands=(holiday,)))))
    assert lines(con) == [("CPU", "cpu", D(5), D(1), D("5.00")), ("CPU", "cpu", D(5), D("0.5"), D("2.50"))]


def test_quotas_act_in_their_order_and_expire(tmp_path: Path) -> None:
    """Gift: 30 h until 5 September; welcome: 50 h a month. Use: 40 h on the 2nd, 60 h on the 6th.

    On the 2nd the gift takes 30 and welcome 10; on the 6th the gift is over and welcome takes its last 40: 20 h charged.
    """
    rules = Rules(quotas=(quota("30", name="gift", valid_to=date(2026, 9, 5)), quota("50", name="welcome")))
    records = [run(1, at(2, 0), at(2, 1), "cpu=40"), run(2, at(6, 0), at(6, 1), "cpu=60")]
    con = built(tmp_path, records, book(tariff(price("CPU", "cpu", "1"), rules=rules)))
    assert lines(con) == [("CPU", "cpu", D(20), D(1), D("20.00"))]
    assert con.execute("SELECT reason, consumed_base // 3600000 FROM out_not_charged ORDER BY reason").fetchall() == [
        ("quota:gift", 30), ("quota:welcome", 50),
    ]  # fmt: skip


def test_two_tenants_do_not_share_a_tier(tmp_path: Path) -> None:
    """80 h each over a tier above 100 h: neither reaches it."""
    people = site(tenants=(tenant("a"), tenant("b")), rules=(rule(0, "a", user="a*"), rule(1, "b")))
    records = [
        run(1, at(1, 0), at(1, 1), "cpu=80", user_name="a1"),
        run(2, at(1, 0), at(1, 1), "cpu=80", user_name="b1"),
    ]
    con = built(
        tmp_path,
        records,
        book(tariff(price("CPU", "cpu", "1"), rules=Rules(pools=(pool(("100", "0.5")),)))),
        of=people,
    )
    assert [line[2:] for line in lines(con)] == [(D(80), D(1), D("80.00"))] * 2


def test_credits_run_on_and_expire_in_order(tmp_path: Path) -> None:
    """Credits of 50.00 (to the end of October) and 100.00 (no end). August's bill is 120.00, September's 60.00.

    August: 50 of the first, 70 of the second: nothing to pay. September: the last 30 of the second: 30.00 to pay.
    """

    def credit(name: str, amount: str, valid_to: date | None) -> Credit:
        return Credit(name, name, "alpha", ("*",), D(amount), date(2026, 8, 1), valid_to, 1)

    rules = Rules(credits=(credit("open", "100.00", None), credit("soon", "50.00", date(2026, 11, 1))))
    records = [run(1, at(-9, 0), at(-9, 1), "cpu=120"), run(2, at(2, 0), at(2, 1), "cpu=60")]
    made = book(
        tariff(price("CPU", "cpu", "1"), rules=rules), vat=(Vat(date(2000, 1, 1), "inclusive", D("0.06")),)
    )
    con = built(tmp_path, records, made, "2026-07", "2026-08", "2026-09")
    assert lines(con) == [("CPU", "cpu", D(60), D(1), D("60.00")), ("CREDIT", "", D(1), D(-30), D("-30.00"))]
    assert con.execute("SELECT billed_amount, net, tax, gross FROM out_bill").fetchall() == [
        (D("30.00"), D("28.30"), D("1.70"), D("30.00")),
    ]  # fmt: skip
    august = duckdb.connect(str(tmp_path / "mart" / "2026-08-0001.duckdb"), read_only=True)
    assert [line[4] for line in lines(august)] == [D("120.00"), D("-50.00"), D("-70.00")]


def test_contributed_nodes_earn_by_what_others_use(tmp_path: Path) -> None:
    """Tenant b put in nodes n1 and n2 at 0.03 a core-hour.

    Tenant a runs 10 cores for 10 h on n1 (100 h) and 40 cores for 1 h on n[2-3], of which half counts (20 h): 120 h x 0.03 = 3.60 for b, whose own 50 h on n1 earn nothing and cost 5.00.
    """
    people = site(tenants=(tenant("a"), tenant("b")), rules=(rule(0, "a", user="a*"), rule(1, "b")))
    given = Contribution("nodes", "nodes", "b", "c1", "n[1-2]", "cpu", D("0.03"), None, None, 1)
    records = [
        run(1, at(1, 0), at(1, 10), "cpu=10", user_name="a1", node_list="n1"),
        run(2, at(1, 0), at(1, 1), "cpu=40", user_name="a1", node_list="n[2-3]"),
        run(3, at(2, 0), at(2, 1), "cpu=50", user_name="b1", node_list="n1"),
    ]
    con = built(
        tmp_path,
        records,
        book(tariff(price("CPU", "cpu", "0.10"), rules=Rules(contributions=(given,)))),
        of=people,
    )
    assert con.execute("SELECT tenant, kind, quantity, billed_amount FROM out_charge_line ORDER BY line").fetchall() == [
        ("a", "usage", D(140), D("14.00")), ("b", "usage", D(50), D("5.00")), ("b", "earning", D(120), D("-3.60")),
    ]  # fmt: skip
    assert con.execute("SELECT tenant, gross FROM out_bill ORDER BY tenant").fetchall() == [
        ("a", D("14.00")),
        ("b", D("1.40")),
    ]
