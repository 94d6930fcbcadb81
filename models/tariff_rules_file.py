"""Reads the rules of one [[version]] of tariffs.toml: each table by itself. `models/tariff_rules_checks.py` sees them together.

The order of tables is kept, for in most kinds it counts. What has no order is put in one: patterns of items and tenants,
weekdays; among the weights of a meter the closest pattern comes first, for keys of a table have no order in TOML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TypeVar

from models.tariff_checks import BASE_RESOURCES, closest_first
from models.tariff_rule_reader import Ground, RuleReader
from models.tariff_rule_tables import (
    BandTable,
    ContributionTable,
    CreditTable,
    FactorTable,
    LastMonthStepTable,
    LastMonthTable,
    MeterTable,
    NamedTable,
    PoolStepTable,
    PoolTable,
    QuotaTable,
)
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
from models.tariff_rules_checks import rule_faults
from models.toml_file import Table, TomlFile
from models.toml_source import TomlPath

DAY_MINUTES = 24 * 60
# Weights count in thousandths of a unit, which only these resources have.
WEIGHTED = ("cpu", "billing", "gpu:a100")

RuleT = TypeVar("RuleT")


def read_rules(file: TomlFile, at: TomlPath, table: Table, ground: Ground) -> Rules:
    """The rules of the [[version]] `table` at `at` that are well-formed; every fault is noted in `file`."""
    read = RuleReader(file, ground)
    rules = Rules(
        meters=_each(read, at, table, "meter", _meter),
        bands=_each(read, at, table, "band", _band),
        factors=_each(read, at, table, "factor", _factor),
        last_month=_each(read, at, table, "last_month", _last_month),
        pools=_each(read, at, table, "pool", _pool),
        quotas=_each(read, at, table, "quota", _quota),
        credits=_each(read, at, table, "credit", _credit),
        contributions=_each(read, at, table, "contribution", _contribution),
    )
    file.faults += rule_faults(rules, ground.items)
    return rules


def _each(
    read: RuleReader,
    at: TomlPath,
    table: Table,
    kind: str,
    make: Callable[[RuleReader, TomlPath, Table], RuleT | None],
) -> tuple[RuleT, ...]:
    """The rules of one kind in the order of the file."""
    rows = read.file.rows(table, kind, at)
    return tuple(rule for place, row in rows if (rule := make(read, place, row)) is not None)


def _patterns(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words)))


def _english(row: NamedTable) -> str:
    return row.name_en or row.name


def _meter(read: RuleReader, at: TomlPath, table: Table) -> Meter | None:
    row = read.file.check(MeterTable, at, table)
    if not row or not read.resource((*at, "resource"), row.resource):
        return None
    weights = row.max_of or row.sum_of
    _weights(read, at, table, row)
    if row.board_share and (weights or row.resource in BASE_RESOURCES):
        read.file.add((*at, "board_share"), "tariff.board_share_idle")
    return Meter(
        name=row.name,
        place=Place(row.cluster, row.partition, row.qos, row.user_class),
        resource=row.resource,
        minimum_s=row.minimum_seconds,
        granularity_s=row.granularity_seconds,
        weights=tuple((word, weights[word]) for word in closest_first(weights)),
        combine="sum" if row.sum_of else "max",
        board_share=row.board_share,
        line_no=read.file.line(at),
    )


def _weights(read: RuleReader, at: TomlPath, table: Table, row: MeterTable) -> None:
    """Only one kind of weights, of known resources, for an exact resource that is counted in thousandths."""
    if row.max_of and row.sum_of:
        read.file.add((*at, "sum_of"), "tariff.two_weights")
    for key, weights in (("max_of", row.max_of), ("sum_of", row.sum_of)):
        if key in table and not weights:
            read.file.add((*at, key), "tariff.no_weight", name=key)
        for word in weights:
            read.resource((*at, key, word), word)
    if not (row.max_of or row.sum_of):
        return
    if "*" in row.resource:
        read.file.add((*at, "resource"), "tariff.weights_pattern", resource=row.resource)
    elif row.resource in {"mem", "node"}:
        read.file.add((*at, "resource"), "tariff.weights_resource", resource=row.resource, known=WEIGHTED)


def _band(read: RuleReader, at: TomlPath, table: Table) -> Band | None:
    row = read.file.check(BandTable, at, table)
    if not row:
        return None
    read.items(at, row.items)
    has_days = _has_days(read, at, row.first_day, row.last_day)
    times = _times(read, at, row.begin, row.to)
    if not has_days or times is None:
        return None
    return Band(
        name=row.name,
        name_en=_english(row),
        items=_patterns(row.items),
        factor=row.factor,
        weekdays=tuple(sorted(set(row.weekdays))) if len(set(row.weekdays)) < 7 else (),
        first_day=row.first_day,
        last_day=row.last_day,
        from_minute=times[0],
        to_minute=times[1],
        by=row.by,
        line_no=read.file.line(at),
    )


def _has_days(read: RuleReader, at: TomlPath, first: date | None, last: date | None) -> bool:
    """Whether a band has both ends of its days, in order, or neither."""
    if (first is None) is not (last is None):
        missing = "first_day" if first is None else "last_day"
        read.file.add(at, "tariff.band_half_days", missing=missing)
        return False
    if first and last and first > last:
        read.file.add((*at, "last_day"), "tariff.band_days", first_day=first, last_day=last)
        return False
    return True


def _times(read: RuleReader, at: TomlPath, begin: int | None, to: int | None) -> tuple[int, int] | None:
    """Minutes of a band; both 0 for the whole day, however it is written; None where they are at fault."""
    if (begin is None) is not (to is None):
        read.file.add(at, "tariff.band_half_times", missing="from" if begin is None else "to")
        return None
    if begin is None or to is None or (begin, to) == (0, DAY_MINUTES):
        return 0, 0
    if begin == to:
        read.file.add((*at, "to"), "tariff.band_empty")
        return None
    return begin, to or DAY_MINUTES


def _factor(read: RuleReader, at: TomlPath, table: Table) -> Factor | None:
    row = read.file.check(FactorTable, at, table)
    if not row:
        return None
    read.items(at, row.items)
    return Factor(
        name=row.name,
        name_en=_english(row),
        items=_patterns(row.items),
        place=Place(row.cluster, row.partition, row.qos, row.user_class),
        tenants=_patterns(row.tenants),
        factor=row.factor,
        on=row.on,
        line_no=read.file.line(at),
    )


def _last_month(read: RuleReader, at: TomlPath, table: Table) -> LastMonth | None:
    row = read.file.check(LastMonthTable, at, table, nested=("steps",))
    steps = read.steps(at, table, LastMonthStepTable, "from", lambda step: step.begin)
    if steps and steps[0].begin:
        read.file.add((*at, "steps", 0, "from"), "tariff.step_from_zero", value=steps[0].begin)
    if not row:
        return None
    read.items(at, row.items)
    return LastMonth(
        name=row.name,
        name_en=_english(row),
        items=_patterns(row.items),
        owner=row.owner,
        allotment=row.allotment,
        steps=tuple((step.begin, step.factor) for step in steps),
        line_no=read.file.line(at),
    )


def _pool(read: RuleReader, at: TomlPath, table: Table) -> Pool | None:
    row = read.file.check(PoolTable, at, table, nested=("steps",))
    steps = read.steps(at, table, PoolStepTable, "above", lambda step: step.above)
    if steps and not steps[0].above:
        read.file.add((*at, "steps", 0, "above"), "tariff.step_above_zero")
    if not row:
        return None
    read.items(at, row.items)
    read.contract(at, row.reset, row.contract_from)
    return Pool(
        name=row.name,
        name_en=_english(row),
        items=_patterns(row.items),
        owner=row.owner,
        reset=row.reset,
        contract_from=row.contract_from,
        steps=tuple(
            Step(step.above, step.list_price, step.list_price if step.price is None else step.price)
            for step in steps
        ),
        line_no=read.file.line(at),
    )


def _quota(read: RuleReader, at: TomlPath, table: Table) -> Quota | None:
    row = read.file.check(QuotaTable, at, table)
    if not row:
        return None
    read.items(at, row.items)
    read.contract(at, row.reset, row.contract_from)
    if not read.file.check_days(at, row.valid_from, row.valid_to):
        return None
    return Quota(
        name=row.name,
        name_en=_english(row),
        items=_patterns(row.items),
        owner=row.owner,
        tenants=_patterns(row.tenants),
        amount=row.amount,
        reset=row.reset,
        contract_from=row.contract_from,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        line_no=read.file.line(at),
    )


def _credit(read: RuleReader, at: TomlPath, table: Table) -> Credit | None:
    row = read.file.check(CreditTable, at, table)
    if not row:
        return None
    read.items(at, row.items)
    read.tenant(at, row.tenant)
    if not read.file.check_days(at, row.valid_from, row.valid_to):
        return None
    return Credit(
        name=row.name,
        name_en=_english(row),
        tenant=row.tenant,
        items=_patterns(row.items),
        amount=row.amount,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        line_no=read.file.line(at),
    )


def _contribution(read: RuleReader, at: TomlPath, table: Table) -> Contribution | None:
    row = read.file.check(ContributionTable, at, table)
    if not row or not read.resource((*at, "resource"), row.resource):
        return None
    read.tenant(at, row.tenant)
    if not read.file.check_days(at, row.valid_from, row.valid_to):
        return None
    return Contribution(
        name=row.name,
        name_en=_english(row),
        tenant=row.tenant,
        cluster=row.cluster,
        nodes=row.nodes,
        resource=row.resource,
        rate=row.rate,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        line_no=read.file.line(at),
    )
