"""Units: what a base integer of each resource counts, and the hour-like unit that people read.

Base quantities are integers (`*_ms`, `*_mib_s`, `*_s`), so sums are exact and do not depend on order.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


@dataclass(frozen=True)
class Unit:
    """How a resource is counted.

    Attributes:
        base_unit: name of the integer unit, such as `core-ms`.
        unit: name of the unit that prices and reports use, such as `core-hour`.
        base_per_unit: base units in one unit.
    """

    base_unit: str
    unit: str
    base_per_unit: int


CORE = Unit("core-ms", "core-hour", 3_600_000)
MEMORY = Unit("MiB-s", "GiB-hour", 1024 * 3600)
NODE = Unit("node-s", "node-hour", 3600)
DEVICE = Unit("device-ms", "device-hour", 3_600_000)
BILLING = Unit("billing-ms", "billing-hour", 3_600_000)
ITEM = Unit("item", "item", 1)

# The unit words that a column's name may end in; a test reads every column of every store against it.
COLUMN_UNITS = frozenset(
    {
        "base",  # base units of the row's resource: ref_unit says which
        "bytes",
        "core_ms",
        "count",
        "days",
        "e6",  # millionths of the unit of the rule's items
        "e8",  # hundred-millionths, the places of a price
        "fen",  # hundredths of the billing currency
        "j",
        "milli",  # thousandths of what a word of AllocTRES counts
        "ms",
        "parts",  # into how many parts the base unit beside it is divided
        "s",
        "share28",  # 28ths of a board
        "w",
    }
)


def unit_of(resource: str) -> Unit:
    """The unit of `cpu`, `mem`, `node`, `billing` or a device `gpu:<type>`, or `npu:<type>`."""
    return {"cpu": CORE, "mem": MEMORY, "node": NODE, "billing": BILLING}.get(resource, DEVICE)


def in_units(base: int, unit: Unit, decimals: int) -> Decimal:
    """`base` in `unit`, rounded half up to `decimals` places; exact before that."""
    step = Decimal(1).scaleb(-decimals)
    scaled = (abs(base) * 10**decimals * 2 + unit.base_per_unit) // (2 * unit.base_per_unit)
    quantity = (Decimal(scaled) * step).quantize(step, rounding=ROUND_HALF_UP)
    return -quantity if base < 0 else quantity
