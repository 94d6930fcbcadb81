"""The words of configuration faults: two languages that name the same things, each with a next step."""

from __future__ import annotations

import string

import pytest

from models.catalogue import entries
from models.toml_file import nearest, shown

TEXTS = {key: texts for key, texts in entries().items() if key.split(".")[0] in {"toml", "tariff", "site"}}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_both_languages_name_the_same(key):
    assert set(TEXTS[key]) == {"zh", "en"}
    assert fields(TEXTS[key]["zh"]) == fields(TEXTS[key]["en"])


@pytest.mark.parametrize("key", sorted(set(TEXTS) - {"toml.at"}))
def test_each_text_ends_with_a_full_stop_and_does_not_shout(key):
    assert TEXTS[key]["zh"].endswith("。")
    assert TEXTS[key]["en"].endswith(".")
    assert "!" not in TEXTS[key]["en"] + TEXTS[key]["zh"]
    assert "！" not in TEXTS[key]["zh"]


def test_nearest_knows_no_case_and_no_far_words():
    assert nearest("NODE_FAIL", ("failed", "node_fail")) == "node_fail"
    assert nearest("colour", ("id", "price")) is None


def test_shown_as_the_file_has_it():
    assert [shown(value) for value in (True, 3, "a", {}, [1])] == ["true", "3", '"a"', "{…}", "[…]"]
    assert len(shown("x" * 100)) == 40
