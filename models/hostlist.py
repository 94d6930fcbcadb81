"""Slurm's host lists: `n[01-03,7]-ib,login1` names the hosts n01-ib, n02-ib, n03-ib, n7-ib and login1."""

from __future__ import annotations

import re
from itertools import product

import duckdb

from models.reference_table import fill

# No cluster has more nodes; a range beyond it is a damaged text.
MOST_HOSTS = 65_536

_WORD = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_NOBODY = frozenset({"", "None assigned", "None", "(null)", "N/A"})


def expand(text: str) -> tuple[str, ...] | None:
    """The hosts of a host list in its order, each once; () for nobody; None where the text cannot be read."""
    text = text.strip()
    if text in _NOBODY:
        return ()
    words = _WORD.findall(text)
    if ",".join(words) != text or text.startswith("("):
        return None
    hosts: dict[str, None] = {}
    for word in words:
        named = _word(word)
        if named is None or len(hosts) + len(named) > MOST_HOSTS:
            return None
        hosts |= dict.fromkeys(named)
    return tuple(hosts)


def _word(word: str) -> list[str] | None:
    """The hosts of one word, such as `rack[1-2]n[01-04]`."""
    choices: list[list[str]] = []
    count = 1
    for inside, plain in _PART.findall(word):
        numbers = [plain] if plain else _numbers(inside)
        if not numbers:
            return None
        count *= len(numbers)
        if count > MOST_HOSTS:
            return None
        choices.append(numbers)
    return ["".join(parts) for parts in product(*choices)]


def _numbers(inside: str) -> list[str] | None:
    """The numbers between brackets, as wide as the first of each range is written."""
    found: list[str] = []
    for each in inside.split(","):
        match = _RANGE.fullmatch(each)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= MOST_HOSTS:
            return None
        found += [f"{number:0{len(match[1])}d}" for number in range(first, last + 1)]
    return found


def create_hostlists(con: duckdb.DuckDBPyConnection) -> None:
    """Fill ref_hostlist (node_list, node, place): each distinct text of core_run once; place counts from 0.

    A text that names nobody or cannot be read has no row.
    """
    texts = [text for (text,) in con.execute("SELECT DISTINCT node_list FROM core_run ORDER BY 1").fetchall()]
    fill(
        con,
        "ref_hostlist",
        "node_list VARCHAR, node VARCHAR, place INTEGER",
        ((text, node, place) for text in texts for place, node in enumerate(expand(text) or ())),
    )
