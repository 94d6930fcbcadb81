"""Where things stand in a TOML text: the line of every key, table and array element.

`tomllib` says what a document means but not where; a message to a person needs the line. `lines_of` walks a text
that `tomllib` has already accepted, so it only has to find its way through valid TOML (1.0, and the inline tables
over several lines of 1.1), never to judge it.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

TomlPath = tuple[str | int, ...]
"""Place of a value as `tomllib.loads` nests it: keys of tables, indices of arrays; () is the document."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
# Up to two quotes more than three end a multi-line string: they are its last characters.
_STRING = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}'''  # multi-line, with escapes
    r"""|'{3}.*?'{3,5}"""
    r'''|"(?:\\.|[^"\\])*"'''
    r"""|'[^']*'""",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")
_KEY = re.compile(r"""[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[^\s.=\[\]"']+)[ \t]*""")


def lines_of(text: str) -> dict[TomlPath, int]:
    """Line (from 1) of every table, key and array element of a valid TOML text.

    A table stands where its header is, one that only dotted keys or longer headers imply where the first of them is,
    an element of an array where it begins, a value where its key is.
    """
    scan = _Scan(text, [0, *(found.end() for found in re.finditer("\n", text))])
    scan.document()
    return scan.lines


def line_at(lines: Mapping[TomlPath, int], path: TomlPath) -> int:
    """Line of `path`, or of the innermost table or array around it when `path` itself was not written."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


@dataclass
class _Scan:
    """A walk through one text; `place` is how far it has come."""

    text: str
    line_starts: list[int]
    place: int = 0
    lines: dict[TomlPath, int] = field(default_factory=dict)
    table_counts: dict[TomlPath, int] = field(default_factory=dict)

    def document(self) -> None:
        table: TomlPath = ()
        self._skip_blank()
        while self.place < len(self.text):
            if self.text[self.place] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip_blank()

    def _header(self) -> TomlPath:
        """`[a.b]` or `[[a.b]]`: the path of the table that it opens."""
        line = self._line()
        brackets = 2 if self.text.startswith("[[", self.place) else 1
        self.place += brackets
        keys = self._keys()
        self.place += brackets
        path: TomlPath = ()
        for key in keys[:-1]:
            path = self._imply((*path, key), line)
        path = (*path, keys[-1])
        if brackets == 2:
            self.lines.setdefault(path, line)
            index = self.table_counts.get(path, 0)
            self.table_counts[path] = index + 1
            path = (*path, index)
        self.lines[path] = line
        return path

    def _imply(self, path: TomlPath, line: int) -> TomlPath:
        """A table on the way to a deeper one; of an array of tables the last element so far is meant."""
        self.lines.setdefault(path, line)
        return (*path, self.table_counts[path] - 1) if path in self.table_counts else path

    def _pair(self, table: TomlPath) -> None:
        """`a.b = value` inside `table`."""
        line = self._line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.place += 1  # the equals sign
        self._skip_blank()
        self._value(path)

    def _value(self, path: TomlPath) -> None:
        opening = self.text[self.place]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            found = (_STRING if opening in "\"'" else _SCALAR).match(self.text, self.place)
            self.place = found.end() if found else len(self.text)

    def _array(self, path: TomlPath) -> None:
        index = 0
        while self._next_item("]"):
            self.lines[(*path, index)] = self._line()
            self._value((*path, index))
            index += 1

    def _inline_table(self, path: TomlPath) -> None:
        while self._next_item("}"):
            self._pair(path)

    def _next_item(self, closing: str) -> bool:
        """Step over the opening bracket or a comma to the next item; False: stepped over `closing`."""
        self._skip_blank()
        if self.text[self.place] in "[{,":
            self.place += 1
            self._skip_blank()
        if self.text[self.place] != closing:
            return True
        self.place += 1
        return False

    def _keys(self) -> list[str]:
        """A dotted key, its parts without quotes."""
        keys: list[str] = []
        while found := _KEY.match(self.text, self.place):
            self.place = found.end()
            keys.append(_unquoted(found[1]))
            if not self.text.startswith(".", self.place):
                break
            self.place += 1
        return keys

    def _skip_blank(self) -> None:
        found = _BLANK.match(self.text, self.place)
        self.place = found.end() if found else self.place

    def _line(self) -> int:
        return bisect_right(self.line_starts, self.place)


def _unquoted(key: str) -> str:
    """A key as it is meant: `tomllib` resolves quotes and escapes."""
    return str(tomllib.loads(f"key = {key}")["key"]) if key[0] in "\"'" else key
