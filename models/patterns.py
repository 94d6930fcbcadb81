"""Patterns of prices and rules: exact words in which `*` stands for any characters, also none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# Stands for whatever a star may stand for: no word of a file holds it.
_ANY = "\0"


@lru_cache(maxsize=4096)
def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in re.split(r"\*+", pattern)), re.DOTALL)


def matches(pattern: str, word: str) -> bool:
    """Whether `word` is one of the words that `pattern` means; case counts."""
    return _form(pattern).fullmatch(word) is not None


def covers(wide: str, narrow: str) -> bool:
    """Whether every word that `narrow` means is also meant by `wide`.

    A star of `narrow` can stand for a character that `wide` does not name, so only a star of `wide` can take it in:
    `narrow`, its stars read as such a character, must be a word of `wide`.
    """
    return matches(wide, narrow.replace("*", _ANY))


def covers_all(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """`covers` in every place of two rows of patterns of the same length."""
    return all(covers(w, n) for w, n in zip(wide, narrow, strict=True))


def like(pattern: str) -> str:
    """A pattern with `*` as SQL LIKE text whose escape is `!`."""
    return pattern.replace("!", "!!").replace("%", "!%").replace("_", "!_").replace("*", "%")
