"""How a sacct text file is laid out: which columns, in which order, by which delimiter, with which line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ingest.sacct_fields import KEPT, KINDS, Kind, canonical
from models.errors import HesuanError

BOM = b"\xef\xbb\xbf"
# Tried in this order where no header names the columns: those that no text contains come first.
DELIMITERS = (b"\x1f", b"^|^", b";|;", b"|#", b"||", b"\x1e", b"\x01", b"\t", b"|", b"^", b";", b",")
SAMPLE_LINES = 200
_NAME = re.compile(rb"[A-Za-z][A-Za-z_]*(%-?\d+)?")
_HEADER = re.compile(rb"[A-Za-z]+(?:%-?\d+)?([^A-Za-z0-9%\s_][^A-Za-z0-9%\s_]*|\t)[A-Za-z]")
_KEY_VALUE = re.compile(rb'"?(\w+)=[^,\n]*,"?\w+=')


@dataclass(frozen=True)
class Layout:
    """The shape of one file.

    Attributes:
        names: columns as sacct spells them, in the file's order.
        delimiter: one or several bytes.
        terminated: every record ends in a delimiter (sacct -p).
        crlf: lines end in CR LF, some of them at least.
        header: the header line without its line end, empty where there is none.
        skip_bytes: where the first record begins.
    """

    names: tuple[str, ...]
    delimiter: bytes
    terminated: bool
    crlf: bool
    header: bytes
    skip_bytes: int

    @property
    def delimiters_count(self) -> int:
        """Delimiters of a record whose texts hold none."""
        return len(self.names) - (0 if self.terminated else 1)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """What each column may look like; a column of an unknown name is a word."""
        return tuple(KINDS.get(name, "word") for name in self.names)

    @cached_property
    def kept(self) -> dict[str, int]:
        """The name by sacct of each column that is read -> its place."""
        found = {name: place for place, name in enumerate(self.names)}
        return {
            name: found[name]
            for choice in KEPT.values()
            if (name := next((one for one in choice if one in found), None)) is not None
        }


def key_value_marker(head: bytes) -> bytes | None:
    """The bytes with which each record of a key=value CSV begins (`v=`), or None for another format."""
    found = _KEY_VALUE.match(head.removeprefix(BOM))
    return found.group(1) + b"=" if found else None


def _first_line(head: bytes) -> tuple[bytes, int]:
    """The first line without its line end, and where the next begins; a BOM is passed over."""
    start = len(BOM) if head.startswith(BOM) else 0
    end = head.find(b"\n", start)
    stop = len(head) if end < 0 else end
    return head[start:stop].removesuffix(b"\r"), min(stop + 1, len(head))


def _split_header(line: bytes) -> tuple[list[str], bytes, bool] | None:
    """Names, delimiter and trailing delimiter of a header line; None where it is none."""
    found = _HEADER.match(line)
    if found is None:
        return None
    delimiter = found.group(1)
    terminated = line.endswith(delimiter)
    parts = line.removesuffix(delimiter).split(delimiter)
    if not all(_NAME.fullmatch(part) for part in parts):
        return None
    names = [canonical(part.decode("ascii")) for part in parts]
    known = sum(name in KINDS for name in names)
    return (names, delimiter, terminated) if known >= 2 and 2 * known >= len(names) else None


def _delimiter(lines: Sequence[bytes], columns_count: int) -> tuple[bytes, bool] | None:
    """The delimiter by which most of `lines` have `columns_count` fields, and whether it also ends them."""
    if columns_count < 2:
        return None
    best: tuple[int, bytes, bool] = (0, b"", False)
    for delimiter in DELIMITERS:
        seen = Counter((line.count(delimiter), line.endswith(delimiter)) for line in lines)
        plain = seen[columns_count - 1, False] + seen[columns_count - 1, True]
        ended = seen[columns_count, True]
        count = max(plain, ended)
        if count > best[0]:
            best = (count, delimiter, ended > plain)
    return best[1:] if best[0] else None


def _need(names: Sequence[str], file: Path) -> None:
    """Refuse columns that name a field twice or lack one that a bill cannot do without.

    Raises:
        HesuanError: naming the field and the fix.
    """
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise HesuanError("ingest.column_twice", path=file, column=twice)
    for choice in (
        ("JobIDRaw", "JobID"),
        ("State",),
        ("Start",),
        ("End",),
        ("AllocTRES", "AllocCPUS", "NCPUS"),
    ):
        if not set(choice) & set(names):
            raise HesuanError("ingest.column_missing", path=file, column=choice[0], columns=",".join(names))


def find_layout(head: bytes, file: Path, columns: Sequence[str] | None) -> Layout:
    """The layout of a sacct text file.

    Args:
        head: its first bytes, uncompressed.
        file: for messages.
        columns: the columns of a file without a header line. They also win over a header line, which is then
            passed over: the way to read a file that names a column twice.

    Raises:
        HesuanError: it is no sacct text, or a column that a bill needs is missing or stands twice.
    """
    line, after = _first_line(head)
    found = _split_header(line)
    names = [canonical(name) for name in columns] if columns else None
    if found is not None:
        header, skip = line, after
        own, delimiter, terminated = found
        if names is not None and len(names) != len(own):
            raise HesuanError(
                "ingest.columns_count", path=file, given=len(names), found=len(own), header=",".join(own)
            )
        names = names or own
    else:
        header, skip = b"", len(BOM) if head.startswith(BOM) else 0
        if names is None:
            key = "ingest.fixed_width" if re.match(rb"\s*JobID\w*\s+\w+", line) else "ingest.not_sacct"
            raise HesuanError(key, path=file, seen=_shown(head))
        lines = head[skip:].split(b"\n")[:SAMPLE_LINES]
        split = _delimiter([one.removesuffix(b"\r") for one in lines if one.strip()], len(names))
        if split is None and head[skip:].strip():
            raise HesuanError("ingest.delimiter", path=file, count=len(names), seen=_shown(line))
        delimiter, terminated = split or (b"|", False)
    _need(names, file)
    return Layout(tuple(names), delimiter, terminated, b"\r\n" in head, header, skip)


def _shown(head: bytes) -> str:
    """The first bytes, for a message: text as it is, the rest as escapes."""
    return ascii(head[:60].decode("utf-8", "backslashreplace")) if not head.isascii() else repr(head[:60])[1:]
