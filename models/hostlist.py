"""Slurm's host lists: `n[01-03,7]-ib,login1` names the hosts n01-ib, n02-ib, n03-ib, n7-ib and login1."""

from __future__ import annotations

import re
from itertools import product

import duckdb
import pyarrow as pa

# No cluster has more nodes (slurm.h: MAX_SLURM_NODES); a range beyond it is a damaged text.
MOST_HOSTS = 65_536
# Texts expanded at a time, so that memory does not grow with a site's history.
TEXTS_AT_ONCE = 20_000

_WORD = re.compile(r"(?:[^\s,()\[\]]|\[[^\[\]]*\])+")
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
# What Slurm writes for a job without nodes, or with nodes that it does not know.
_NOBODY = frozenset({"", "None assigned", "None", "(null)", "N/A", "(unknown)"})


def expand(hostlist: str) -> tuple[str, ...] | None:
    """The hosts that a host list names, in its order, each once.

    A number is as wide as the first of its range is written: `[08-11]` is 08, 09, 10, 11.

    Args:
        hostlist: the text of sacct's NodeList, or of Nodes in scontrol.

    Returns:
        The hosts; () where Slurm says that there are none or that it does not know them; None where the text cannot
        be read or names more than `MOST_HOSTS`.
    """
    text = hostlist.strip()
    if text in _NOBODY:
        return ()
    words = _WORD.findall(text)
    if ",".join(words) != text:
        return None
    hosts: dict[str, None] = {}
    for word in words:
        named = _hosts_of(word)
        if named is None:
            return None
        hosts |= dict.fromkeys(named)
        if len(hosts) > MOST_HOSTS:
            return None
    return tuple(hosts)


def _hosts_of(word: str) -> list[str] | None:
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
    """The numbers between brackets."""
    found: list[str] = []
    for each in inside.split(","):
        match = _RANGE.fullmatch(each)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first + len(found) >= MOST_HOSTS:
            return None
        found += [f"{number:0{len(match[1])}d}" for number in range(first, last + 1)]
    return found


def create_hostlists(con: duckdb.DuckDBPyConnection) -> None:
    """Fill ref_hostlist (node_list, node, place): each distinct text is expanded once; place counts from 0.

    The texts are those of the period's runs (core_run, filled before) and of all reservations. A text that names
    nobody or cannot be read has no row.
    """
    con.execute("CREATE TABLE ref_hostlist (node_list VARCHAR, node VARCHAR, place INTEGER)")
    found = con.execute(
        "SELECT node_list FROM core_run UNION SELECT nodes FROM raw.raw_reservation ORDER BY 1"
    ).fetchall()
    texts = [text for (text,) in found]
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = texts[start : start + TEXTS_AT_ONCE]
        con.register("rows_of_hosts", pa.table({"node_list": some, "hosts": [expand(t) or () for t in some]}))
        con.execute(
            """INSERT INTO ref_hostlist
               SELECT node_list, UNNEST(hosts), UNNEST(RANGE(LEN(hosts))) FROM rows_of_hosts WHERE LEN(hosts) > 0"""
        )
        con.unregister("rows_of_hosts")
