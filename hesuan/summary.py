"""A period in a few numbers, for the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from models.mart import mart_reader
from models.store import first_row
from models.units import CORE, DEVICE, in_units


@dataclass(frozen=True)
class Summary:
    """What a mart says in sum: hours consumed, amounts in `currency`, findings counted."""

    period: str
    tenants: int
    core_hours: Decimal
    device_hours: Decimal
    net: Decimal
    tax: Decimal
    gross: Decimal
    currency: str
    findings: int
    errors: int

    def as_json(self) -> dict[str, object]:
        """The same for scripts: decimals as text."""
        return {
            name: str(value) if isinstance(value, Decimal) else value for name, value in vars(self).items()
        }


def summarise(marts: Path, period: str) -> Summary:
    """The summary of the published mart of `period`."""
    with mart_reader(marts, period) as con:
        row = first_row(
            con,
            """
            SELECT
                (SELECT COUNT(*) FROM out_bill),
                (SELECT COALESCE(SUM(consumed_base), 0) FROM out_usage WHERE resource = 'cpu'),
                (SELECT COALESCE(SUM(consumed_base), 0) FROM out_usage WHERE resource LIKE '%:%'),
                (SELECT COALESCE(SUM(net), 0) FROM out_bill), (SELECT COALESCE(SUM(tax), 0) FROM out_bill),
                (SELECT COALESCE(SUM(gross), 0) FROM out_bill), (SELECT currency FROM mart_fact),
                (SELECT COUNT(*) FROM out_finding), (SELECT COUNT(*) FROM out_finding WHERE level = 'error')
            """,
        )
    tenants, cores, devices, net, tax, gross, currency, findings, errors = row
    return Summary(
        period, tenants, in_units(int(cores), CORE, 2), in_units(int(devices), DEVICE, 2), net, tax, gross, currency,
        findings, errors,
    )  # fmt: skip
