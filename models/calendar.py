"""The only time-zone code: local days and months of a site's zone as UTC seconds, half-open.

All SQL joins the tables made here and does no zone arithmetic of its own. A local day runs from one local midnight
to the next, so it has 23 or 25 hours where the zone changes its clock; a midnight that a change skips is the moment
of the change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from models.errors import HesuanError


@dataclass(frozen=True)
class Period:
    """A billing period: one local month.

    Attributes:
        name: `2026-09`.
        start_s, end_s: UTC seconds, half-open.
        first_day, last_day: local days, both within.
    """

    name: str
    start_s: int
    end_s: int
    first_day: date
    last_day: date


@dataclass(frozen=True)
class Span:
    """A stretch of time within one local day: UTC seconds, half-open."""

    start_s: int
    end_s: int
    day: date


def midnight_s(day: date, zone: str) -> int:
    """UTC seconds at which the local `day` begins in the IANA `zone`."""
    return int(datetime.combine(day, time(), ZoneInfo(zone)).timestamp())


def to_local(seconds: int, zone: str) -> datetime:
    """The wall time, with its offset, of UTC `seconds` in `zone`."""
    return datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(zone))


def period(name: str, zone: str) -> Period:
    """The month `YYYY-MM` in `zone`.

    Raises:
        HesuanError: `name` is no month.
    """
    found = re.fullmatch(r"([0-9]{4})-(0[1-9]|1[0-2])", name)
    if not found or not 1970 <= int(found[1]) <= 9998:
        raise HesuanError("period.form", found=name)
    first = date(int(found[1]), int(found[2]), 1)
    following = (first + timedelta(days=31)).replace(day=1)
    return Period(
        name=name,
        start_s=midnight_s(first, zone),
        end_s=midnight_s(following, zone),
        first_day=first,
        last_day=following - timedelta(days=1),
    )


def month_before(name: str) -> str:
    """The month before `YYYY-MM`."""
    last = date.fromisoformat(f"{name}-01") - timedelta(days=1)
    return f"{last:%Y-%m}"


def days(span: Period, zone: str) -> tuple[Span, ...]:
    """The period's local days in order; together they are the period exactly."""
    count = (span.last_day - span.first_day).days + 1
    marks = [midnight_s(span.first_day + timedelta(days=n), zone) for n in range(count + 1)]
    return tuple(Span(marks[n], marks[n + 1], span.first_day + timedelta(days=n)) for n in range(count))


def slots(span: Period, zone: str, minutes: int) -> tuple[Span, ...]:
    """The period's accounting slots in order: each day cut from its midnight on; a day's last slot may be short."""
    step = minutes * 60
    return tuple(
        Span(start, min(start + step, day.end_s), day.day)
        for day in days(span, zone)
        for start in range(day.start_s, day.end_s, step)
    )
