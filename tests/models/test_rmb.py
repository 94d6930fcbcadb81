"""Amounts in capitals: the examples of 正确填写票据和结算凭证的基本规定, another program below 1 亿, and reading back."""

import re
from decimal import Decimal

import cn2an
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.errors import HesuanError
from models.rmb import rmb_upper

EXAMPLES = [
    # The regulation's own; where it allows two forms, the one that is written here.
    ("1409.50", "人民币壹仟肆佰零玖元伍角整"),
    ("6007.14", "人民币陆仟零柒元壹角肆分"),
    ("1680.32", "人民币壹仟陆佰捌拾元叁角贰分"),
    ("107000.53", "人民币壹拾万零柒仟元伍角叁分"),
    ("16409.02", "人民币壹万陆仟肆佰零玖元零贰分"),
    ("325.04", "人民币叁佰贰拾伍元零肆分"),
    # Empty sections, by its rule that several zeros in a row are one 零.
    ("0", "人民币零元整"),
    ("0.00", "人民币零元整"),
    ("0.05", "人民币伍分"),
    ("0.50", "人民币伍角整"),
    ("0.56", "人民币伍角陆分"),
    ("10", "人民币壹拾元整"),
    ("15.00", "人民币壹拾伍元整"),
    ("10000", "人民币壹万元整"),
    ("10000.10", "人民币壹万元壹角整"),
    ("100010", "人民币壹拾万零壹拾元整"),
    ("100001001", "人民币壹亿零壹仟零壹元整"),
    ("100000000", "人民币壹亿元整"),
    ("100010000", "人民币壹亿零壹万元整"),
    ("1000000000000", "人民币壹万亿元整"),
    ("1200000000000", "人民币壹万贰仟亿元整"),
    ("1000200000000", "人民币壹万零贰亿元整"),
    ("1000000010000", "人民币壹万亿零壹万元整"),
    ("1000000000000000", "人民币壹仟万亿元整"),
    ("-1174.56", "人民币负壹仟壹佰柒拾肆元伍角陆分"),
]


@pytest.mark.parametrize(("amount", "said"), EXAMPLES)
def test_examples(amount: str, said: str) -> None:
    assert rmb_upper(Decimal(amount)) == said


@given(st.integers(1, 10**10 - 1))
def test_agrees_with_another_program_below_100_million(fen: int) -> None:
    amount = Decimal(fen) / 100
    theirs = cn2an.an2cn(str(amount), "rmb")
    ours = rmb_upper(amount).removeprefix("人民币")
    if fen // 10**6 % 10 == 0:
        # 万 is zero and 仟 is not: the regulation allows 贰拾万零壹仟 and 贰拾万壹仟; cn2an writes the second.
        ours = re.sub("万零(.仟)", r"万\1", ours)
    # 整 after 角 is optional.
    assert ours.removesuffix("整") == theirs.removesuffix("整")


def read_back(said: str) -> Decimal:
    """The amount that capitals stand for, read from the words alone."""
    text = said.removeprefix("人民币").removesuffix("整")
    sign = -1 if text.startswith("负") else 1
    whole, _, cents = text.removeprefix("负").rpartition("元")
    places = {"拾": 10, "佰": 100, "仟": 1000}
    total = section = digit = 0
    for letter in whole:
        if letter in places:
            section += digit * places[letter]
            digit = 0
        elif letter in "万亿":
            unit = 10**4 if letter == "万" else 10**8
            # 万 multiplies what stands in its section; 亿 all that stands before it.
            total, section, digit = (
                (total + (section + digit) * unit, 0, 0)
                if letter == "万"
                else ((total + section + digit) * unit, 0, 0)
            )
        else:
            digit = "零壹贰叁肆伍陆柒捌玖".index(letter)
    fen = sum(
        "零壹贰叁肆伍陆柒捌玖".index(figure) * (10 if place == "角" else 1)
        for figure, place in re.findall("(.)(角|分)", cents)
    )
    return sign * (Decimal(total + section + digit) + Decimal(fen) / 100)


@given(st.integers(-(10**17), 10**17))
@example(10**17)
@example(-1)
def test_reads_back(fen: int) -> None:
    amount = Decimal(fen).scaleb(-2)
    said = rmb_upper(amount)
    assert read_back(said) == amount
    assert "零零" not in said
    assert said.endswith(("分", "整"))


@pytest.mark.parametrize("amount", ["0.005", "1234.565", "123456789012345.0000000000000001"])
def test_refuses_parts_of_a_fen(amount: str) -> None:
    with pytest.raises(HesuanError, match="more than two decimals"):
        rmb_upper(Decimal(amount))


@pytest.mark.parametrize("amount", ["1000000000000000.01", "-1e16", "NaN", "Infinity"])
def test_refuses_what_is_no_amount(amount: str) -> None:
    with pytest.raises(HesuanError, match="10\\^15"):
        rmb_upper(Decimal(amount))
