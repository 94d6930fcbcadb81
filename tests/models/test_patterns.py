"""Patterns with `*`: against fnmatch as another reading of the same rule, and what it means to cover."""

from __future__ import annotations

from fnmatch import fnmatchcase

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from models.patterns import covers, covers_all, matches

words = st.text(st.sampled_from("ab.%_"), max_size=6)
patterns = st.text(st.sampled_from("ab.*"), min_size=1, max_size=6)


@given(patterns, words)
def test_a_star_is_any_characters(pattern: str, word: str):
    assert matches(pattern, word) == fnmatchcase(word, pattern)


@given(patterns, words)
def test_sql_reads_a_pattern_alike(pattern: str, word: str):
    like = pattern.replace("*", "%")
    assert duckdb.execute("SELECT ? LIKE ? ESCAPE '!'", [word, like]).fetchone() == (matches(pattern, word),)


@given(patterns, patterns, st.lists(words, min_size=2, max_size=2))
def test_what_is_covered_is_matched(wide: str, narrow: str, fillings: list[str]):
    """Any word of a covered pattern is a word of the wide one; of one not covered some word is not."""
    some = ["".join(part + filling for part in narrow.split("*")) for filling in fillings]
    mine = [
        word for word in [narrow.replace("*", ""), narrow.replace("*", "#"), *some] if matches(narrow, word)
    ]
    assert mine
    if covers(wide, narrow):
        assert all(matches(wide, word) for word in mine)
    else:
        assert not matches(wide, narrow.replace("*", "#"))


def test_rows_are_covered_in_every_place():
    assert covers_all(("*", "gpu:*"), ("c1", "gpu:a100"))
    assert not covers_all(("*", "gpu:a100"), ("c1", "gpu:*"))
    assert not covers_all(("c2", "gpu:*"), ("c1", "gpu:*"))
