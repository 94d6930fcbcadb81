"""Which time bands of a price-book version hold a moment: local wall time, pure.

A band that runs over midnight belongs to the day on which it began: its weekdays and days are those of that evening.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from models.tariff_rules import Band


def _on_day(band: Band, day: date) -> bool:
    if band.weekdays and day.isoweekday() not in band.weekdays:
        return False
    return (band.first_day is None or band.first_day <= day) and (
        band.last_day is None or day <= band.last_day
    )


def holds(band: Band, moment: datetime) -> bool:
    """Whether `band` holds the local wall time `moment`."""
    minute, day = moment.hour * 60 + moment.minute, moment.date()
    if band.from_minute == band.to_minute:
        return _on_day(band, day)
    if band.from_minute < band.to_minute:
        return band.from_minute <= minute < band.to_minute and _on_day(band, day)
    if minute >= band.from_minute:
        return _on_day(band, day)
    return minute < band.to_minute and _on_day(band, day - timedelta(days=1))


def holding(bands: Sequence[Band], moment: datetime, by: str) -> tuple[int, ...]:
    """Numbers, from 1, of the bands of kind `by` (`slot` or `end`) that hold the local wall time `moment`."""
    return tuple(n for n, band in enumerate(bands, 1) if band.by == by and holds(band, moment))
