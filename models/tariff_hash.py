"""What a version of the price book says, in one canonical form, and the hash of it.

Comments, the order of keys and of what has no order, lines, and how a decimal is written do not count: "0.10" is "0.1".
Pools, discounts by last month's use and contributions never meet, so their order says nothing; that of every other kind
of rule and of the price rows does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal

from models.tariff import Tariff
from models.tariff_rules import Contribution, LastMonth, Pool


def said(value: object) -> object:
    """A value as plain JSON: decimals without the zeros that do not count, days in ISO 8601, no line numbers."""
    match value:
        case Decimal():
            return f"{value.normalize():f}"
        case date():
            return value.isoformat()
        case tuple():
            return [said(each) for each in value]
        case _ if is_dataclass(value):
            return {
                field.name: said(getattr(value, field.name))
                for field in fields(value)
                if field.name != "line_no"
            }
    return value


def version_said(version: Tariff, currency: str) -> dict[str, object]:
    """Everything that a version says, as plain JSON.

    `valid_to` is as the version has it: for a hash, as written, so that adding a later version does not change the
    hash of an open one.
    """
    rules = version.rules
    return {
        "currency": currency,
        "id": version.version,
        "valid_from": said(version.valid_from),
        "valid_to": said(version.valid_to),
        "approved_by": version.approved_by,
        "quantity_decimals": version.quantity_decimals,
        "not_priced": said(version.not_priced),
        "runs": dict(version.runs),
        "suspended": dict(version.suspended),
        "price": said(version.prices),
        "meter": said(rules.meters),
        "quota": said(rules.quotas),
        "pool": _by_name(rules.pools),
        "factor": said(rules.factors),
        "last_month": _by_name(rules.last_month),
        "band": said(rules.bands),
        "credit": said(rules.credits),
        "contribution": _by_name(rules.contributions),
    }


def _by_name(rules: Sequence[Pool] | Sequence[LastMonth] | Sequence[Contribution]) -> list[object]:
    return [said(rule) for rule in sorted(rules, key=lambda rule: rule.name)]


def version_hash(version: Tariff, currency: str) -> str:
    """SHA-256 of what a version says as canonical JSON, hexadecimal."""
    canonical = json.dumps(
        version_said(version, currency), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
