"""A configuration file in TOML: read, checked table by table, every fault collected with its line.

A reader opens the file, checks each table against a pydantic model, adds what it finds itself, and stops once at the
end, so that a person sees all faults of a file together and not one after the other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from models.catalogue import text
from models.errors import HesuanError
from models.toml_source import TomlPath, line_at, lines_of

SHOWN_LENGTH = 40
# What an input method in Chinese mode leaves behind, where TOML wants the ASCII sign.
FULL_WIDTH = re.compile("[“”‘’，＝：；．。【】［］｛｝＃\u3000\uff10-\uff19]")

Table = Mapping[str, object]
TableModel = TypeVar("TableModel", bound="TomlTable")


class TomlTable(BaseModel):
    """What one table may hold. Nothing is converted: a number in quotes is text."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """Its keys as the file writes them: a field whose key is a word of Python has that as its alias."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())


@dataclass(frozen=True)
class Fault:
    """One thing wrong in the file: its line (from 1), the catalogue key, what the text of that key names.

    A value that is a tuple of words is printed as a list in the reader's language.
    """

    line: int
    key: str
    values: tuple[tuple[str, object], ...]

    def text(self, lang: str) -> str:
        """What is wrong and what to do, without the place."""
        return text(self.key, lang, **{name: _listed(value, lang) for name, value in self.values})


def fault(at_line: int, key: str, **values: object) -> Fault:
    """A fault at a line, what its text names given by name."""
    return Fault(at_line, key, tuple(values.items()))


class TomlError(HesuanError):
    """All faults of one file. `key` and `values` are the first one's; the text has a line for each, in file order."""

    def __init__(self, path: Path, faults: Collection[Fault]) -> None:
        self.path = path
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        super().__init__(self.faults[0].key, **dict(self.faults[0].values))
        self.args = (self.text("en"),)

    def text(self, lang: str) -> str:
        """A line for each fault: file, line, what is wrong, what to do."""
        return "\n".join(
            text("toml.at", lang, path=self.path, line=fault.line, fault=fault.text(lang))
            for fault in self.faults
        )


@dataclass
class TomlFile:
    """An open file: what it says, where it says it, and the faults found so far.

    Attributes:
        homes: for each kind of table, as a person would write its header ("" is the file's beginning), the keys
            that it knows; a key in the wrong table is then sent home.
        meant: places for which a misspelt key seems to stand; they are not called missing too.
    """

    path: Path
    data: Table
    lines: Mapping[TomlPath, int]
    homes: Mapping[str, Collection[str]]
    faults: list[Fault] = field(default_factory=list)
    meant: set[TomlPath] = field(default_factory=set)

    def add(self, at: TomlPath, key: str, **values: object) -> None:
        """Note a fault of the catalogue's `key` at the place `at`."""
        self.faults.append(fault(self.line(at), key, **values))

    def line(self, at: TomlPath) -> int:
        """Line of the place, or of the table around it."""
        return line_at(self.lines, at)

    def rows(self, table: Table, key: str, at: TomlPath) -> Iterator[tuple[TomlPath, Table]]:
        """Place and table of each [[…key]] of `table`, which stands at `at`; what is not a table is a fault."""
        found = table.get(key, [])
        header = ".".join([*(str(part) for part in at if isinstance(part, str)), key])
        if not isinstance(found, list):
            self.add((*at, key), "toml.not_rows", header=header)
            return
        for index, row in enumerate(found):
            place = (*at, key, index)
            if isinstance(row, dict):
                yield place, row
            else:
                self.add(place, "toml.not_rows", header=header)

    def part(self, table: Table, key: str, at: TomlPath) -> tuple[TomlPath, Table]:
        """Place and table of [… .key]; empty where it was left out or is not a table, which is a fault."""
        found = table.get(key, {})
        place = (*at, key)
        if isinstance(found, dict):
            return place, found
        header = ".".join(str(part) for part in place if isinstance(part, str))
        self.add(place, "toml.not_table", header=header)
        return place, {}

    def check(
        self, model: type[TableModel], at: TomlPath, table: Table, nested: Collection[str] = ()
    ) -> TableModel | None:
        """The table at `at` as `model`, or None with its faults noted. `nested` tables are left to the caller."""
        own = model.known_keys()
        known = (*own, *nested)
        for key, value in table.items():
            if key not in known:
                self.add_unknown((*at, key), key, known, is_table=isinstance(value, dict | list))
        try:
            return model.model_validate({key: value for key, value in table.items() if key in own})
        except ValidationError as error:
            for found in error.errors(include_url=False):
                if found["type"] == "missing" and (*at, *found["loc"]) in self.meant:
                    continue
                key = _PYDANTIC.get(found["type"], found["type"])
                named = {
                    "name": _dotted(found["loc"]),
                    "value": shown(found["input"]),
                    **found.get("ctx", {}),
                }
                self.add((*at, *found["loc"]), key, **named)
            return None

    def check_days(self, at: TomlPath, valid_from: date | None, valid_to: date | None) -> bool:
        """Whether [valid_from, valid_to) of the table at `at` holds a day; None is open."""
        if valid_from is None or valid_to is None or valid_from < valid_to:
            return True
        self.add((*at, "valid_to"), "toml.period_order", valid_from=valid_from, valid_to=valid_to)
        return False

    def add_unknown(self, at: TomlPath, key: str, known: Collection[str], *, is_table: bool = False) -> None:
        """A key that its table does not know: sent home, or read as the nearest one that is known."""
        # The homes are those of plain keys: a table of such a name is rather a slip in its header.
        homes = {} if is_table and nearest(key, known) else self.homes
        home = next((header for header, keys in homes.items() if key in keys), None)
        if home:
            self.add(at, "toml.misplaced", name=key, home=home)
        elif home is not None:
            self.add(at, "toml.misplaced_top", name=key)
        elif close := nearest(key, known):
            self.meant.add((*at[:-1], close))
            self.add(at, "toml.unknown_near", name=key, near=close)
        else:
            self.add(at, "toml.unknown", name=key, known=tuple(known))


# Kinds of pydantic error that these models can give -> keys of the catalogue; our own kinds are keys.
_PYDANTIC = {
    "missing": "toml.missing",
    "string_type": "toml.not_text",
    "int_type": "toml.not_integer",
    "list_type": "toml.not_list",
    "bool_type": "toml.not_flag",
    "dict_type": "toml.not_inline",
}


def read_toml(path: Path, homes: Mapping[str, Collection[str]], no_file: HesuanError) -> TomlFile:
    """Open and parse `path`: UTF-8, with or without a byte order mark. Numbers with a point come as Decimal.

    Raises:
        HesuanError: `no_file` where there is none, or the file cannot be read.
        TomlError: it is not UTF-8 or not TOML; line, and what is likely wrong.
    """
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise no_file from error
    except OSError as error:
        raise HesuanError("toml.unreadable", path=path, cause=error.strerror) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TomlError(path, [fault(line, "toml.not_utf8")]) from error
    try:
        data = tomllib.loads(content, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TomlError(path, [_syntax_fault(content, str(error))]) from error
    return TomlFile(path, data, lines_of(content), homes)


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known word that `word` was likely meant to be, if any is near; case is no distance."""
    lowered = {known_word.lower(): known_word for known_word in known}
    found = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[found[0]] if found else None


def shown(value: object) -> str:
    """A value as the file has it, cut to a length that fits a message."""
    match value:
        case str():
            words = f'"{value}"'
        case Decimal():
            words = f"{value:f}"
        case bool():
            words = str(value).lower()
        case datetime() | date() | time():
            words = value.isoformat()
        case dict():
            words = "{…}"
        case list():
            words = "[…]"
        case _:
            words = str(value)
    return words if len(words) <= SHOWN_LENGTH else f"{words[: SHOWN_LENGTH - 1]}…"


def _listed(value: object, lang: str) -> object:
    return {"zh": "、", "en": ", "}[lang].join(value) if isinstance(value, tuple) else value


def _dotted(place: TomlPath) -> str:
    """`accelerators[2]` for ("accelerators", 2), counted from 1 as people do; `max_of.cpu` for ("max_of", "cpu")."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(
        "."
    )


def _syntax_fault(content: str, cause: str) -> Fault:
    """What `tomllib` says, with the line and the usual reasons for it."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", cause)
    at_line = found and found[1]
    line = int(at_line) if at_line else content.rstrip().count("\n") + 1
    words = cause[: found.start()] if found else cause
    source = [*content.split("\n"), ""][line - 1].strip()
    if words.startswith("Cannot "):
        return fault(line, "toml.twice", source=source[:SHOWN_LENGTH])
    # Inside quotes and comments the full-width signs are text.
    if wide := FULL_WIDTH.search(re.sub(r"\"[^\"]*\"|'[^']*'|#.*", "", source)):
        return fault(line, "toml.full_width", sign=wide[0])
    if words.startswith(r"Illegal character '\n'"):
        return fault(line, "toml.quote", source=source[:SHOWN_LENGTH])
    if words.startswith(("Unclosed", "Unterminated", "Expected \"'''\"", 'Expected \'"""\'')):
        return fault(line, "toml.unclosed")
    return fault(line, "toml.syntax", source=source[:SHOWN_LENGTH], cause=words)
