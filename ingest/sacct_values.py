"""Numbers and durations as sacct prints them -> integers, a column at a time."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ingest.sacct_fields import BLANK, NO_LIMIT, SENTINELS_32, SENTINELS_64

# [days-][hours:]minutes:seconds[.fraction]: TotalCPU leaves the hours out, Elapsed and Suspended never do.
_DURATION = r"^(-)?(?:(\d+)-)?(?:(\d+):)?(\d+):(\d\d)(?:\.(\d{1,9}))?$"
_ZERO = "00:00:00"
# Longer than any run (34,000 years in seconds): a number above it is a fault, and could pass 2^63 in milliseconds.
_LONGEST = 1 << 40


class Column(NamedTuple):
    """A column that was read.

    Attributes:
        values: the integers, null where nothing is said or where it could not be read.
        bad: true where something stands there that could not be read.
    """

    values: pl.Series
    bad: pl.Series


def _none_bad(text: pl.Series) -> pl.Series:
    return pl.repeat(False, len(text), dtype=pl.Boolean, eager=True)


def _without_sentinels(values: pl.Series) -> pl.Series:
    """Slurm's NO_VAL and INFINITE are "not said"."""
    highest = values.max()
    if not isinstance(highest, int) or highest < SENTINELS_32[0]:
        return values
    return values.set(values.is_in(SENTINELS_32), None)


def blank(text: pl.Series) -> pl.Series:
    """Where a text says nothing: empty, Unknown, None, N/A or a 64-bit sentinel."""
    return text.is_in((*BLANK, *SENTINELS_64))


def number(text: pl.Series) -> Column:
    """Whole numbers; a negative one is kept as said. Sentinels and blanks are null."""
    values = text.cast(pl.Int64, strict=False)
    bad = values.is_null() & ~blank(text) if values.null_count() else _none_bad(text)
    return Column(_without_sentinels(values), bad)


def _clock_ms(text: pl.Series) -> pl.Series:
    """[days-][hours:]minutes:seconds[.fraction] in milliseconds, cut below one; null where it is none."""
    parts = text.str.extract_groups(_DURATION).struct.unnest()
    sign, days, hours, minutes, seconds, fraction = parts.get_columns()

    def whole(part: pl.Series) -> pl.Series:
        return part.cast(pl.Int64, strict=False).fill_null(0)

    padded = fraction.fill_null("").str.pad_end(3, "0").str.slice(0, 3)
    total = (((whole(days) * 24 + whole(hours)) * 60 + whole(minutes)) * 60 + whole(seconds)) * 1000 + whole(
        padded
    )
    signed = total * (1 - 2 * sign.is_not_null().cast(pl.Int64))
    return signed.set(minutes.is_null(), None)


def duration_ms(text: pl.Series, *, plain_unit_ms: int) -> Column:
    """Durations in milliseconds: a clock text, or a bare number of units of `plain_unit_ms`.

    Slurm's own arithmetic: [DD-[HH:]]MM:SS[.fff] of sacct(1), `Elapsed` and `TotalCPU`.
    """
    if (text == _ZERO).all():
        return Column(pl.repeat(0, len(text), dtype=pl.Int64, eager=True), _none_bad(text))
    plain = number(text)
    too_long = (plain.values.abs() > _LONGEST).fill_null(value=False)
    values = plain.values.set(too_long, None) * plain_unit_ms
    clock = plain.bad.arg_true()
    if not len(clock):
        return Column(values, too_long)
    read = _clock_ms(text.gather(clock))
    values = values.scatter(clock, read)
    return Column(values, too_long | (plain.bad & values.is_null()))


def seconds(text: pl.Series) -> Column:
    """Durations in whole seconds, from a clock text or a bare number of seconds; fractions are cut."""
    values, bad = duration_ms(text, plain_unit_ms=1000)
    return Column(values // 1000, bad)


def limit_s(text: pl.Series) -> Column:
    """TimelimitRaw (minutes) or Timelimit (a clock text) in seconds; no limit is null."""
    values, bad = duration_ms(text, plain_unit_ms=60_000)
    return Column(values // 1000, bad & ~text.is_in(NO_LIMIT))
