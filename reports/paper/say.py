"""What the pages of a bill share: its words in the reader's language, names, money in its currency."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from models.calendar import month_before
from models.catalogue import text
from models.format import money, period_text, symbol
from reports.bill import Bill


@dataclass(frozen=True)
class Say:
    """A bill in one language, `zh` or `en`."""

    bill: Bill
    lang: str

    def __call__(self, name: str, /, **values: object) -> str:
        """The text `bill.<name>` of the catalogue."""
        return text(f"bill.{name}", self.lang, **values)

    def either(self, chinese: str, english: str) -> str:
        """The name in the reader's language, the Chinese one where there is no English."""
        return english if self.lang == "en" and english else chinese

    def money(self, amount: Decimal | None) -> str:
        """An amount with the sign of the bill's currency."""
        return money(amount, self.bill.currency)

    def listed(self, *texts: str) -> str:
        """Texts one after the other, without the empty ones."""
        return ("，" if self.lang == "zh" else ", ").join(text for text in texts if text)

    @property
    def symbol(self) -> str:
        """The currency in a table's header."""
        return symbol(self.bill.currency)

    @property
    def payer(self) -> str:
        """Unit and group that pay."""
        payer = self.bill.payer
        name = self.either(payer.name, payer.name_en) or payer.tenant
        unit = self.either(payer.unit, payer.unit_en)
        return self("party", unit=unit, name=name) if unit and unit != name else name

    @property
    def issuer(self) -> str:
        """Who sends the bill."""
        return self.either(self.bill.issuer.name, self.bill.issuer.name_en)

    @property
    def period(self) -> str:
        """The bill's month in running text."""
        return period_text(self.bill.period, self.lang)

    @property
    def month_before(self) -> str:
        """The month before the bill's in running text."""
        return period_text(month_before(self.bill.period), self.lang)

    @property
    def tariffs(self) -> str:
        """The tariff versions."""
        return ("、" if self.lang == "zh" else ", ").join(
            version for version, _ in self.bill.facts.tariff_versions
        )
