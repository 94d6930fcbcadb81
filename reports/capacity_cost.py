"""What idle capacity would cost, under three policies side by side: a figure to decide by, not a charge.

An idle hour is worth what an hour of the same resource brought on the same cluster in the period: billed amount ÷ priced
quantity of its bill lines. A resource that nothing was billed for has no value here. Each value is rounded once, half
up, to the fen, and then shared without loss:

- centre: the centre carries all of it;
- reservation: what a reservation kept and did not use goes to its tenant, the rest to the centre;
- use: everything is shared by what each tenant used of the resource on the cluster, by largest remainder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb

from models.pricing import largest_remainder
from models.units import unit_of

CENTRE = ""


@dataclass(frozen=True)
class IdleValue:
    """A resource's idle hours and what they are worth; `price` is the mean billed price, None where nothing was billed.

    `idle` is in base units, reserved idle within it; `price` is rounded to 4 decimals for print, `value` to the fen.
    """

    cluster: str
    resource: str
    idle: int
    price: Decimal | None
    value: Decimal


@dataclass(frozen=True)
class Burden:
    """What one tenant would carry; the centre is the tenant ''. Each column adds up to the same total."""

    tenant: str
    name: str
    name_en: str
    centre: Decimal
    reservation: Decimal
    use: Decimal


@dataclass(frozen=True)
class IdleCost:
    """Values and who would carry them; `total` is the sum of the values and of each policy."""

    values: tuple[IdleValue, ...]
    burdens: tuple[Burden, ...]
    total: Decimal


def _fen(amount: Fraction) -> Decimal:
    """An amount rounded half up to the fen."""
    scaled = amount * 100
    return Decimal((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)).scaleb(-2)


Key = tuple[str, str]


def _prices(con: duckdb.DuckDBPyConnection) -> dict[Key, Fraction]:
    """Mean billed price of a base unit of (cluster, resource)."""
    rows = con.execute(
        """SELECT cluster, resource, SUM(billed_amount), SUM(priced_base) FROM out_charge_line
           WHERE kind = 'usage' AND priced_base > 0 GROUP BY cluster, resource"""
    ).fetchall()
    return {(cluster, resource): Fraction(amount) / int(base) for cluster, resource, amount, base in rows}


def _values(con: duckdb.DuckDBPyConnection, prices: Mapping[Key, Fraction]) -> tuple[IdleValue, ...]:
    rows = con.execute(
        """SELECT cluster, resource, SUM(reserved_idle_base + idle_base) FROM out_capacity
           WHERE partition = '' GROUP BY cluster, resource ORDER BY cluster, resource"""
    ).fetchall()
    found = []
    for cluster, resource, idle in rows:
        price = prices.get((cluster, resource))
        hourly = None if price is None else price * unit_of(resource).base_per_unit
        shown = None if hourly is None else Decimal(round(hourly * 10_000)).scaleb(-4)
        found.append(IdleValue(cluster, resource, int(idle), shown, _fen((price or Fraction(0)) * int(idle))))
    return tuple(found)


def _by_use(con: duckdb.DuckDBPyConnection, values: Sequence[IdleValue]) -> dict[str, Decimal]:
    """Every value shared by use; the centre keeps what nobody used."""
    used: dict[Key, list[tuple[str, Decimal]]] = defaultdict(list)
    rows: Sequence[Any] = con.execute(
        """SELECT cluster, resource, tenant, SUM(consumed_base) FROM out_usage
           GROUP BY cluster, resource, tenant HAVING SUM(consumed_base) > 0 ORDER BY cluster, resource, tenant"""
    ).fetchall()
    for cluster, resource, tenant, base in rows:
        used[cluster, resource].append((tenant, Decimal(int(base))))
    carried: dict[str, Decimal] = defaultdict(Decimal)
    for value in values:
        shares = used.get((value.cluster, value.resource))
        if not shares:
            carried[CENTRE] += value.value
            continue
        parts = largest_remainder(value.value, [weight for _, weight in shares])
        for (tenant, _), part in zip(shares, parts, strict=True):
            carried[tenant] += part
    return carried


def _by_reservation(
    con: duckdb.DuckDBPyConnection, values: Sequence[IdleValue], prices: Mapping[Key, Fraction]
) -> dict[str, Decimal]:
    """What tenants reserved and did not use; the centre carries the rest."""
    carried: dict[str, Decimal] = defaultdict(Decimal)
    rows = con.execute(
        """SELECT cluster, resource, tenant, SUM(idle_base) FROM out_capacity_reserved
           WHERE tenant <> '' GROUP BY cluster, resource, tenant ORDER BY cluster, resource, tenant"""
    ).fetchall()
    for cluster, resource, tenant, base in rows:
        carried[tenant] += _fen(prices.get((cluster, resource), Fraction(0)) * int(base))
    carried[CENTRE] += sum((value.value for value in values), Decimal(0)) - sum(carried.values(), Decimal(0))
    return carried


def idle_cost(con: duckdb.DuckDBPyConnection) -> IdleCost:
    """Idle capacity of the opened mart, its value and its bearers."""
    prices = _prices(con)
    values = _values(con, prices)
    total = sum((value.value for value in values), Decimal(0))
    use, reservation = _by_use(con, values), _by_reservation(con, values, prices)
    names = {
        tenant: (name, name_en)
        for tenant, name, name_en in con.execute("SELECT tenant, name, name_en FROM ref_tenant").fetchall()
    }
    zero = Decimal("0.00")
    tenants = sorted((set(use) | set(reservation)) - {CENTRE})
    burdens = [
        Burden(
            tenant,
            *names.get(tenant, ("", "")),
            total if tenant == CENTRE else zero,
            reservation.get(tenant, zero),
            use.get(tenant, zero),
        )
        for tenant in (CENTRE, *tenants)
    ]
    return IdleCost(values, tuple(burdens), total)
