"""What must hold for any records: splits lose nothing, order and repetition change nothing.

The expected numbers are made in plain Python from the records: days from the zone's own wall clock, parts by models/split.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from models.build import SitePaths
from models.site import Site
from models.split import part
from models.tariff import PriceBook, Vat
from tests.models.marts import Record, open_month, table
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import book, price, rule, site, tariff, tenant

# An example builds one or two marts, which takes a second. So few examples, each a store of many runs made from a seed
# (shrinking a seed would say nothing).
FEW = settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
seeds = st.integers(0, 2**32)

# AllocTRES texts and what they hold per second in base units.
TEXTS: dict[str, dict[str, int]] = {
    "cpu=1": {"cpu": 1000},
    "cpu=7,mem=3G,node=1,billing=9": {"cpu": 7000, "mem": 3072, "node": 1, "billing": 9000},
    "cpu=0.333,mem=5": {"cpu": 333, "mem": 5},
    "cpu=64,mem=1T,node=2,gres/gpu=8,gres/gpu:a100=6": {
        "cpu": 64_000, "mem": 1024**2, "node": 2, "gpu:a100": 6000, "gpu:untyped": 2000,
    },
    "gres/npu:910b=3,mem=100M": {"npu:910b": 3000, "mem": 100},
}  # fmt: skip

# Two months in a row and their zone: plain, +8, the longest and the shortest day, a half-hour change, a midnight that is
# skipped, an offset of quarters.
PLACES = (
    ("2024-01", "2024-02", "UTC"),
    ("2024-01", "2024-02", "Asia/Shanghai"),
    ("2026-10", "2026-11", "Europe/Berlin"),
    ("2026-03", "2026-04", "Europe/Berlin"),
    ("2026-04", "2026-05", "Australia/Lord_Howe"),
    ("2018-11", "2018-12", "America/Sao_Paulo"),
    ("2026-06", "2026-07", "Asia/Kathmandu"),
)

SITE = site(
    tenants=(tenant("alpha"), tenant("beta", user_class="external")),
    rules=(rule(0, "alpha", account="alpha*"), rule(1, "beta", account="beta")),
)
PRICES: PriceBook = book(
    tariff(
        price("CPU", "cpu", "0.12", user_class="external"),
        price("CPU", "cpu", "0.10", price=Decimal("0.07")),
        price("MEM", "mem", "0.013"),
        price("GPU", "gpu:*", "3.99"),
        runs=(("node_fail", "refund"), ("failed", "free")),
        suspended=(("mem", "free"),),
        not_priced=("node", "billing", "npu:*"),
    ),
    vat=(Vat(date(2000, 1, 1), "inclusive", Decimal("0.06")),),
)


def site_in(zone: str, minutes: int) -> Site:
    """The site of these tests in a zone, with slots of so many minutes."""
    return site(timezone=zone, slot_minutes=minutes, tenants=SITE.tenants, rules=SITE.rules)


def edges_of(months: Iterable[str], zone: str) -> list[tuple[int, date]]:
    """(first second, local day) of each local day of the months, read off the wall clock quarter by quarter."""
    clock, names = ZoneInfo(zone), set(months)
    year, number = map(int, min(names).split("-"))
    begin = int(datetime(year, number, 1, tzinfo=UTC).timestamp()) - 86_400
    found: list[tuple[int, date]] = []
    for second in range(begin, begin + 66 * 86_400, 900):
        day = datetime.fromtimestamp(second, clock).date()
        if not found or found[-1][1] != day:
            found.append((second, day))
    inside = [n for n, (_, day) in enumerate(found) if f"{day:%Y-%m}" in names]
    return found[inside[0] : inside[-1] + 2]


def random_runs(rng: random.Random, start: int, end: int) -> list[Record]:
    """Ended runs within [start, end), each with its own job id: seconds, hours and weeks long, some of them suspended."""
    records = []
    for job in range(1, rng.randint(8, 30) + 1):
        begin = rng.randrange(start, end)
        length = rng.randint(1, rng.choice([1, 3600, 90_000, end - start]))
        reach = min(begin + length, end)
        held = reach - begin
        suspended = rng.choice([0, 0, rng.randint(0, held), held])
        records.append(
            run(
                job,
                begin,
                reach,
                rng.choice(list(TEXTS)),
                suspended_s=suspended,
                elapsed_s=held - suspended,
                account=rng.choice(["alpha", "alpha-x", "beta", "nobody"]),
                user_name=rng.choice(["u1", "u2"]),
                partition=rng.choice(["cpu", "gpu"]),
                state=rng.choice(["COMPLETED", "FAILED", "NODE_FAIL", "TIMEOUT"]),
                db_index=rng.choice([None, str(9 * 10**18 + job)]),
            )
        )
    return records


def expected_use(records: list[Record], edges: list[tuple[int, date]]) -> dict[tuple[int, date, str], int]:
    """Base units by job, local day and resource: CPU without suspended time, everything else as held."""
    found: dict[tuple[int, date, str], int] = {}
    for record in records:
        begin, reach, suspended = record["start_s"], record["end_s"], record["suspended_s"]
        for (first, day), (last, _) in pairwise(edges):
            low, high = max(first, begin), min(last, reach)
            if low >= high:
                continue
            for resource, per_s in TEXTS[record["alloc_tres"]].items():
                active = reach - begin - (suspended if resource == "cpu" else 0)
                done = [part(per_s * active, mark - begin, reach - begin) for mark in (low, high)]
                if done[1] > done[0]:
                    found[record["job_id_raw"], day, resource] = done[1] - done[0]
    return found


def use_by_day(con: duckdb.DuckDBPyConnection) -> dict[tuple[int, date, str], int]:
    rows = table(
        con,
        "SELECT r.job_id_raw, s.day, u.resource, SUM(u.consumed_base) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no"
        " JOIN cal_span AS s ON s.span_no = u.span_no GROUP BY ALL HAVING SUM(u.consumed_base) > 0",
    )
    return {(job, day, resource): int(base) for job, day, resource, base in rows}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place[2]}-{place[0]}")
@settings(FEW, max_examples=1)
@given(seed=seeds)
def test_days_and_months_part_a_run_without_loss(place: tuple[str, str, str], seed: int) -> None:
    """Every day and slot of every run is the difference of two floors, and two months hold the whole run."""
    *months, zone = place
    edges = edges_of(months, zone)
    rng = random.Random(seed)
    records = random_runs(rng, edges[0][0], edges[-1][0])
    minutes = rng.choice([15, 30, 60])
    with tempfile.TemporaryDirectory() as folder:
        paths = SitePaths(Path(folder))
        fill_raw(paths.raw, records)
        found: dict[tuple[int, date, str], int] = {}
        for name in months:
            con = open_month(paths, name, of=site_in(zone, minutes), prices=PRICES)
            found |= use_by_day(con)
            assert by_slot(con) == by_slot_expected(con, records)
            con.close()
    assert found == expected_use(records, edges)
    wholes: Counter[tuple[int, str]] = Counter()
    for (job, _, resource), base in found.items():
        wholes[job, resource] += base
    for record in records:
        for resource, per_s in TEXTS[record["alloc_tres"]].items():
            held = record["elapsed_s"] if resource == "cpu" else record["end_s"] - record["start_s"]
            assert wholes[record["job_id_raw"], resource] == per_s * held


def by_slot(con: duckdb.DuckDBPyConnection) -> dict[tuple[int, str], int]:
    rows = table(con, "SELECT slot_no, resource, SUM(consumed_base) FROM core_usage_slot GROUP BY ALL")
    return {(slot, resource): int(base) for slot, resource, base in rows}


def by_slot_expected(con: duckdb.DuckDBPyConnection, records: list[Record]) -> dict[tuple[int, str], int]:
    """The same by slot, from the records; only the slots' edges are the engine's."""
    found: Counter[tuple[int, str]] = Counter()
    for slot, low, high in table(con, "SELECT slot_no, start_s, end_s FROM cal_slot"):
        for (_, _, resource), base in expected_use(records, [(low, date.min), (high, date.max)]).items():
            found[slot, resource] += base
    return dict(found)


# --- order, batching, repetition, earlier versions

RESULTS = {
    "out_usage": "ALL",
    "out_charge_line": "line",
    "out_bill": "tenant",
    "out_run": "tenant, run_no, project",
    "out_run_charge": "run_no, span_no, line",
    "out_user_day": "tenant, day, project, user_name",
    "out_not_charged": "ALL",
    "core_usage_slot": "ALL",
}


def results(folder: Path, batches: list[list[Record]], name: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every table that a bill is made of."""
    paths = SitePaths(folder)
    fill_raw(paths.raw, *batches)
    con = open_month(paths, name, of=site_in("Asia/Shanghai", 60), prices=PRICES)
    found = {one: table(con, f"SELECT * FROM {one} ORDER BY {order}") for one, order in RESULTS.items()}
    con.close()
    return found


def earlier(record: Record, rng: random.Random) -> Record:
    """The same run as it stood some time before its end."""
    read = rng.randrange(record["start_s"], record["end_s"])
    suspended = min(record["suspended_s"], read - record["start_s"])
    return record | {
        "state": "RUNNING", "end_s": None, "suspended_s": suspended, "elapsed_s": read - record["start_s"] - suspended,
    }  # fmt: skip


def pending(record: Record) -> Record:
    """The same run before it started."""
    return record | {
        "state": "PENDING", "start_s": None, "end_s": None, "elapsed_s": 0, "suspended_s": 0, "alloc_tres": "",
    }  # fmt: skip


@FEW
@given(seed=seeds)
def test_order_batches_repetition_and_earlier_versions_change_nothing(seed: int) -> None:
    edges = edges_of(["2024-01", "2024-02"], "Asia/Shanghai")
    rng = random.Random(seed)
    records = random_runs(rng, edges[0][0], edges[-1][0])
    more = [record | {} for record in records]
    more += [record for record in records if rng.random() < 0.5]
    more += [earlier(record, rng) for record in records for _ in range(rng.randrange(3))]
    more += [pending(record) for record in records if rng.random() < 0.5]
    # A source that does not say the DBIndex, and one that has fewer columns.
    more += [record | {"db_index": None} for record in records if rng.random() < 0.3]
    more += [record | {"submit_s": None, "eligible_s": None} for record in records if rng.random() < 0.3]
    rng.shuffle(more)
    cuts = sorted(rng.sample(range(1, len(more)), min(3, len(more) - 1)))
    batches = [more[low:high] for low, high in pairwise([0, *cuts, len(more)])]
    with tempfile.TemporaryDirectory() as folder:
        once = results(Path(folder) / "once", [records], "2024-01")
        shuffled = results(Path(folder) / "shuffled", batches, "2024-01")
    assert once == shuffled


@FEW
@given(seed=seeds)
def test_bills_from_the_records_alone(seed: int) -> None:
    """Quantities and amounts of every line, worked out from the records by the rules of the price book."""
    edges = edges_of(["2024-01"], "Asia/Shanghai")
    records = random_runs(random.Random(seed), edges[0][0], edges[-1][0])
    with tempfile.TemporaryDirectory() as folder:
        paths = SitePaths(Path(folder))
        fill_raw(paths.raw, records)
        con = open_month(paths, "2024-01", of=site_in("Asia/Shanghai", 60), prices=PRICES)
        lines = table(
            con,
            "SELECT tenant, resource, CAST(priced_base AS BIGINT), quantity, billed_amount FROM out_charge_line",
        )
        bills = table(con, "SELECT tenant, billed_amount, net, tax, gross FROM out_bill")
        con.close()
    priced: Counter[tuple[str, str]] = Counter()
    for record in records:
        owner = {"alpha": "alpha", "alpha-x": "alpha", "beta": "beta", "nobody": "unassigned"}[
            record["account"]
        ]
        for resource, per_s in TEXTS[record["alloc_tres"]].items():
            # Node and billing units and NPUs are included; failed and lost runs are not charged; memory is not
            # charged while suspended (split day by day, so floors of days, not of the whole).
            if (
                resource in {"node", "billing"}
                or ":9" in resource
                or record["state"] in {"FAILED", "NODE_FAIL"}
            ):
                continue
            active = resource in {"cpu", "mem"}
            held = record["elapsed_s"] if active else record["end_s"] - record["start_s"]
            priced[owner, resource] += per_s * held
    assert {(owner, resource): base for owner, resource, base, _, _ in lines} == dict(+priced)
    rates = {"cpu": ("3600000", "0.07"), "mem": ("3686400", "0.013")}
    fen: Counter[str] = Counter()
    for owner, resource, base, quantity, billed in lines:
        per_unit, amount = rates.get(resource, ("3600000", "3.99"))
        if (owner, resource) == ("beta", "cpu"):
            amount = "0.12"
        assert abs(Decimal(base) / Decimal(per_unit) - quantity) <= Decimal("0.00005")
        assert abs(quantity * Decimal(amount) - billed) <= Decimal("0.005")
        fen[owner] += int(billed * 100)
    for owner, billed, net, tax, gross in bills:
        assert (billed, gross, net + tax) == (Decimal(fen[owner]) / 100, billed, billed)
        assert abs(net * Decimal("1.06") - gross) <= Decimal("0.0053")
