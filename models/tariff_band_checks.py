"""Whether a time band can ever count: bands that an earlier one takes all of, and bands that hold no time at all.

Bands are compared by what they hold, quarter of an hour by quarter, for a band over midnight belongs to the day on which
it began: Friday 23:00 to 07:00 holds Saturday morning, a band of whole Fridays does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta

from models.bands import holds
from models.patterns import matches
from models.tariff_rules import Band
from models.toml_file import Fault, fault

QUARTERS = 96
# What a band holds repeats each week, but for the first and last days of its window and the morning after.
LOOKED_AT_DAYS = 9
SOME_MONDAY = date(2024, 1, 1)


def band_faults(bands: Sequence[Band], items: Mapping[str, str]) -> list[Fault]:
    """Bands of one version that can never count; `items` are the version's."""
    faults = []
    for number, band in enumerate(bands):
        moments = tuple(moment for moment in _moments(band) if holds(band, moment))
        named = {item for item in items if _means(band, item)}
        if not moments:
            faults.append(fault(band.line_no, "tariff.band_never", name=band.name))
            continue
        wide = next((each for each in bands[:number] if _covers(each, band, named, moments)), None)
        if wide:
            faults.append(
                fault(band.line_no, "tariff.band_covered", name=band.name, by=wide.name, line=wide.line_no)
            )
    return faults


def _means(band: Band, item: str) -> bool:
    return any(matches(pattern, item) for pattern in band.items)


def _is_always(band: Band) -> bool:
    """Whether the band holds every slot, and so every run whenever it ends."""
    return (
        not band.weekdays
        and band.first_day is None
        and band.from_minute == band.to_minute
        and band.by == "slot"
    )


def _covers(wide: Band, band: Band, named: set[str], moments: Sequence[datetime]) -> bool:
    """Whether `wide` holds all `named` items at all `moments`, which are those of `band`."""
    if not named or not all(_means(wide, item) for item in named):
        return False
    if _is_always(wide):
        return True
    if wide.by != band.by or (wide.first_day is not None and band.first_day is None):
        return False
    return all(holds(wide, moment) for moment in moments)


def _moments(band: Band) -> Iterator[datetime]:
    """Quarters of an hour that stand for all that the band may hold: days at both ends of its window, or a week."""
    first, last = band.first_day or SOME_MONDAY, band.last_day or SOME_MONDAY + timedelta(days=6)
    span = (last - first).days + 1 + (band.first_day is not None)
    days = {n for n in range(span) if n < LOOKED_AT_DAYS or n >= span - LOOKED_AT_DAYS}
    for n in sorted(days):
        midnight = datetime.combine(first + timedelta(days=n), time())
        yield from (midnight + timedelta(minutes=15 * quarter) for quarter in range(QUARTERS))
