"""How numbers, days and times are printed: paper, workbook and screen show the same rounded text.

Rounding is half up. Minus is the true minus sign U+2212. A value that rounds to zero but is not zero shows as below
the smallest step (`<0.01`), a value that is not known as a dash, never as 0.
"""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from models.calendar import to_local

MINUS = "\u2212"
UNKNOWN = "\u2014"
SYMBOLS = {"CNY": "¥"}
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def number(value: Decimal | int | None, places: int) -> str:
    """`value` with `places` decimals and thousands separated: 1,234.50, −0.50, <0.01, — for None."""
    return _signed(value, places, "", "")


def hours(value: Decimal | None) -> str:
    """Core-hours, card-hours and the like, to 2 decimals."""
    return number(value, 2)


def money(amount: Decimal | None, currency: str) -> str:
    """An amount of `currency` (ISO 4217) to 2 decimals: ¥12,345.67, −¥1,234.56, USD 12.00."""
    return _signed(amount, 2, SYMBOLS.get(currency, f"{currency} "), "")


def symbol(currency: str) -> str:
    """What stands for `currency` in a table's header: ¥ for CNY, else its code."""
    return SYMBOLS.get(currency, currency)


def price(value: Decimal | None) -> str:
    """A unit price with all the decimals that it has, at least 2: 0.06 of 0.0600, 0.0855."""
    if value is None:
        return UNKNOWN
    return number(value, max(2, -_exponent(value.normalize())))


def places_of(value: Decimal) -> int:
    """Decimals that `value` carries: 4 for 12.5000. A bill's quantity carries those of its tariff."""
    return max(0, -_exponent(value))


def percent(ratio: Decimal | None, places: int = 1) -> str:
    """`ratio` as percent: 0.183 is 18.3%."""
    return _signed(None if ratio is None else ratio * 100, places, "", "%")


def change(now: Decimal, before: Decimal | None) -> str:
    """Change of `now` from `before` in signed percent, +18.0% or −3.2%.

    A dash where a percentage says nothing: no amount before, none above zero, or a credit now.
    """
    if before is None or before <= 0 or now < 0:
        return UNKNOWN
    text = percent((now - before) / before)
    return f"+{text}" if now > before else text


def period_text(period: str, lang: str) -> str:
    """The month `2026-09` in running text: 2026年9月, September 2026."""
    year, month = period.split("-")
    return f"{year}年{int(month)}月" if lang == "zh" else f"{MONTHS[int(month) - 1]} {year}"


def day_text(day: date, lang: str) -> str:
    """A day in running text: 2026年9月30日, 30 September 2026. Tables use ISO 8601."""
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def local_text(seconds: int | None, zone: str) -> str:
    """Wall time of UTC `seconds` in the IANA `zone`, 2026-09-30 23:59:59; the zone is said once a page."""
    return UNKNOWN if seconds is None else f"{to_local(seconds, zone):%Y-%m-%d %H:%M:%S}"


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _signed(value: Decimal | int | None, places: int, before: str, after: str) -> str:
    if value is None:
        return UNKNOWN
    exact = Decimal(value)
    step = Decimal(1).scaleb(-places)
    rounded = exact.quantize(step, rounding=ROUND_HALF_UP)
    if exact and not rounded:
        return f"<{before}{step}{after}" if exact > 0 else f">{MINUS}{before}{step}{after}"
    sign = MINUS if rounded < 0 else ""
    return f"{sign}{before}{abs(rounded):,.{places}f}{after}"
