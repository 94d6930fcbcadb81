"""The price book's rules as small tables that the SQL joins.

Numbers count from 1 within a version, in the order of the file. Decimals that meet quantities are integers in millionths
(`_e6`) or hundred-millionths (`_e8`); factors stay decimals, for only Python multiplies prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import duckdb

from models.calendar import Period, midnight_s
from models.hostlist import expand
from models.patterns import like
from models.reference_table import Row, fill
from models.tariff import PriceBook
from models.tariff_rules import Place, Reset, Rules

PLACE = "cluster VARCHAR, partition VARCHAR, qos VARCHAR, user_class VARCHAR"


@dataclass(frozen=True)
class Moment:
    """The period that is built, and the zone of its days."""

    period: Period
    zone: str

    def seconds(self, day: date | None) -> int | None:
        """UTC seconds of the beginning of a local day."""
        return None if day is None else midnight_s(day, self.zone)

    def reset(self, reset: Reset, contract_from: date | None) -> int:
        """UTC seconds since when an owner's use counts: of the month, the year or the contract year of the period."""
        first = self.period.first_day
        if reset == "month":
            return self.period.start_s
        if reset == "year" or contract_from is None:
            return midnight_s(date(first.year, 1, 1), self.zone)
        return midnight_s(
            max(day for day in _anniversaries(contract_from, first.year) if day <= first), self.zone
        )


def _anniversaries(begin: date, year: int) -> Iterator[date]:
    """The begin of a contract year around `year`; a 29 February begins on 1 March of other years."""
    for each in (year - 1, year):
        leap = (begin.month, begin.day) == (2, 29) and not (
            each % 4 == 0 and (each % 100 != 0 or each % 400 == 0)
        )
        yield date(each, 3, 1) if leap else begin.replace(year=each)


def _e(value: Decimal, places: int) -> int:
    return int(value.scaleb(places))


def _place(place: Place) -> Row:
    return tuple(like(word) for word in (place.cluster, place.partition, place.qos, place.user_class))


Versions = Sequence[tuple[int, Rules]]


def _items(
    con: duckdb.DuckDBPyConnection, table: str, rows: Iterable[tuple[int, int, Sequence[str]]]
) -> None:
    """Patterns of one rule each, a row a pattern: (tariff_no, rule_no, pattern)."""
    fill(
        con, table, "tariff_no INTEGER, rule_no INTEGER, pattern VARCHAR",
        ((version, number, like(pattern)) for version, number, patterns in rows for pattern in patterns),
    )  # fmt: skip


def _meters(con: duckdb.DuckDBPyConnection, versions: Versions) -> None:
    meters = [(n, number, meter) for n, rules in versions for number, meter in enumerate(rules.meters, 1)]
    fill(
        con, "ref_meter",
        f"tariff_no INTEGER, meter_no INTEGER, {PLACE}, resource VARCHAR, target VARCHAR, minimum_s BIGINT, granularity_s BIGINT, "
        "is_weighted BOOLEAN, is_sum BOOLEAN, is_board_share BOOLEAN",
        ((n, number, *_place(m.place), like(m.resource), m.resource, m.minimum_s, max(1, m.granularity_s), bool(m.weights),
          m.combine == "sum", m.board_share) for n, number, m in meters),
    )  # fmt: skip
    fill(
        con, "ref_weight", "tariff_no INTEGER, meter_no INTEGER, weight_no INTEGER, resource VARCHAR, weight_e8 BIGINT",
        ((n, number, place, like(resource), _e(weight, 8))
         for n, number, m in meters for place, (resource, weight) in enumerate(m.weights, 1)),
    )  # fmt: skip


def _factors(con: duckdb.DuckDBPyConnection, versions: Versions) -> None:
    bands = [(n, number, band) for n, rules in versions for number, band in enumerate(rules.bands, 1)]
    fill(
        con, "ref_band", "tariff_no INTEGER, band_no INTEGER, name VARCHAR, name_en VARCHAR, factor DECIMAL(18, 8)",
        ((n, number, band.name, band.name_en, band.factor) for n, number, band in bands),
    )  # fmt: skip
    _items(con, "ref_band_item", ((n, number, band.items) for n, number, band in bands))
    factors = [(n, number, factor) for n, rules in versions for number, factor in enumerate(rules.factors, 1)]
    fill(
        con, "ref_factor",
        f"tariff_no INTEGER, factor_no INTEGER, factor_bit BIGINT, {PLACE}, name VARCHAR, name_en VARCHAR, "
        "factor DECIMAL(18, 8), on_list BOOLEAN",
        ((n, number, 1 << (number - 1), *_place(f.place), f.name, f.name_en, f.factor, f.on == "both") for n, number, f in factors),
    )  # fmt: skip
    _items(con, "ref_factor_item", ((n, number, factor.items) for n, number, factor in factors))
    _items(con, "ref_factor_tenant", ((n, number, factor.tenants) for n, number, factor in factors))


def _pools(con: duckdb.DuckDBPyConnection, versions: Versions, moment: Moment) -> None:
    pools = [(n, number, pool) for n, rules in versions for number, pool in enumerate(rules.pools, 1)]
    fill(
        con, "ref_pool",
        "tariff_no INTEGER, pool_no INTEGER, name VARCHAR, name_en VARCHAR, owner_kind VARCHAR, reset_s BIGINT",
        ((n, number, p.name, p.name_en, p.owner, moment.reset(p.reset, p.contract_from)) for n, number, p in pools),
    )  # fmt: skip
    _items(con, "ref_pool_item", ((n, number, pool.items) for n, number, pool in pools))
    fill(
        con, "ref_pool_step",
        "tariff_no INTEGER, pool_no INTEGER, step_no INTEGER, above_e6 BIGINT, list_price DECIMAL(18, 8), price DECIMAL(18, 8)",
        ((n, number, place, _e(step.above, 6), step.list_price, step.price)
         for n, number, pool in pools for place, step in enumerate(pool.steps, 1)),
    )  # fmt: skip


def _quotas(con: duckdb.DuckDBPyConnection, versions: Versions, moment: Moment) -> None:
    quotas = [(n, number, quota) for n, rules in versions for number, quota in enumerate(rules.quotas, 1)]
    fill(
        con, "ref_quota",
        "tariff_no INTEGER, quota_no INTEGER, name VARCHAR, name_en VARCHAR, owner_kind VARCHAR, amount_e6 BIGINT, "
        "reset_s BIGINT, valid_from_s BIGINT, valid_to_s BIGINT",
        ((n, number, q.name, q.name_en, q.owner, _e(q.amount, 6), moment.reset(q.reset, q.contract_from),
          moment.seconds(q.valid_from) or 0, moment.seconds(q.valid_to) or 253402214400) for n, number, q in quotas),
    )  # fmt: skip
    _items(con, "ref_quota_item", ((n, number, quota.items) for n, number, quota in quotas))
    _items(con, "ref_quota_tenant", ((n, number, quota.tenants) for n, number, quota in quotas))


def _last_month(con: duckdb.DuckDBPyConnection, versions: Versions) -> None:
    rows = [(n, number, row) for n, rules in versions for number, row in enumerate(rules.last_month, 1)]
    fill(
        con, "ref_last_month",
        "tariff_no INTEGER, last_no INTEGER, name VARCHAR, name_en VARCHAR, owner_kind VARCHAR, allotment_e6 BIGINT",
        ((n, number, row.name, row.name_en, row.owner, _e(row.allotment, 6)) for n, number, row in rows),
    )  # fmt: skip
    _items(con, "ref_last_month_item", ((n, number, row.items) for n, number, row in rows))
    fill(
        con, "ref_last_month_step",
        "tariff_no INTEGER, last_no INTEGER, step_no INTEGER, from_e6 BIGINT, factor DECIMAL(18, 8)",
        ((n, number, place, _e(share, 6), factor) for n, number, row in rows for place, (share, factor) in enumerate(row.steps, 1)),
    )  # fmt: skip


def _contributions(con: duckdb.DuckDBPyConnection, versions: Versions, moment: Moment) -> None:
    given = [(n, number, each) for n, rules in versions for number, each in enumerate(rules.contributions, 1)]
    fill(
        con, "ref_contribution",
        "tariff_no INTEGER, contribution_no INTEGER, name VARCHAR, name_en VARCHAR, tenant VARCHAR, cluster VARCHAR, "
        "nodes VARCHAR, resource VARCHAR, rate DECIMAL(18, 8), valid_from_s BIGINT, valid_to_s BIGINT",
        ((n, number, c.name, c.name_en, c.tenant, c.cluster, c.nodes, like(c.resource), c.rate,
          moment.seconds(c.valid_from) or 0, moment.seconds(c.valid_to) or 253402214400)
         for n, number, c in given),
    )  # fmt: skip
    fill(
        con, "ref_contribution_node", "tariff_no INTEGER, contribution_no INTEGER, node VARCHAR",
        ((n, number, node) for n, number, c in given for node in expand(c.nodes) or ()),
    )  # fmt: skip


def create_rules(con: duckdb.DuckDBPyConnection, book: PriceBook, period: Period, zone: str) -> None:
    """Create and fill the tables of every rule of every version for one period's mart."""
    versions = [(n, version.rules) for n, version in enumerate(book.versions, 1)]
    moment = Moment(period, zone)
    _meters(con, versions)
    _factors(con, versions)
    _pools(con, versions, moment)
    _quotas(con, versions, moment)
    _last_month(con, versions)
    _contributions(con, versions, moment)
