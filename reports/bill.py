"""What stands on one tenant's bill: the frozen data that paper, workbook and files print, all the same.

Amounts are Decimal in the bill's currency, quantities Decimal in the unit of their line. Times are UTC seconds;
days are local days of the site's zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from models.site import Issuer


@dataclass(frozen=True)
class Payer:
    """Who pays: the tenant as its rule names it. Empty text where the site did not say."""

    tenant: str
    name: str
    name_en: str
    unit: str
    unit_en: str
    user_class: str
    cost_card: str
    contact: str


@dataclass(frozen=True)
class BillLine:
    """One line: amount = round(unit_price x quantity, fen); list_cost likewise; discount = list_cost - billed_cost.

    `acting` names what made the price besides the row of the book: a tier, factors, a time band; empty for nothing.
    """

    line: str
    item: str
    name: str
    name_en: str
    cluster: str
    resource: str
    unit: str
    consumed: Decimal
    quantity: Decimal
    list_price: Decimal
    unit_price: Decimal
    list_cost: Decimal
    billed_cost: Decimal
    tariff_version: str
    acting: str = ""
    acting_en: str = ""

    @property
    def discount(self) -> Decimal:
        """What the contracted price takes off the list price."""
        return self.list_cost - self.billed_cost


@dataclass(frozen=True)
class Share:
    """What a project, a user or a day has of the bill; shares of one kind add up to the sum of the lines exactly."""

    key: str
    name: str
    cost_card: str
    runs: int
    core_hours: Decimal
    device_hours: Decimal
    billed_cost: Decimal


@dataclass(frozen=True)
class DayUse:
    """A user's day: the rows of the details on paper."""

    day: date
    user: str
    project: str
    runs: int
    core_hours: Decimal
    device_hours: Decimal
    billed_cost: Decimal


@dataclass(frozen=True)
class RunRow:
    """One run in the period. `core_hours` and `device_hours` are consumed; `billed_cost` is its part of its lines."""

    cluster: str
    job_id: str
    job_name: str
    project: str
    account: str
    user: str
    partition: str
    qos: str
    state: str
    submit_s: int | None
    start_s: int
    end_s: int
    core_hours: Decimal
    device_hours: Decimal
    devices: str
    billed_cost: Decimal
    treatment: str


@dataclass(frozen=True)
class NotCharged:
    """Use that costs the tenant nothing, and why: refunded, free, included in other prices, suspended."""

    reason: str
    resource: str
    runs: int
    quantity: Decimal
    unit: str


@dataclass(frozen=True)
class Tax:
    """VAT of the bill. `mode`: `inclusive` (prices hold the tax), `exclusive` (added), `none`."""

    mode: str
    rate: Decimal
    net: Decimal
    tax: Decimal
    gross: Decimal


@dataclass(frozen=True)
class Facts:
    """How the bill came about, for the footer: hashes in full, printed cut to 12."""

    tariff_versions: tuple[tuple[str, str], ...]
    input_hash: str
    program_version: str
    read_to_s: int | None


@dataclass(frozen=True)
class Bill:
    """One tenant's bill for one period. `draft` until the ledger has closed the period."""

    number: str
    period: str
    first_day: date
    last_day: date
    timezone: str
    currency: str
    draft: bool
    issuer: Issuer
    payer: Payer
    lines: tuple[BillLine, ...]
    tax: Tax
    previous_net: Decimal | None
    by_project: tuple[Share, ...]
    by_user: tuple[Share, ...]
    by_day: tuple[Share, ...]
    day_users: tuple[DayUse, ...]
    largest_runs: tuple[RunRow, ...]
    runs_count: int
    not_charged: tuple[NotCharged, ...]
    facts: Facts

    @property
    def list_total(self) -> Decimal:
        """Sum of the lines at list price."""
        return sum((line.list_cost for line in self.lines), Decimal(0))

    @property
    def billed_total(self) -> Decimal:
        """Sum of the lines as billed, before an exclusive tax is added."""
        return sum((line.billed_cost for line in self.lines), Decimal(0))
