"""The calendar of a period, cut where anything about prices changes.

A cell of the calendar (`cal_span`) is the longest stretch within a local day in which nothing about prices changes: the
tariff version, the tenant rules and the time bands. Where a version of the period has quotas or pools, every slot is a
cell, since they are used up slot by slot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from models.bands import holding
from models.calendar import Period, slots, to_local
from models.site import Site
from models.tariff import PriceBook, Tariff


@dataclass(frozen=True)
class Cell:
    """A cell of the calendar: half-open UTC seconds within the local `day`; `band_set` and `end_set` name the bands."""

    start_s: int
    end_s: int
    day: date
    tariff_no: int
    rule_epoch: int
    band_set: int
    end_set: int

    @property
    def kind(self) -> tuple[object, ...]:
        """What must be the same for two neighbours to be one cell."""
        return (self.day, self.tariff_no, self.rule_epoch, self.band_set, self.end_set)


@dataclass(frozen=True)
class Calendar:
    """The cells of a period, and the sets of bands that they name: (set, tariff number, band number)."""

    cells: tuple[Cell, ...]
    sets: tuple[tuple[int, int, int], ...]


def tariff_no(book: PriceBook, day: date) -> int:
    """Number, from 1, of the version valid on `day`; 0 where none is."""
    for number, version in enumerate(book.versions, 1):
        if version.valid_from <= day and (version.valid_to is None or day < version.valid_to):
            return number
    return 0


def rule_epochs(site: Site, period: Period) -> tuple[date, ...]:
    """Days of the period on which another set of tenant rules begins to be valid, the first day included."""
    edges = {period.first_day}
    for rule in site.rules:
        edges |= {
            day
            for day in (rule.valid_from, rule.valid_to)
            if day is not None and period.first_day < day <= period.last_day
        }
    return tuple(sorted(edges))


def _pooled(versions: Iterable[Tariff]) -> bool:
    return any(version.rules.pools or version.rules.quotas for version in versions)


def calendar(site: Site, book: PriceBook, period: Period) -> Calendar:
    """The period cut into cells."""
    epochs = rule_epochs(site, period)
    sets: dict[tuple[int, tuple[int, ...]], int] = {(0, ()): 0}
    every: list[Cell] = []
    for slot in slots(period, site.timezone, site.slot_minutes):
        number = tariff_no(book, slot.day)
        bands = book.versions[number - 1].rules.bands if number else ()
        moment = to_local(slot.start_s, site.timezone)
        by_slot, by_end = (
            sets.setdefault((number, held), len(sets)) if (held := holding(bands, moment, by)) else 0
            for by in ("slot", "end")
        )
        epoch = bisect_right(epochs, slot.day) - 1
        every.append(Cell(slot.start_s, slot.end_s, slot.day, number, epoch, by_slot, by_end))
    used = {cell.tariff_no for cell in every} - {0}
    cells = every if _pooled(book.versions[n - 1] for n in used) else _joined(every)
    listed = tuple((name, number, band) for (number, held), name in sets.items() for band in held)
    return Calendar(tuple(cells), listed)


def _joined(every: Iterable[Cell]) -> list[Cell]:
    """Neighbours of one kind as one cell."""
    cells: list[Cell] = []
    for cell in every:
        if cells and cells[-1].kind == cell.kind:
            cells[-1] = replace(cells[-1], end_s=cell.end_s)
        else:
            cells.append(cell)
    return cells
