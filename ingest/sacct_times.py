"""Times as sacct prints them -> UTC seconds, a column at a time.

Three forms, told apart value by value: seconds since 1970 (SLURM_TIME_FORMAT=%s), an ISO time with its offset
(%z), and a wall time without one, which needs the zone of the machine that printed it. A wall time of the hour
that a clock change repeats has two readings; one of the hour that it leaves out has none, and is read by the
offset that held before the change.
"""

from __future__ import annotations

from typing import NamedTuple
from zoneinfo import ZoneInfo

import polars as pl

from ingest.sacct_values import Column, number
from models.errors import HesuanError

_GAP_HOURS = 3  # no clock change moves by more


class Times(NamedTuple):
    """A column of times that was read.

    Attributes:
        earlier: UTC seconds, null where nothing is said or where it could not be read.
        later: the second reading of a repeated wall time, null elsewhere.
        bad: something stands there that is no time.
        naive: a wall time without a zone that could not be read, for no zone is known.
        gap: a wall time that does not exist in its zone.
    """

    earlier: pl.Series
    later: pl.Series
    bad: pl.Series
    naive: pl.Series
    gap: pl.Series


def check_zone(timezone: str | None) -> None:
    """Refuse a time zone that is no IANA name.

    Raises:
        HesuanError: naming it.
    """
    if timezone is None:
        return
    try:
        ZoneInfo(timezone)
        pl.Series([0]).cast(pl.Datetime).dt.replace_time_zone(timezone)
    except (ValueError, OSError, LookupError, pl.exceptions.ComputeError) as error:
        raise HesuanError("ingest.timezone_unknown", timezone=timezone) from error


def _put(column: pl.Series, places: pl.Series, values: pl.Series) -> pl.Series:
    """A copy of `column` with `values` at `places`: Series.scatter changes its own series."""
    return column.clone().scatter(places, values)


def _epoch(times: pl.Series) -> pl.Series:
    return times.dt.epoch("s")


def _offset_s(suffix: pl.Series) -> pl.Series:
    """Seconds east of UTC of `Z`, `+0100`, `+01:00`; null for anything else."""
    sign, hours, minutes = suffix.str.extract_groups(r"^([+-])(\d\d):?(\d\d)$").struct.unnest().get_columns()
    size = (hours.cast(pl.Int64, strict=False) * 60 + minutes.cast(pl.Int64, strict=False)) * 60
    signed = size * (1 - 2 * (sign == "-").cast(pl.Int64))
    return signed.set(suffix == "Z", 0)


def _by_zone(wall: pl.Series, timezone: str) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Earlier and later UTC seconds of wall times in `timezone`, and which of them do not exist."""

    def read(times: pl.Series, ambiguous: str) -> pl.Series:
        zoned = times.to_frame("t").select(
            pl.col("t").dt.replace_time_zone(timezone, ambiguous=pl.lit(ambiguous), non_existent="null")
        )
        return _epoch(zoned["t"])

    earlier = read(wall, "earliest")
    gap = earlier.is_null() & wall.is_not_null()
    if gap.any():
        shift = pl.duration(hours=_GAP_HOURS)
        before = wall.to_frame("t").select(pl.col("t") - shift)["t"]
        earlier = earlier.zip_with(~gap, read(before, "latest") + _GAP_HOURS * 3600)
    later = read(wall, "latest")
    return earlier, later.set((later == earlier).fill_null(value=True), None), gap


def times(text: pl.Series, timezone: str | None) -> Times:
    """Read a column of times.

    Args:
        text: as printed.
        timezone: the IANA zone of wall times, or None where none is known; an offset or a number needs none.
    """
    count = len(text)
    plain = number(text)
    zero = (plain.values == 0).fill_null(value=False)
    earlier = plain.values.set(zero, None) if zero.any() else plain.values
    nothing = pl.repeat(None, count, dtype=pl.Int64, eager=True)
    never = pl.repeat(False, count, dtype=pl.Boolean, eager=True)
    places = plain.bad.arg_true()
    if not len(places):
        return Times(earlier, nothing, plain.bad, never, never)

    written = text.gather(places)
    wall = written.str.slice(0, 19).str.replace(" ", "T", literal=True)
    read = wall.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False)
    suffix = written.str.slice(19)
    stated = _epoch(read) - _offset_s(suffix)
    naive = (suffix == "") & read.is_not_null()
    later, gap = nothing.gather(places), never.gather(places)
    if timezone is not None and naive.any():
        first, second, missing = _by_zone(read.set(~naive, None), timezone)
        stated, later, gap = stated.zip_with(~naive, first), second, missing
        naive = naive & stated.is_null()
    return Times(
        _put(earlier, places, stated),
        _put(nothing, places, later),
        _put(never, places, stated.is_null() & ~naive),
        _put(never, places, naive),
        _put(never, places, gap),
    )


def choose(
    start: Times, end: Times, elapsed: Column, suspended: Column
) -> tuple[pl.Series, pl.Series, pl.Series, pl.Series]:
    """Start and end of each run, and where a repeated hour leaves either of them open.

    Of the readings, the one for which End - Start = ElapsedRaw + Suspended (sacct(1): elapsed is without the
    suspended time); where none or more than one does, the earlier ones.

    Returns:
        Start and end in UTC seconds, and for each of the two a column that is true where it is not decided.
    """
    if start.later.null_count() + end.later.null_count() == 2 * len(start.later):
        never = pl.repeat(False, len(start.later), dtype=pl.Boolean, eager=True)
        return start.earlier, end.earlier, never, never
    frame = pl.DataFrame(
        {
            "s0": start.earlier,
            "s1": start.later,
            "e0": end.earlier,
            "e1": end.later,
            "wanted": elapsed.values + suspended.values.fill_null(0),
        }
    )
    ways = [("s0", "e0"), ("s0", "e1"), ("s1", "e0"), ("s1", "e1")]
    fits = {way: (pl.col(way[1]) - pl.col(way[0]) == pl.col("wanted")).fill_null(value=False) for way in ways}
    one = pl.sum_horizontal(fit.cast(pl.Int8) for fit in fits.values()) == 1
    late_start = one & (fits["s1", "e0"] | fits["s1", "e1"])
    late_end = one & (fits["s0", "e1"] | fits["s1", "e1"])
    chosen = frame.select(
        start=pl.when(late_start).then("s1").otherwise("s0"),
        end=pl.when(late_end).then("e1").otherwise("e0"),
        start_open=pl.col("s1").is_not_null() & ~one,
        end_open=pl.col("e1").is_not_null() & ~one,
    )
    return chosen["start"], chosen["end"], chosen["start_open"], chosen["end_open"]
