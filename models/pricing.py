"""Money: from priced quantities to amounts, once per line, in Decimal.

For each line the priced quantity is rounded once, half up, to the tariff's stated places, printed so, and multiplied
by the price; the amount is rounded once, half up, to the fen. Whoever recomputes price x printed quantity gets the
printed amount. No other place in the project multiplies by a price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, localcontext
from math import lcm

from models.split import part
from models.tariff import Vat
from models.units import Unit, in_units

FEN = Decimal("0.01")


@dataclass(frozen=True)
class UsageLine:
    """What is to be priced: `priced_base` base units of `unit` under one row of one tariff version.

    Attributes:
        consumed_base: what was physically used behind it, same unit.
        list_price, price: currency per unit.
        quantity_decimals: places of the printed quantity, from the tariff.
    """

    line: str
    tenant: str
    unit: Unit
    consumed_base: int
    priced_base: int
    list_price: Decimal
    price: Decimal
    quantity_decimals: int


@dataclass(frozen=True)
class ChargeLine:
    """A priced line. `list_amount` and `billed_amount` are as printed: price x quantity, rounded to the fen.

    `list_cost` and `billed_cost` are the same before tax; they differ from the amounts only where prices hold the tax.
    """

    line: str
    tenant: str
    consumed: Decimal
    quantity: Decimal
    list_amount: Decimal
    billed_amount: Decimal
    list_cost: Decimal
    billed_cost: Decimal


@dataclass(frozen=True)
class BillTotal:
    """A tenant's bill in sum: net + tax = gross; `list_amount` and `billed_amount` are the sums of the printed lines."""

    tenant: str
    mode: str
    rate: Decimal
    list_amount: Decimal
    billed_amount: Decimal
    net: Decimal
    tax: Decimal
    gross: Decimal


def amount(quantity: Decimal, price: Decimal) -> Decimal:
    """`quantity` x `price`, rounded half up to the fen."""
    with localcontext(Context(prec=60)):
        return (quantity * price).quantize(FEN, rounding=ROUND_HALF_UP)


def line_amount(line: UsageLine) -> Decimal:
    """The printed amount of a line at its contracted price."""
    return amount(in_units(line.priced_base, line.unit, line.quantity_decimals), line.price)


def split_tax(total: Decimal, mode: str, rate: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    """(net, tax, gross) of a bill's printed `total`: `inclusive` takes the tax out, `exclusive` adds it, `none` has none.

    The rounded part is the net (inclusive) or the tax (exclusive), half up; the other is the difference, so that
    net + tax = gross exactly.
    """
    with localcontext(Context(prec=60)):
        if mode == "inclusive":
            net = (total / (1 + rate)).quantize(FEN, rounding=ROUND_HALF_UP)
            return net, total - net, total
        tax = (total * rate).quantize(FEN, rounding=ROUND_HALF_UP) if mode == "exclusive" else Decimal("0.00")
        return total, tax, total + tax


def largest_remainder(total: Decimal, weights: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Split `total` (whole fen) in proportion to `weights` so that the parts add up; ties go to the first.

    All weights zero: the first takes it all. Raises ValueError for no weights, or where a weight is negative.
    """
    if not weights or any(weight < 0 for weight in weights):
        raise ValueError("weights must be there and not negative")
    ratios = [weight.as_integer_ratio() for weight in weights]
    scale = lcm(*(denominator for _, denominator in ratios))
    shares = [numerator * (scale // denominator) for numerator, denominator in ratios]
    whole = sum(shares)
    if whole == 0:
        return (total, *(Decimal("0.00") for _ in weights[1:]))
    fen = int(total.scaleb(2))
    parts = [part(fen, share, whole) for share in shares]
    by_remainder = sorted(range(len(parts)), key=lambda n: (-(fen * shares[n] % whole), n))
    favoured = set(by_remainder[: fen - sum(parts)])
    return tuple(Decimal(floor + (n in favoured)).scaleb(-2) for n, floor in enumerate(parts))


def vat_on(vat: Sequence[Vat], day: date) -> tuple[str, Decimal]:
    """Mode and rate of the tax in force on `day`; none where the book names none yet."""
    current = [row for row in vat if row.valid_from <= day]
    return (current[-1].mode, current[-1].rate) if current else ("none", Decimal(0))


def _before_tax(total: Decimal, amounts: Sequence[Decimal], mode: str, rate: Decimal) -> tuple[Decimal, ...]:
    """The lines' amounts without tax, adding up to the total's net; ties of the last fen go to the first lines."""
    if mode != "inclusive":
        return tuple(amounts)
    with localcontext(Context(prec=60)):
        exact = [each / (1 + rate) for each in amounts]
        floors = [each.quantize(FEN, rounding=ROUND_FLOOR) for each in exact]
        left = int((split_tax(total, mode, rate)[0] - sum(floors, Decimal(0))) / FEN)
        favoured = set(sorted(range(len(exact)), key=lambda n: (floors[n] - exact[n], n))[:left])
        return tuple(floor + (n in favoured) * FEN for n, floor in enumerate(floors))


def price_tenant(
    lines: Sequence[UsageLine], mode: str, rate: Decimal
) -> tuple[tuple[ChargeLine, ...], BillTotal]:
    """The charge lines and the bill's total of one tenant; `lines` are all of that tenant's, at least one.

    A credit is a line of one item at a negative price.
    """
    quantities = [in_units(line.priced_base, line.unit, line.quantity_decimals) for line in lines]
    listed = [amount(q, line.list_price) for q, line in zip(quantities, lines, strict=True)]
    billed = [amount(q, line.price) for q, line in zip(quantities, lines, strict=True)]
    list_total, total = sum(listed, Decimal(0)), sum(billed, Decimal(0))
    net, tax, gross = split_tax(total, mode, rate)
    charges = tuple(
        ChargeLine(
            line=line.line,
            tenant=line.tenant,
            consumed=in_units(line.consumed_base, line.unit, line.quantity_decimals),
            quantity=quantity,
            list_amount=list_amount,
            billed_amount=billed_amount,
            list_cost=list_cost,
            billed_cost=billed_cost,
        )
        for line, quantity, list_amount, billed_amount, list_cost, billed_cost in zip(
            lines,
            quantities,
            listed,
            billed,
            _before_tax(list_total, listed, mode, rate),
            _before_tax(total, billed, mode, rate),
            strict=True,
        )
    )
    bill = BillTotal(lines[0].tenant, mode, rate, list_total, total, net, tax, gross)
    return charges, bill
