"""One `sacct --json` document cut into its job elements, by byte, without reading their values.

The cut is made on the bytes and not by a JSON parser, for three reasons: an element that no parser accepts is
rejected alone with its own bytes, a document that breaks off can be told at which byte, and a document of any size
needs no tree in memory. Brackets are counted with numpy, block by block, so that the work stays in the cache.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import HesuanError

BLOCK_BYTES = 4 << 20
BOM = b"\xef\xbb\xbf"

_QUOTE, _BACKSLASH, _COMMA, _SPACE, _NEWLINE = b'"\\, \n'
_OPENS = tuple(b"{[")
_STRUCTURAL = np.zeros(256, dtype=np.bool_)
_STRUCTURAL[list(b'"\\{}[]')] = True
_JOBS_KEY = re.compile(rb'"jobs"\s*:\s*\Z')

# Depth of brackets: the document's object is 1, the list of jobs 2, a job's object 3.
_MEMBER, _ELEMENT = 2, 3

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """The job elements of a document.

    Attributes:
        source: one element per line in the document's order, each byte as it came, except that white space and
            control bytes (which JSON allows in no string) are blanks.
        starts, ends: where each element lies in `source`, [start, end), in bytes.
        rest: the document without its job elements, parsed: `meta`, `errors`, `warnings` …
    """

    source: bytes
    starts: Positions
    ends: Positions
    rest: dict[str, object]


@dataclass(frozen=True)
class _Brackets:
    """Brackets down to the elements' own, in the order of the document; depth is that inside an opening one."""

    at: Positions
    opens: NDArray[np.bool_]
    depth: Positions

    def opening(self, depth: int) -> Positions:
        """Where a bracket opens `depth`."""
        found: Positions = self.at[self.opens & (self.depth == depth)]
        return found

    def closing(self, depth: int) -> Positions:
        """Where a bracket closes `depth`."""
        found: Positions = self.at[~self.opens & (self.depth == depth)]
        return found


def split(data: bytes) -> Split:
    """Cut `data`, a whole document of `sacct --json`, into its job elements.

    Raises:
        HesuanError: `json.not_object`, `json.truncated`, `json.cut_outside`, `json.broken`, `json.trailing`,
            `json.no_jobs`, `json.two_jobs`; bytes are counted from 0 in `data`.
    """
    flat = np.frombuffer(data, dtype=np.uint8).copy()
    if data.startswith(BOM):
        flat[: len(BOM)] = _SPACE
    np.maximum(flat, _SPACE, out=flat)  # all control bytes; line ends among them
    first = _first_solid(flat, 0)
    if first is None or flat[first] != _OPENS[0]:
        raise HesuanError("json.not_object", seen=_seen(data, first or 0))
    brackets = _brackets(flat)
    _must_end(data, flat, brackets)
    opened, closed = _jobs(data, brackets)
    inside = (brackets.at > opened) & (brackets.at < closed) & (brackets.depth == _ELEMENT)
    starts, ends = brackets.at[inside & brackets.opens], brackets.at[inside & ~brackets.opens] + 1
    rest = _rest(flat[: opened + 1].tobytes() + flat[closed:].tobytes())
    _break_lines(flat, opened, starts, ends, closed)
    if not len(starts):
        return Split(b"", starts, ends, rest)
    base = int(starts[0])
    return Split(flat[base : int(ends[-1]) + 1].tobytes(), starts - base, ends - base, rest)


def _first_solid(flat: NDArray[np.uint8], start: int) -> int | None:
    """The first byte from `start` on that is no blank."""
    for begin in range(start, len(flat), BLOCK_BYTES):
        solid = np.flatnonzero(flat[begin : begin + BLOCK_BYTES] != _SPACE)
        if len(solid):
            return begin + int(solid[0])
    return None


def _seen(data: bytes, at: int) -> str:
    return repr(data[at : at + 24].decode("utf-8", "replace"))


def _brackets(flat: NDArray[np.uint8]) -> _Brackets:
    """All brackets outside strings, as deep as job elements."""
    parts: list[tuple[Positions, NDArray[np.bool_], Positions]] = []
    in_string, depth, start = 0, 0, 0
    while start < len(flat):
        end = min(start + BLOCK_BYTES, len(flat))
        while end < len(flat) and flat[end - 1] == _BACKSLASH:  # an escape is not torn apart
            end += 1
        block = flat[start:end]
        at = np.flatnonzero(_STRUCTURAL[block])
        char = block[at]
        quotes = (char == _QUOTE) & ~_escaped(at, char == _BACKSLASH)
        open_quotes = in_string + np.cumsum(quotes)
        bracket = (char != _QUOTE) & (char != _BACKSLASH) & (open_quotes % 2 == 0)
        opens = np.isin(char[bracket], _OPENS)
        after = depth + np.cumsum(np.where(opens, 1, -1))
        inner = np.where(opens, after, after + 1)
        shallow = inner <= _ELEMENT
        parts.append((at[bracket][shallow] + start, opens[shallow], inner[shallow]))
        in_string = int(open_quotes[-1]) % 2 if len(open_quotes) else in_string
        depth = int(after[-1]) if len(after) else depth
        start = end
    return _Brackets(*(np.concatenate([part[i] for part in parts]) for i in range(3)))


def _escaped(at: Positions, backslash: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the bytes `at` follow an odd run of backslashes."""
    order = np.arange(len(at))
    follows = np.zeros(len(at), dtype=np.bool_)
    follows[1:] = backslash[:-1] & (at[1:] == at[:-1] + 1)
    run_start = np.maximum.accumulate(np.where(backslash & ~follows, order, 0))
    odd = np.zeros(len(at), dtype=np.bool_)
    odd[1:] = (order[:-1] - run_start[:-1]) % 2 == 0
    return follows & odd


def _must_end(data: bytes, flat: NDArray[np.uint8], brackets: _Brackets) -> None:
    """Refuse a document that breaks off, or that something follows."""
    closed = brackets.closing(1)
    if len(closed):
        after = _first_solid(flat, int(closed[0]) + 1)
        if after is not None:
            raise HesuanError("json.trailing", at=after, seen=_seen(data, after))
        return
    lists = [int(at) for at in brackets.opening(_MEMBER) if _is_jobs(data, int(at))]
    if not lists:
        raise HesuanError("json.cut_outside", at=len(data), records=0)
    list_ends = brackets.closing(_MEMBER)
    until = int(min(list_ends[list_ends > lists[0]], default=len(data)))
    starts, ends = brackets.opening(_ELEMENT), brackets.closing(_ELEMENT)
    starts = starts[(starts > lists[0]) & (starts < until)]
    done = int(((ends > lists[0]) & (ends < until)).sum())
    if len(starts) > done:
        raise HesuanError("json.truncated", at=len(data), record=done + 1, start=int(starts[-1]))
    raise HesuanError("json.cut_outside", at=len(data), records=done)


def _is_jobs(data: bytes, opened: int) -> bool:
    """Whether the list that opens at `opened` is the value of "jobs"."""
    return data[opened] == _OPENS[1] and _JOBS_KEY.search(data, max(0, opened - 64), opened) is not None


def _jobs(data: bytes, brackets: _Brackets) -> tuple[int, int]:
    """Where the list of jobs opens and closes."""
    members = zip(brackets.opening(_MEMBER), brackets.closing(_MEMBER), strict=True)
    lists = [(int(opened), int(closed)) for opened, closed in members if _is_jobs(data, int(opened))]
    if len(lists) > 1:
        raise HesuanError("json.two_jobs", count=len(lists))
    if not lists:
        raise HesuanError("json.no_jobs", keys=", ".join(_rest(data)))
    return lists[0]


def _rest(skeleton: bytes) -> dict[str, object]:
    """The document without its jobs."""
    text = skeleton.decode("utf-8-sig", "replace")
    try:
        return dict(json.loads(text, strict=False))
    except json.JSONDecodeError as error:
        at = len(text[: error.pos].encode())
        raise HesuanError("json.broken", at=at, cause=error.msg) from error
    except RecursionError as error:
        raise HesuanError("json.broken", at=0, cause="brackets nested too deep") from error


def _break_lines(
    flat: NDArray[np.uint8], opened: int, starts: Positions, ends: Positions, closed: int
) -> None:
    """Put each element on its own line: what lies between two of them must be one comma and white space."""
    gap_starts = np.concatenate(([opened + 1], ends))
    gap_ends = np.concatenate((starts, [closed]))
    sizes = gap_ends - gap_starts
    bounds = np.cumsum(sizes)
    at = np.arange(int(bounds[-1])) + np.repeat(gap_ends - bounds, sizes)
    chars = flat[at]
    commas = np.diff(np.concatenate(([0], np.cumsum(chars == _COMMA)))[np.concatenate(([0], bounds))])
    wanted = np.ones(len(sizes), dtype=np.int64)
    wanted[[0, -1]] = 0
    foreign = at[(chars != _COMMA) & (chars != _SPACE)]
    wrong = np.concatenate((foreign, gap_starts[commas != wanted]))
    if len(wrong):
        raise HesuanError(
            "json.broken", at=int(wrong.min()), cause="a job record must stand here, between commas"
        )
    flat[at] = _SPACE
    flat[ends] = _NEWLINE
