"""Stacked bars over days as vectors: what stands on the zero line adds up to the whole of each day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reports.paper.kit.block import Block
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import BODY_LEADING, INK, MARGIN, NOTE, NOTE_LEADING, SECONDARY, TABLE, WIDTH
from reports.paper.kit.text import width, wrap

_GAP = 0.22
_BOX = 6.5


@dataclass(frozen=True)
class Layer:
    """One layer of the stacks, from the bottom up.

    Attributes:
        word: its name.
        color: of its boxes.
        values: one for each bar, none negative.
        open: drawn as an outline: what is not known is not filled.
    """

    word: str
    color: str
    values: Sequence[Decimal]
    open: bool = False


@dataclass(frozen=True)
class Stacks:
    """What the chart shows: title says what one should see, subtitle what is plotted and in which unit."""

    title: str
    subtitle: str
    layers: Sequence[Layer]
    ticks: Sequence[tuple[int, str]]
    top: str


def stacks(chart: Stacks, *, high: float = 150.0, space: float = 10.0) -> Block:
    """The chart as a block: title, subtitle, a row of the layers' names, the bars; empty layers are left out."""
    title = wrap(chart.title, TABLE, WIDTH, bold=True)
    layers = [layer for layer in chart.layers if any(layer.values)]
    above = len(title) * (BODY_LEADING - 2) + 2 * NOTE_LEADING + 6.0

    def paint(pen: Pen, top: float) -> None:
        for n, line in enumerate(title):
            pen.text(MARGIN, top - 9.0 - n * (BODY_LEADING - 2), line, TABLE, bold=True)
        down = len(title) * (BODY_LEADING - 2) + 8.0
        pen.text(MARGIN, top - down, chart.subtitle, NOTE, color=SECONDARY)
        _names(pen, layers, top - down - NOTE_LEADING - 2.0)
        _plot(pen, chart, layers, top - high, high - above - 8.0)

    return Block(high, paint, space=space)


def _names(pen: Pen, layers: Sequence[Layer], y: float) -> None:
    """A box and a word for each layer, in one row."""
    x = MARGIN
    for layer in layers:
        _fill(pen, layer, (x, y - 0.5), _BOX, _BOX)
        pen.text(x + _BOX + 3.0, y, layer.word, NOTE)
        x += _BOX + 3.0 + width(layer.word, NOTE) + 12.0


def _fill(pen: Pen, layer: Layer, corner: tuple[float, float], wide: float, high: float) -> None:
    if layer.open:
        inset = min(0.3, high / 2)
        pen.frame(
            corner[0] + inset,
            corner[1] + inset,
            wide - 2 * inset,
            high - 2 * inset,
            color=layer.color,
            dash=(2, 1.5),
        )
    else:
        pen.box(*corner, wide, high, fill=layer.color)


def _plot(pen: Pen, chart: Stacks, layers: Sequence[Layer], bottom: float, high: float) -> None:
    """Bars on the baseline, the highest day's sum at the top, days under the axis."""
    foot = bottom + NOTE_LEADING + 2.0
    count = len(chart.layers[0].values)
    highest = max(
        (sum((layer.values[n] for layer in layers), Decimal(0)) for n in range(count)), default=Decimal(0)
    )
    scale = (high - NOTE_LEADING - 6.0) / float(highest or 1)
    step = WIDTH / max(count, 1)
    pen.rule(MARGIN, foot + float(highest) * scale, WIDTH)
    pen.text(MARGIN, foot + float(highest) * scale + 2.5, chart.top, NOTE, color=SECONDARY)
    for n in range(count):
        at = foot
        for layer in layers:
            tall = float(layer.values[n]) * scale
            if tall > 0:
                _fill(pen, layer, (MARGIN + (n + _GAP / 2) * step, at), step * (1 - _GAP), tall)
                at += tall
    pen.rule(MARGIN, foot, WIDTH, thick=0.6, color=SECONDARY)
    for n, word in chart.ticks:
        middle = MARGIN + (n + 0.5) * step
        left = max(MARGIN, min(middle - width(word, NOTE) / 2, MARGIN + WIDTH - width(word, NOTE)))
        pen.text(left, bottom + 2.0, word, NOTE, color=INK)
