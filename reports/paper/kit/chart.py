"""Charts as vectors: bars over days on a zero baseline, labelled directly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from reports.paper.kit.block import Block
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import ACCENT, BODY_LEADING, HAIRLINE, INK, NOTE, NOTE_LEADING, SECONDARY, TABLE
from reports.paper.kit.text import width, wrap

# How many of the highest bars carry their value, where there is room.
_LABELLED = 3
_GAP = 0.28


@dataclass(frozen=True)
class Bars:
    """What a bar chart shows.

    Attributes:
        title: what one should see.
        subtitle: what is plotted, in which unit.
        values: one for each bar, from left to right.
        ticks: (bar, text) under the axis.
        label: prints a bar's value.
    """

    title: str
    subtitle: str
    values: Sequence[Decimal]
    ticks: Sequence[tuple[int, str]]
    label: Callable[[Decimal], str]


def bars(chart: Bars, *, x: float, wide: float, high: float) -> Block:
    """The chart as a block with its title above; `high` is the height of the whole."""
    title = wrap(chart.title, TABLE, wide, bold=True)
    subtitle = wrap(chart.subtitle, NOTE, wide)
    above = len(title) * (BODY_LEADING - 2) + len(subtitle) * NOTE_LEADING

    def paint(pen: Pen, top: float) -> None:
        for n, line in enumerate(title):
            pen.text(x, top - 9.0 - n * (BODY_LEADING - 2), line, TABLE, bold=True)
        for n, line in enumerate(subtitle):
            down = len(title) * (BODY_LEADING - 2) + 8.0 + n * NOTE_LEADING
            pen.text(x, top - down, line, NOTE, color=SECONDARY)
        _plot(pen, chart, (x, top - high), wide, high - above - 16.0)

    return Block(high, paint)


def _plot(pen: Pen, chart: Bars, corner: tuple[float, float], wide: float, high: float) -> None:
    """Bars, baseline, ticks and labels within `wide` x `high`, `corner` at the lower left."""
    x, bottom = corner
    foot = bottom + NOTE_LEADING + 2.0
    highest = max(0.0, *map(float, chart.values))
    lowest = min(0.0, *map(float, chart.values))
    scale = (high - NOTE_LEADING) / ((highest - lowest) or 1.0)
    zero = foot - lowest * scale
    step = wide / len(chart.values)
    for n, value in enumerate(chart.values):
        tall = float(value) * scale
        if tall:
            pen.box(
                x + (n + _GAP / 2) * step, min(zero, zero + tall), step * (1 - _GAP), abs(tall), fill=ACCENT
            )
    pen.rule(x, zero, wide, thick=0.6, color=SECONDARY if highest else HAIRLINE)
    for n, text in chart.ticks:
        at = _within(x, wide, x + (n + 0.5) * step, width(text, NOTE))
        pen.text(at, bottom + 2.0, text, NOTE, color=SECONDARY)
    for left, n, text in _labels(chart, x, wide, step):
        tall = float(chart.values[n]) * scale
        pen.text(left, zero + tall + (3.0 if tall >= 0 else -NOTE), text, NOTE, color=INK)


def _labels(chart: Bars, x: float, wide: float, step: float) -> list[tuple[float, int, str]]:
    """Left end, bar and text of the labels of the highest bars that overlap neither each other nor a higher bar."""
    order = sorted(range(len(chart.values)), key=lambda n: (-abs(chart.values[n]), n))[:_LABELLED]
    placed: list[tuple[float, float, int, str]] = []
    for n in order:
        if not chart.values[n]:
            continue
        text = chart.label(chart.values[n])
        long = width(text, NOTE)
        left = _within(x, wide, x + (n + 0.5) * step, long)
        covered = range(
            max(0, int((left - x) / step)), min(len(chart.values), int((left + long - x) / step) + 1)
        )
        clear = all(chart.values[k] <= chart.values[n] or chart.values[n] < 0 for k in covered if k != n)
        spans = sorted([(a, b) for a, b, _, _ in placed] + [(left, left + long)])
        if clear and all(first[1] + 4.0 <= second[0] for first, second in pairwise(spans)):
            placed.append((left, left + long, n, text))
    return [(left, n, text) for left, _, n, text in placed]


def _within(x: float, wide: float, middle: float, long: float) -> float:
    """Left end of a label of `long` points around `middle` that stays on the chart."""
    return max(x, min(middle - long / 2, x + wide - long))
