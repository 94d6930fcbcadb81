"""What can be wrong with rules that are each well-formed: pure checks of one kind of rule, or of all, that return faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from models.hostlist import expand
from models.patterns import covers, covers_all, matches
from models.tariff import Tariff
from models.tariff_band_checks import band_faults
from models.tariff_rules import Contribution, LastMonth, Meter, Pool, Quota, Rule, Rules, by_kind
from models.toml_file import Fault, fault
from models.units import unit_of

# A bill line tells which factors acted by a bit for each, in a number of 63 bits.
MOST_FACTORS = 63


ItemRule = Pool | Quota | LastMonth


def rule_faults(rules: Rules, items: Mapping[str, str] | None) -> list[Fault]:
    """Faults of the rules of one version; `items` are its items with their units, None where not all are known."""
    faults = [each for kind, kind_rules in by_kind(rules) for each in _twice(kind, kind_rules)]
    faults += _covered_meters(rules.meters)
    if len(rules.factors) > MOST_FACTORS:
        line = rules.factors[MOST_FACTORS].line_no
        faults.append(fault(line, "tariff.too_many_factors", most=MOST_FACTORS))
    faults += _shared_nodes(rules.contributions)
    if items is not None:
        faults += band_faults(rules.bands, items)
        for kind, item_rules in (("pool", rules.pools), ("last_month", rules.last_month)):
            faults += _shared_items(kind, item_rules, items)
        for kind, counted in (
            ("pool", rules.pools),
            ("quota", rules.quotas),
            ("last_month", rules.last_month),
        ):
            faults += _mixed_units(kind, counted, items)
    return faults


def named_items(patterns: Sequence[str], items: Iterable[str]) -> tuple[str, ...]:
    """The items that any of `patterns` means, in the order of `items`."""
    return tuple(item for item in items if any(matches(pattern, item) for pattern in patterns))


def _twice(kind: str, rules: Sequence[Rule]) -> list[Fault]:
    """Names are how bills and later months know a rule, so no two of a kind share one."""
    faults = []
    first_of_name: dict[str, Rule] = {}
    for rule in rules:
        first = first_of_name.setdefault(rule.name, rule)
        if first is not rule:
            faults.append(
                fault(rule.line_no, "tariff.rule_twice", kind=kind, name=rule.name, line=first.line_no)
            )
    return faults


def _meter_patterns(meter: Meter) -> tuple[str, ...]:
    place = meter.place
    return place.cluster, place.partition, place.qos, place.user_class, meter.resource


def _covered_meters(meters: Sequence[Meter]) -> list[Fault]:
    """Meters that an earlier one leaves nothing to measure."""
    faults = []
    for number, meter in enumerate(meters):
        wide = next(
            (each for each in meters[:number] if covers_all(_meter_patterns(each), _meter_patterns(meter))),
            None,
        )
        if wide:
            faults.append(
                fault(meter.line_no, "tariff.meter_covered", name=meter.name, by=wide.name, line=wide.line_no)
            )
    return faults


def _shared_items(kind: str, rules: Sequence[ItemRule], items: Mapping[str, str]) -> list[Fault]:
    """An item whose price two rules would choose."""
    faults = []
    first_of_item: dict[str, ItemRule] = {}
    for rule in rules:
        named = named_items(rule.items, items)
        shared = tuple(item for item in named if item in first_of_item)
        if shared:
            first = first_of_item[shared[0]]
            faults.append(
                fault(
                    rule.line_no,
                    "tariff.item_shared",
                    kind=kind,
                    name=rule.name,
                    items=shared,
                    first=first.name,
                    line=first.line_no,
                )
            )
        for item in named:
            first_of_item.setdefault(item, rule)
    return faults


def _mixed_units(kind: str, rules: Sequence[ItemRule], items: Mapping[str, str]) -> list[Fault]:
    """A rule that would add core-hours to device-hours; it names one item of each unit."""
    faults = []
    for rule in rules:
        first_of_unit: dict[str, str] = {}
        for item in named_items(rule.items, items):
            first_of_unit.setdefault(items[item], item)
        if len(first_of_unit) > 1:
            listed = tuple(f"{item} ({unit})" for unit, item in first_of_unit.items())
            faults.append(fault(rule.line_no, "tariff.mixed_units", kind=kind, name=rule.name, items=listed))
    return faults


def _shared_nodes(parts: Sequence[Contribution]) -> list[Fault]:
    """A node whose use would earn two contributions at a time."""
    faults = []
    for number, part in enumerate(parts):
        for first in parts[:number]:
            shared = _meet(first, part) and sorted(set(_hosts(first)) & set(_hosts(part)))
            if shared:
                faults.append(
                    fault(
                        part.line_no,
                        "tariff.node_shared",
                        node=shared[0],
                        name=part.name,
                        first=first.name,
                        line=first.line_no,
                    )
                )
    return faults


def _hosts(part: Contribution) -> tuple[str, ...]:
    return expand(part.nodes) or ()


def _meet(one: Contribution, other: Contribution) -> bool:
    """Whether two contributions may earn by the same resource of the same cluster on the same day."""
    begins = max(each.valid_from or date.min for each in (one, other))
    ends = min(each.valid_to or date.max for each in (one, other))
    same = covers(one.resource, other.resource) or covers(other.resource, one.resource)
    return one.cluster == other.cluster and begins < ends and same


def idle_faults(versions: Sequence[Tariff]) -> list[Fault]:
    """Rules whose days lie wholly outside their version; `versions` as they hold, an open one ended by the next."""
    faults = []
    for version in versions:
        for kind, name, line, begins, ends in _days_of(version.rules):
            named = {"kind": kind, "name": name, "version": version.version}
            if ends and ends <= version.valid_from:
                faults.append(fault(line, "tariff.rule_before", **named, day=version.valid_from))
            elif begins and version.valid_to and begins >= version.valid_to:
                faults.append(fault(line, "tariff.rule_after", **named, day=version.valid_to))
    return faults


def _days_of(rules: Rules) -> Iterator[tuple[str, str, int, date | None, date | None]]:
    """Kind, name, line and local days [from, to) of the rules that hold only within their version."""
    for band in rules.bands:
        ends = band.last_day and date.fromordinal(min(band.last_day.toordinal() + 1, date.max.toordinal()))
        yield "band", band.name, band.line_no, band.first_day, ends
    for quota in rules.quotas:
        yield "quota", quota.name, quota.line_no, quota.valid_from, quota.valid_to
    for part in rules.contributions:
        yield "contribution", part.name, part.line_no, part.valid_from, part.valid_to


def carry_faults(versions: Sequence[Tariff]) -> list[Fault]:
    """Rules of two versions that share a name, and so what was used of them, but not what is counted for whom."""
    faults = []
    first_of_name: dict[tuple[str, str], tuple[str, int, object]] = {}
    for version in versions:
        units = {price.item: unit_of(price.resource).unit for price in version.prices}
        for kind, name, line, counted in _counted(version.rules, units):
            before, first_line, first = first_of_name.setdefault(
                (kind, name), (version.version, line, counted)
            )
            if first != counted:
                faults.append(
                    fault(
                        line,
                        "tariff.rule_differs",
                        kind=kind,
                        name=name,
                        before=before,
                        line=first_line,
                        here=counted,
                        there=first,
                    )
                )
    return faults


def _counted(rules: Rules, units: Mapping[str, str]) -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    """Kind, name, line of the rules that months hand on, and whose use of what they count."""
    owned: tuple[tuple[str, Sequence[Pool | Quota]], ...] = (("pool", rules.pools), ("quota", rules.quotas))
    for kind, kind_rules in owned:
        for rule in kind_rules:
            unit = next((units[item] for item in named_items(rule.items, units)), "")
            yield kind, rule.name, rule.line_no, (rule.owner, unit)
    for credit in rules.credits:
        yield "credit", credit.name, credit.line_no, (credit.tenant,)
