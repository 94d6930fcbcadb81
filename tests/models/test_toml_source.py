"""The locator of TOML: lines of hand-counted documents, of the templates, and of documents made at random."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.toml_source import TomlPath, line_at, lines_of

SHAPES = '''\
a = 1 # "no [string]
"x y".'z.w' . k = [ # c ]
  "]", # hi "
  { p = 1, "q#" = [1,
   2] }, [],
  [[2], [3
  ]],
]
[[v]]
id = """
[[v]]
"""""
[v.r]
"gpu:*" = 'f # [no]'
[[v.p]]
n = 2026-01-01 07:00:00 # x
[[v.p]]
m.o = {}
[[v]] # again
[[v.p]]
"\\u00e9\\"" = "\\\\"
[t.u]
[t]
s = \'\'\'
'' \'\'\'\'\'
end = nan'''

# Counted by hand in the text above.
SHAPE_LINES: dict[TomlPath, int] = {
    ("a",): 1,
    ("x y",): 2,
    ("x y", "z.w"): 2,
    ("x y", "z.w", "k"): 2,
    ("x y", "z.w", "k", 0): 3,
    ("x y", "z.w", "k", 1): 4,
    ("x y", "z.w", "k", 1, "p"): 4,
    ("x y", "z.w", "k", 1, "q#"): 4,
    ("x y", "z.w", "k", 1, "q#", 0): 4,
    ("x y", "z.w", "k", 1, "q#", 1): 5,
    ("x y", "z.w", "k", 2): 5,
    ("x y", "z.w", "k", 3): 6,
    ("x y", "z.w", "k", 3, 0): 6,
    ("x y", "z.w", "k", 3, 0, 0): 6,
    ("x y", "z.w", "k", 3, 1): 6,
    ("x y", "z.w", "k", 3, 1, 0): 6,
    ("v",): 9,
    ("v", 0): 9,
    ("v", 0, "id"): 10,
    ("v", 0, "r"): 13,
    ("v", 0, "r", "gpu:*"): 14,
    ("v", 0, "p"): 15,
    ("v", 0, "p", 0): 15,
    ("v", 0, "p", 0, "n"): 16,
    ("v", 0, "p", 1): 17,
    ("v", 0, "p", 1, "m"): 18,
    ("v", 0, "p", 1, "m", "o"): 18,
    ("v", 1): 19,
    ("v", 1, "p"): 20,
    ("v", 1, "p", 0): 20,
    ("v", 1, "p", 0, 'é"'): 21,
    ("t",): 23,
    ("t", "u"): 22,
    ("t", "s"): 24,
    ("t", "end"): 26,
}


def paths(value: object, at: TomlPath = ()) -> Iterator[TomlPath]:
    """Every place of a document as `tomllib` nests it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*at, key)
        yield from paths(item, (*at, key))


def test_many_shapes():
    assert lines_of(SHAPES) == SHAPE_LINES
    assert set(SHAPE_LINES) == set(paths(tomllib.loads(SHAPES)))


def test_crlf_counts_alike():
    assert lines_of(SHAPES.replace("\n", "\r\n")) == SHAPE_LINES


def test_an_empty_document():
    assert lines_of("") == {}
    assert lines_of("\n# nothing\n") == {}


def test_what_was_not_written_stands_in_its_table():
    lines = lines_of(SHAPES)
    assert line_at(lines, ("v", 0, "p", 1, "name")) == 17
    assert line_at(lines, ("v", 1, "valid_to")) == 19
    assert line_at(lines, ("nothing", 3)) == 1


@pytest.mark.parametrize("name", ["site.toml", "tariffs.toml"])
def test_every_place_of_the_templates(name: str):
    """A key's line holds the key, a table's line its header; each key of a table is below its header."""
    content = files("hesuan").joinpath("templates", name).read_text(encoding="utf-8")
    lines = lines_of(content)
    written = content.splitlines()
    document = tomllib.loads(content)
    assert set(lines) == set(paths(document))
    for path, line in lines.items():
        word = next(part for part in reversed(path) if isinstance(part, str))
        assert word in written[line - 1]
        assert line >= lines.get(path[:-1], 1)
    assert len(lines) > 40


# Documents made at random, written line by line so that the writer knows where it is.

words = st.text(st.sampled_from("ab é中\"'\\#[]{}=,.*\t"), max_size=6)
scalars = st.one_of(
    words, st.integers(-9, 9), st.booleans(), st.dates(), st.times().map(lambda t: t.replace(microsecond=0))
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)
tables = st.dictionaries(words, values, max_size=3)
documents = st.tuples(tables, st.lists(st.tuples(words, tables, st.booleans()), max_size=4))


def quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


class Writer:
    """Writes TOML and notes the line of everything that it writes."""

    def __init__(self, breaks: st.DrawFn, lines: dict[TomlPath, int]) -> None:
        self.text = ""
        self.draw = breaks
        self.lines = lines

    def put(self, text: str) -> None:
        self.text += text

    def line(self) -> int:
        return self.text.count("\n") + 1

    def string(self, word: str) -> None:
        form = self.draw(st.sampled_from(["basic", "literal", "multi-line", "multi-line literal"]))
        if form == "literal" and "'" not in word:
            self.put(f"'{word}'")
        elif form == "multi-line":
            self.put(
                f'"""\n{word.replace(chr(92), chr(92) * 2).replace(chr(34) * 3, chr(34) * 2 + chr(92) + chr(34))}"""'
            )
        elif form == "multi-line literal" and "'''" not in word:
            self.put(f"'''\n\n{word}'''")
        else:
            self.put(quoted(word))

    def value(self, value: object, at: TomlPath) -> None:
        if isinstance(value, list):
            self.put("[")
            for index, item in enumerate(value):
                self.put(self.draw(st.sampled_from(["", " ", "\n", ' # ] , " \n\t'])))
                self.lines[(*at, index)] = self.line()
                self.value(item, (*at, index))
                self.put(self.draw(st.sampled_from([",", " ,", "\n,"])))
            self.put(self.draw(st.sampled_from(["]", "\n]"])))
        elif isinstance(value, dict):
            self.put("{")
            for index, (key, item) in enumerate(value.items()):
                self.put(", " if index else " ")
                self.pair(key, item, at)
            self.put(" }")
        elif isinstance(value, str):
            self.string(value)
        else:
            self.put(str(value).lower() if isinstance(value, bool) else str(value))

    def pair(self, key: str, value: object, at: TomlPath) -> None:
        self.lines[(*at, key)] = self.line()
        self.put(f"{quoted(key)} = ")
        self.value(value, (*at, key))

    def table(self, table: dict[str, object], at: TomlPath) -> None:
        for key, value in table.items():
            self.put(self.draw(st.sampled_from(["", "\n", "# [x]\n"])))
            self.pair(key, value, at)
            self.put("\n")


@st.composite
def written(draw: st.DrawFn) -> tuple[str, dict[TomlPath, int]]:
    """A document and the line of every place in it."""
    lines: dict[TomlPath, int] = {}
    writer = Writer(draw, lines)
    top, others = draw(documents)
    writer.table(top, ())
    counts: dict[str, int] = {}
    for name, table, is_row in others:
        if name in top or (name in counts and not (is_row and counts[name])):
            continue
        at: TomlPath = (name,)
        lines.setdefault(at, writer.line())
        counts[name] = counts.get(name, 0) + is_row
        if is_row:
            at = (name, counts[name] - 1)
            lines[at] = writer.line()
        writer.put(f"[[{quoted(name)}]]\n" if is_row else f"[{quoted(name)}]\n")
        writer.table(table, at)
    return writer.text, lines


@given(written())
def test_documents_made_at_random(document: tuple[str, dict[TomlPath, int]]):
    content, expected = document
    assert set(paths(tomllib.loads(content))) == set(expected)
    assert lines_of(content) == expected
