"""Amounts in Chinese capitals (人民币大写) as cheques, invoices and bills write them.

Source: 正确填写票据和结算凭证的基本规定 (the People's Bank of China, annex to 支付结算办法, 1997), rules 1 to 4: the
text begins with 人民币 without a gap; 整 ends it at 元, may end it at 角 and never at 分; zeros between digits
are one 零; when 角 is zero and 分 is not, 零 stands before 分.
"""

from __future__ import annotations

from decimal import Decimal

from models.errors import HesuanError

DIGITS = "零壹贰叁肆伍陆柒捌玖"
PLACES = ("", "拾", "佰", "仟")
SECTIONS = ("", "万", "亿", "万亿")
SIZES = (1, 10**4, 10**8, 10**12)
FEN = Decimal("0.01")
LIMIT = Decimal(10) ** 15


def rmb_upper(amount: Decimal) -> str:
    """`amount` of yuan in capitals: 6007.14 is 人民币陆仟零柒元壹角肆分, 0 is 人民币零元整, below 0 begins 人民币负.

    Where the regulation allows two forms (1680.32 with or without 零 before 叁角) the one without 零 is written
    unless the zero stands inside the yuan; after 角 整 is written.

    Raises:
        HesuanError: `amount` is no number, has more than two decimals, or is beyond ±10^15.
    """
    if not amount.is_finite() or abs(amount) > LIMIT:
        raise HesuanError("bill.rmb_large", amount=amount)
    exact = amount.quantize(FEN)
    if exact != amount:
        raise HesuanError("bill.rmb_fraction", amount=amount)
    yuan, cents = divmod(abs(int(exact.scaleb(2))), 100)
    sign = "负" if exact < 0 else ""
    whole = f"{_yuan(yuan)}元" if yuan or not cents else ""
    return f"人民币{sign}{whole}{_cents(cents, after_yuan=bool(yuan))}"


def _yuan(yuan: int) -> str:
    """Whole yuan, without the word 元. Sections of four digits from the left; a gap of any length is one 零."""
    if yuan == 0:
        return DIGITS[0]
    digits = str(yuan)
    said = ""
    gap = False
    for place, digit in zip(range(len(digits) - 1, -1, -1), map(int, digits), strict=True):
        if digit:
            said += (DIGITS[0] if gap else "") + DIGITS[digit] + PLACES[place % 4]
        gap = digit == 0
        section, first = divmod(place, 4)
        if first == 0 and section and _section(yuan, section):
            # 万亿 is said 万 when digits of the 亿 section follow: 壹万贰仟亿, but 壹万亿 alone.
            bare = section == 3 and _section(yuan, 2)
            said += "万" if bare else SECTIONS[section]
    return said


def _section(yuan: int, section: int) -> int:
    """The four digits of a section: 0 below 万, 1 万, 2 亿, 3 万亿."""
    return yuan // SIZES[section] % 10_000


def _cents(cents: int, *, after_yuan: bool) -> str:
    """角 and 分 with the ending 整 where it belongs."""
    jiao, fen = divmod(cents, 10)
    if not cents:
        return "整"
    if not fen:
        return f"{DIGITS[jiao]}角整"
    if not jiao:
        return f"{DIGITS[0] if after_yuan else ''}{DIGITS[fen]}分"
    return f"{DIGITS[jiao]}角{DIGITS[fen]}分"
