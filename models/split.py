"""Splitting a whole without losing a unit: the part up to a mark is a floor, a slice is the difference of two such parts.

The same arithmetic stands in SQL (core_use, core_usage_slot, core_record); a test holds them to one another.
"""

from __future__ import annotations


def part(whole: int, done: int, length: int) -> int:
    """The part of `whole` up to `done` of `length`: floor(whole x done / length).

    `part(w, b, n) - part(w, a, n)` is the slice [a, b); slices that follow one another add up to `whole` exactly, in any
    number and any order. Raises ZeroDivisionError for a `length` of 0.
    """
    return whole * done // length
