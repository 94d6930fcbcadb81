"""What differs between two versions of the price book: terms, price rows, rules, and the order of what is in both.

A price row is known by its item and all that it matches by, a rule by its kind and name. Ids, days and lines are no
difference: two versions have others anyway. Where nothing differs, the two say the same: their canonical forms are equal
but for id and days.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

from models.tariff import Price, Tariff
from models.tariff_hash import said, version_said
from models.tariff_rules import Rule, by_kind

# Kinds of rule whose order says something; that of price rows does too.
ORDERED = ("meter", "quota", "factor", "band", "credit")
TERMS = ("approved_by", "quantity_decimals", "not_priced")

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class TermChange:
    """A key of [[version]], or `runs.STATE`, `suspended.PATTERN`: what it was and is; None where it is not written."""

    term: str
    old: object
    new: object


@dataclass(frozen=True)
class PriceChange:
    """A price row before and after; None where it is not there."""

    old: Price | None
    new: Price | None


@dataclass(frozen=True)
class RuleChange:
    """A rule of `kind` before and after; None where it is not there."""

    kind: str
    name: str
    old: Rule | None
    new: Rule | None


@dataclass(frozen=True)
class Difference:
    """All that differs; `reordered` are the kinds (`price` too) of which common ones stand in another order."""

    terms: tuple[TermChange, ...]
    prices: tuple[PriceChange, ...]
    rules: tuple[RuleChange, ...]
    reordered: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.terms or self.prices or self.rules or self.reordered)


def difference(old: Tariff, new: Tariff) -> Difference:
    """What differs between `old` and `new`, which are in one currency: in the order of `new`, what is gone last."""
    prices = [{_row_key(price): price for price in version.prices} for version in (old, new)]
    rules = [
        {(kind, rule.name): rule for kind, kind_rules in by_kind(version.rules) for rule in kind_rules}
        for version in (old, new)
    ]
    return Difference(
        terms=_terms(old, new),
        prices=tuple(
            PriceChange(prices[0].get(key), prices[1].get(key)) for key in _changed(prices[0], prices[1])
        ),
        rules=tuple(
            RuleChange(*key, rules[0].get(key), rules[1].get(key)) for key in _changed(rules[0], rules[1])
        ),
        reordered=tuple(
            kind
            for kind, before, after in _orders(old, new)
            if _common(before, after) != _common(after, before)
        ),
    )


def changed_fields(change: PriceChange | RuleChange) -> tuple[str, ...]:
    """Names of the fields that say another thing after than before; none of what was added or is gone."""
    if change.old is None or change.new is None:
        return ()
    return tuple(
        field.name
        for field in fields(change.new)
        if field.name != "line_no" and getattr(change.old, field.name) != getattr(change.new, field.name)
    )


def _row_key(price: Price) -> tuple[str, ...]:
    return price.item, price.cluster, price.partition, price.qos, price.resource, price.user_class


def _changed(old: Mapping[Key, object], new: Mapping[Key, object]) -> list[Key]:
    """Keys whose values say another thing, or that one of the two lacks."""
    return [key for key in {**new, **old} if said(old.get(key)) != said(new.get(key))]


def _terms(old: Tariff, new: Tariff) -> tuple[TermChange, ...]:
    before, after = (_said_terms(version) for version in (old, new))
    return tuple(
        TermChange(term, before.get(term), after.get(term))
        for term in {**before, **after}
        if before.get(term) != after.get(term)
    )


def _said_terms(version: Tariff) -> dict[str, object]:
    whole = version_said(version, "")
    listed: dict[str, object] = {term: whole[term] for term in TERMS}
    listed |= {f"runs.{state}": treatment for state, treatment in version.runs}
    return listed | {f"suspended.{pattern}": treatment for pattern, treatment in version.suspended}


def _orders(old: Tariff, new: Tariff) -> list[tuple[str, Sequence[Hashable], Sequence[Hashable]]]:
    """Kinds in which order counts, with their keys in the order of each version."""
    before, after = dict(by_kind(old.rules)), dict(by_kind(new.rules))
    rows = [_row_key(price) for price in old.prices], [_row_key(price) for price in new.prices]
    return [
        ("price", *rows),
        *(
            (kind, [rule.name for rule in before[kind]], [rule.name for rule in after[kind]])
            for kind in ORDERED
        ),
    ]


def _common(keys: Sequence[Hashable], others: Sequence[Hashable]) -> list[Hashable]:
    return [key for key in keys if key in others]
