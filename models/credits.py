"""Credits: money that is taken off a tenant's bills while it lasts, in the order of expiry, then of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from models.calendar import Period
from models.patterns import matches
from models.tariff import PriceBook
from models.tariff_rules import Credit


@dataclass(frozen=True)
class Used:
    """What a bill uses of a credit."""

    credit: Credit
    amount: Decimal


def usable(book: PriceBook, span: Period) -> tuple[Credit, ...]:
    """The credits that bills of the period may use, in the order in which they act; a later version's word counts."""
    valid = {
        credit.name: (place, credit)
        for version in book.versions
        if version.valid_from <= span.last_day
        for place, credit in enumerate(version.rules.credits)
    }
    found = [
        (credit.valid_to or date.max, place, credit)
        for place, credit in valid.values()
        if credit.valid_from <= span.last_day
        and (credit.valid_to is None or span.first_day < credit.valid_to)
    ]
    return tuple(credit for *_, credit in sorted(found, key=lambda each: each[:2]))


def take(
    lines: Sequence[tuple[str, Decimal]], credits_: Sequence[Credit], used_before: Mapping[str, Decimal]
) -> tuple[Used, ...]:
    """What a tenant's `lines` (item, amount) use of its credits.

    Args:
        lines: the charges, in order; negative ones take no credit.
        credits_: the tenant's usable credits in the order in which they act.
        used_before: credit's name -> what earlier bills used of it.

    Returns:
        Credits of which something is used, never more than the lines they name, nor more than they have left.
    """
    rest = [max(amount, Decimal(0)) for _, amount in lines]
    found = []
    for credit in credits_:
        left = credit.amount - used_before.get(credit.name, Decimal(0))
        taken = Decimal(0)
        for n, (item, _) in enumerate(lines):
            if any(matches(pattern, item) for pattern in credit.items):
                part = min(rest[n], left - taken)
                rest[n] -= part
                taken += part
        if taken > 0:
            found.append(Used(credit, taken))
    return tuple(found)
