"""The lines of a chunk of text, found with numpy; which of them are regular, and their text made readable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ingest.sacct_layout import Layout

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_NEWLINE, _RETURN = 0x0A, 0x0D
_BLOCK = 4 << 20  # scanned at once: fits the processor's cache, so no pages are touched twice
_REPLACEMENT = "\ufffd".encode()
_STAND_INS = tuple(byte for byte in (0x1F, 0x1E, 0x1D, 0x1C, *range(1, 9), *range(0x0E, 0x1C)))


@dataclass(frozen=True)
class Lines:
    """Lines of `data`, without their newlines: line i is data[starts[i]:ends[i]]."""

    data: bytes
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, place: int) -> bytes:
        return self.data[self.starts[place] : self.ends[place]]

    def first(self, count: int) -> Lines:
        """The first `count` lines; the data stay as they are."""
        return Lines(self.data, self.starts[:count], self.ends[:count])

    def joined(self, first: int, last: int) -> bytes:
        """The bytes from line `first` to line `last`, newlines between them included."""
        return self.data[self.starts[first] : self.ends[last]]


def find(data: bytes, byte: int) -> Places:
    """Where `byte` stands in `data`."""
    view = np.frombuffer(data, np.uint8)
    found = [
        np.flatnonzero(view[start : start + _BLOCK] == byte) + start for start in range(0, len(view), _BLOCK)
    ]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def split_lines(data: bytes) -> Lines:
    """Lines of `data`; a last line without a newline is one too."""
    ends = find(data, _NEWLINE)
    if len(data) and not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1]) if len(ends) else ends
    return Lines(data, starts, ends)


@dataclass(frozen=True)
class Readable:
    """The same lines as valid UTF-8 with one delimiter byte, for a fast CSV reader.

    Attributes:
        lines: as many as before, in the same order.
        separator: the delimiter's stand-in.
        regular: true for lines with exactly the delimiters of a record.
        repaired_line: the first line with bytes that were no UTF-8, or NUL, and stand as U+FFFD; None where there
            is none.
    """

    lines: Lines
    separator: bytes
    regular: Mask
    repaired_line: int | None


def _stand_in(data: bytes, delimiter: bytes) -> int | None:
    """A byte that `data` does not hold, or the delimiter itself where it is one byte."""
    if len(delimiter) == 1:
        return delimiter[0]
    return next((byte for byte in _STAND_INS if byte not in data), None)


def readable(lines: Lines, layout: Layout) -> Readable:
    """Lines for the fast way. Where no stand-in for a long delimiter is free, none of them is regular."""
    text = lines.data
    byte = _stand_in(text, layout.delimiter)
    if byte is None:
        return Readable(lines, b"\0", np.zeros(len(lines), np.bool_), repaired_line=None)
    if layout.crlf:
        text = text.replace(b"\r\n", b"\n")
    separator = bytes([byte])
    if separator != layout.delimiter:
        text = text.replace(layout.delimiter, separator)
    bad = first_bad(text)
    repaired_line = None if bad is None else text.count(b"\n", 0, bad)
    if bad is not None:
        text = text.decode("utf-8", "replace").encode().replace(b"\0", _REPLACEMENT)
    own = lines if text is lines.data else split_lines(text).first(len(lines))
    counts = np.diff(np.searchsorted(find(text, byte), own.ends), prepend=0)
    regular = counts == layout.delimiters_count
    if layout.terminated:
        last = np.frombuffer(text, np.uint8)[np.maximum(own.ends - 1, 0)]
        regular &= last == byte
    # A CSV reader takes a CR at the end of any field for a line end's and drops it.
    if b"\r" in text:
        returns = np.searchsorted(own.ends, find(text, _RETURN))
        regular[returns[returns < len(own)]] = False
    return Readable(own, separator, regular, repaired_line)


def first_bad(text: bytes) -> int | None:
    """Where the first NUL or the first byte that is no UTF-8 stands."""
    zero = text.find(b"\0")
    bad = [] if zero < 0 else [zero]
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            bad.append(error.start)
    return min(bad, default=None)


def only(lines: Lines, wanted: Mask) -> bytes:
    """The bytes of the wanted lines, each with its newline. `lines` are the first of their data, all in a row."""
    edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False))
    stop = int(lines.ends[-1]) + 1 if len(lines) else 0
    data = lines.data if len(lines.data) >= stop else lines.data + b"\n"
    runs = list(
        zip(lines.starts[edges[::2]].tolist(), (lines.ends[edges[1::2] - 1] + 1).tolist(), strict=True)
    )
    if len(runs) == 1:
        return data[runs[0][0] : runs[0][1]]
    view = memoryview(data)
    return b"".join(view[start:end] for start, end in runs)
