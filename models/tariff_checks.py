"""What can be wrong with a price book whose single values are all well-formed: pure checks that return faults."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from models.patterns import covers_all
from models.tariff import Price, PriceBook, Tariff
from models.toml_file import Fault, fault, nearest, shown
from models.units import unit_of

BASE_RESOURCES = ("cpu", "mem", "node", "billing")
SLOT_MINUTES = (60, 30, 15)


def resource_fault(word: str, accelerators: Collection[str], line: int) -> Fault | None:
    """Whether `word` is a resource: `cpu`, `mem`, `node`, `billing`, or a device such as `gpu:a100` or `gpu:*`."""
    kind, colon, device_type = word.removeprefix("gres/").partition(":")
    known_kind = kind if kind in accelerators else nearest(kind, accelerators)
    if word in BASE_RESOURCES or (kind in accelerators and device_type and not word.startswith("gres/")):
        return None
    if known_kind and (colon or kind in accelerators):
        near = f"{known_kind}:{device_type or '*'}"
        return fault(line, "tariff.resource_near", value=shown(word), near=near)
    if close := nearest(word, BASE_RESOURCES):
        return fault(line, "tariff.resource_near", value=shown(word), near=close)
    return fault(
        line, "tariff.resource", value=shown(word), known=tuple(f"{kind}:*" for kind in accelerators)
    )


def unit_fault(resource: str, unit: str, line: int) -> Fault | None:
    """Whether `unit` is what `resource` is counted in."""
    expected = unit_of(resource).unit
    if unit == expected:
        return None
    return fault(line, "tariff.unit", resource=resource, value=shown(unit), expected=expected)


def closest_first(patterns: Collection[str]) -> list[str]:
    """Patterns in the order in which they are tried where the file gives none: more letters and fewer stars first."""
    return sorted(patterns, key=lambda word: (word.count("*") - len(word), word.count("*"), word))


def price_faults(prices: Sequence[Price]) -> list[Fault]:
    """Rows of one version: an item that says two things, a row that an earlier one leaves nothing to match."""
    faults: list[Fault] = []
    first_of_item: dict[str, Price] = {}
    for place, price in enumerate(prices):
        first = first_of_item.setdefault(price.item, price)
        columns = zip(("name", "name_en", "unit"), _print_of(price), _print_of(first), strict=True)
        differing = next(((name, here, there) for name, here, there in columns if here != there), None)
        if differing:
            name, here, there = differing
            faults.append(
                fault(
                    price.line_no,
                    "tariff.item_differs",
                    item=price.item,
                    name=name,
                    value=here,
                    first=there,
                    line=first.line_no,
                )
            )
        covering = next((row for row in prices[:place] if covers_all(_patterns(row), _patterns(price))), None)
        if covering:
            faults.append(
                fault(
                    price.line_no, "tariff.covered", item=price.item, by=covering.item, line=covering.line_no
                )
            )
    return faults


def _print_of(price: Price) -> tuple[str, str, str]:
    return price.name, price.name_en, unit_of(price.resource).unit


def _patterns(price: Price) -> tuple[str, ...]:
    return price.cluster, price.partition, price.qos, price.resource, price.user_class


def version_faults(versions: Sequence[Tariff], *, complete: bool) -> list[Fault]:
    """Ids used twice, overlaps; gaps only when `complete`: no version was left out as faulty."""
    faults: list[Fault] = []
    first_of_id: dict[str, Tariff] = {}
    for version in versions:
        first = first_of_id.setdefault(version.version, version)
        if first is not version:
            faults.append(
                fault(version.line_no, "tariff.version_twice", version=version.version, line=first.line_no)
            )
    ordered = sorted(versions, key=lambda version: version.valid_from)
    return faults + _joint_faults(ordered, complete=complete)


def _joint_faults(ordered: Sequence[Tariff], *, complete: bool) -> list[Fault]:
    """Where versions in order of their first day do not join; an open one ends where the next begins."""
    faults: list[Fault] = []
    for before, version in _after_longest(ordered):
        ends = before.valid_to or version.valid_from
        values = {
            "version": version.version,
            "valid_from": version.valid_from,
            "before": before.version,
            "line": before.line_no,
            "ends": ends,
        }
        if version.valid_from < ends or version.valid_from == before.valid_from:
            faults.append(fault(version.line_no, "tariff.overlap", **values))
        elif version.valid_from > ends and complete:
            faults.append(fault(version.line_no, "tariff.gap", **values))
    return faults


def _after_longest(ordered: Sequence[Tariff]) -> Iterator[tuple[Tariff, Tariff]]:
    """Each version but the first, after the one before it that lasts longest: an overlap may fill what looks a gap."""
    before: Tariff | None = None
    for version in ordered:
        if before:
            yield before, version
        if not (before and before.valid_to and version.valid_to and version.valid_to < before.valid_to):
            before = version


def band_edges(version: Tariff) -> tuple[int, ...]:
    """Local minutes of the day at which a band of the version begins or ends, rising; each must be a slot's edge."""
    timed = [band for band in version.rules.bands if band.from_minute != band.to_minute]
    return tuple(sorted({minute for band in timed for minute in (band.from_minute, band.to_minute)}))


def slot_faults(book: PriceBook, slot_minutes: int) -> list[Fault]:
    """Bands that begin or end within an accounting slot of the site, which has one price."""
    faults = []
    for version in book.versions:
        off = [minute for minute in band_edges(version) if minute % slot_minutes]
        fitting = next(
            (each for each in SLOT_MINUTES if all(minute % each == 0 for minute in off)), SLOT_MINUTES[-1]
        )
        for band in version.rules.bands:
            edge = next((minute for minute in (band.from_minute, band.to_minute) if minute in off), None)
            if edge is not None:
                faults.append(
                    fault(
                        band.line_no,
                        "tariff.band_off_slot",
                        name=band.name,
                        edge=f"{edge // 60:02}:{edge % 60:02}",
                        minutes=slot_minutes,
                        fitting=fitting,
                    )
                )
    return faults
