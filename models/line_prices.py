"""The unit price of each bill line: the row's or the tier's price, times what acts on it, in one stated order.

row or tier step -> factors in the order of the file -> discount by last month's use -> time band. List prices take the
factors that act on both and the band; contracted prices take all. The product is rounded once, half up, to 8 places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

import duckdb

PLACES = Decimal("0.00000001")


@dataclass(frozen=True)
class Acting:
    """One thing that acts on a price: its names, its factor, and whether the list price takes it too."""

    name: str
    name_en: str
    factor: Decimal
    on_list: bool


@dataclass(frozen=True)
class UnitPrice:
    """List and contracted price of a line per unit, and what acted on them, in order."""

    list_price: Decimal
    price: Decimal
    acting: tuple[Acting, ...]


def compose(list_price: Decimal, price: Decimal, acting: Sequence[Acting]) -> UnitPrice:
    """The unit prices after everything in `acting` has acted, rounded half up to 8 places."""
    with localcontext(Context(prec=60)):
        for each in acting:
            price *= each.factor
            if each.on_list:
                list_price *= each.factor
        return UnitPrice(
            list_price.quantize(PLACES, rounding=ROUND_HALF_UP),
            price.quantize(PLACES, rounding=ROUND_HALF_UP),
            tuple(acting),
        )


class LinePrices:
    """The price book of an opened build, asked line by line."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        def rows(query: str) -> list[Any]:
            return con.execute(query).fetchall()

        self._rows = {
            (tariff, number): (listed, price)
            for tariff, number, listed, price in rows(
                "SELECT tariff_no, price_no, list_price, price FROM ref_price"
            )
        }
        self._steps = {
            (tariff, pool, step): (listed, price, name, name_en)
            for tariff, pool, step, listed, price, name, name_en in rows(
                "SELECT s.tariff_no, s.pool_no, s.step_no, s.list_price, s.price, p.name, p.name_en "
                "FROM ref_pool_step AS s JOIN ref_pool AS p ON p.tariff_no = s.tariff_no AND p.pool_no = s.pool_no"
            )
        }
        self._factors: dict[int, list[tuple[int, Acting]]] = defaultdict(list)
        for tariff, bit, name, name_en, factor, on_list in rows(
            "SELECT tariff_no, factor_bit, name, name_en, factor, on_list FROM ref_factor ORDER BY tariff_no, factor_no"
        ):
            self._factors[tariff].append((bit, Acting(name, name_en, factor, on_list)))
        self._last = {
            (tariff, number, step): Acting(name, name_en, factor, on_list=False)
            for tariff, number, step, name, name_en, factor in rows(
                "SELECT s.tariff_no, s.last_no, s.step_no, l.name, l.name_en, s.factor "
                "FROM ref_last_month_step AS s JOIN ref_last_month AS l ON l.tariff_no = s.tariff_no AND l.last_no = s.last_no"
            )
        }
        self._bands = {
            (tariff, number): Acting(name, name_en, factor, on_list=True)
            for tariff, number, name, name_en, factor in rows(
                "SELECT tariff_no, band_no, name, name_en, factor FROM ref_band"
            )
        }

    def of(
        self,
        tariff: int,
        price_no: int,
        *,
        factor_bits: int,
        band: int,
        pool: int,
        step: int,
        last: int,
        last_step: int,
    ) -> UnitPrice:
        """The unit price of a line with this key of out_usage_line."""
        if step:
            listed, price, name, name_en = self._steps[tariff, pool, step]
        else:
            (listed, price), name, name_en = self._rows[tariff, price_no], "", ""
        acting = [acts for bit, acts in self._factors[tariff] if factor_bits & bit]
        if last_step:
            acting.append(self._last[tariff, last, last_step])
        if band:
            acting.append(self._bands[tariff, band])
        made = compose(listed, price, acting)
        if not step:
            return made
        tier = Acting(f"{name} {step + 1}", f"{name_en} {step + 1}", Decimal(1), on_list=True)
        return UnitPrice(made.list_price, made.price, (tier, *made.acting))


def described(acting: Sequence[Acting], lang: str) -> str:
    """What acted, for the bill: `夜间 ×0.5，折扣 ×0.8`; empty where nothing did. A factor of one is named without it."""
    words = [
        f"{each.name if lang == 'zh' else each.name_en or each.name}"
        + ("" if each.factor == 1 else f" ×{each.factor.normalize():f}")
        for each in acting
    ]
    return ("，" if lang == "zh" else ", ").join(words)
