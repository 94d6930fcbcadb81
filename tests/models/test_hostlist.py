"""Host lists as Slurm writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.hostlist import expand


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n01", ("n01",)),
        ("b04-[09-10]", ("b04-09", "b04-10")),
        ("n[01-03,7]-ib,login1", ("n01-ib", "n02-ib", "n03-ib", "n7-ib", "login1")),
        ("r[1-2]n[08-09]", ("r1n08", "r1n09", "r2n08", "r2n09")),
        ("n[098-101]", ("n098", "n099", "n100", "n101")),
        ("a,a,b", ("a", "b")),
        ("", ()),
        ("None assigned", ()),
        ("(unknown)", None),
        ("n[1-", None),
        ("n[3-1]", None),
        ("n[1-x]", None),
        ("n[1-9999999]", None),
        ("n[1-999]x[1-999]", None),
        ("n]1[", None),
        ("a,,b", None),
    ],
)
def test_expand(text: str, hosts: tuple[str, ...] | None) -> None:
    assert expand(text) == hosts


@given(st.lists(st.integers(0, 300), min_size=1, max_size=20, unique=True))
def test_numbers_one_by_one_are_the_list(numbers: list[int]) -> None:
    assert expand(f"n[{','.join(map(str, numbers))}]") == tuple(f"n{number}" for number in numbers)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    hosts = expand(text)
    assert hosts is None or len(set(hosts)) == len(hosts)
