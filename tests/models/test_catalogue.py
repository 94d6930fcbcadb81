"""The catalogue of words: everything in both languages, with the same {names}, and every key that is used there."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from models.catalogue import LANGUAGES, entries

ROOMS = ("hesuan", "ingest", "models", "reports", "dashboard")
# A day is written with the month's number in Chinese and with its name in English: the caller gives both.
OWN_NAMES = {"bill.chart_day"}
ROOT = Path(__file__).resolve().parents[2]


def _names(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _raised() -> dict[str, str]:
    """Keys that the sources raise as errors -> where."""
    found = {}
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py")):
        for key in re.findall(r'HesuanError\(\s*"([a-z_]+\.[a-z_]+)"', file.read_text(encoding="utf-8")):
            found[key] = str(file.relative_to(ROOT))
    return found


@pytest.mark.parametrize("key", sorted(entries()))
def test_a_text_stands_in_both_languages_and_names_the_same(key):
    texts = entries()[key]
    assert set(texts) == set(LANGUAGES)
    assert all(text.strip() for text in texts.values())
    if key not in OWN_NAMES:
        assert _names(texts["zh"]) == _names(texts["en"])


def test_every_error_that_is_raised_has_its_text():
    raised = _raised()
    assert len(raised) > 40
    assert {key: where for key, where in raised.items() if key not in entries()} == {}


def test_an_error_ends_with_what_to_do():
    # A text of one sentence says what is wrong and leaves its reader there.
    for key in _raised():
        for lang, ends in (("zh", "。；：，"), ("en", ".:;,")):
            said = re.sub(r"\{\w+\}", "x", entries()[key][lang])
            assert sum(said.count(end) for end in ends) >= 2, (key, lang)
