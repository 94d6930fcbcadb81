"""CSV that people make: a header line of known names, in UTF-8 or in the GB18030 that Excel writes in China."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from datetime import date
from fractions import Fraction
from io import StringIO
from itertools import pairwise

import polars as pl

from models.calendar import midnight_s
from models.errors import HesuanError

_AMOUNT = re.compile(r"\d{1,18}(\.\d{1,18})?")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")


def read_csv(data: bytes, known: Collection[str], path: object) -> pl.DataFrame:
    """The records of a CSV file: texts by the header's names, '' where a column is missing; `location`, `body`, `is_ragged`.

    Empty lines are no records. A record with another number of fields than the header has is ragged.

    Raises:
        HesuanError: `other.column_unknown`, `other.column_twice`; `other.csv_broken` for a quote without its end.
    """
    text = _text(data)
    lines = [f"{line}\n" for line in text.split("\n")]
    reader = csv.reader(StringIO(text), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise HesuanError("other.csv_broken", path=path, line=reader.line_num, cause=error) from error
    header = [name.strip() for name in rows[0][1]] if rows else []
    _check_header(header, known, path)
    records = [
        (end, "".join(lines[before:end]).encode(), row)
        for (before, _), (end, row) in pairwise(rows)
        if any(cell.strip() for cell in row)
    ]
    filled = [[*(cell.strip() for cell in row), *[""] * len(header)][: len(header)] for _, _, row in records]
    columns = list(zip(*filled, strict=True)) or [()] * len(header)
    return pl.DataFrame(
        [
            pl.Series("location", [f"line {end}" for end, _, _ in records], pl.String),
            pl.Series("body", [body for _, body, _ in records], pl.Binary),
            pl.Series("is_ragged", [len(row) != len(header) for _, _, row in records], pl.Boolean),
            *(pl.Series(name, column, pl.String) for name, column in zip(header, columns, strict=True)),
        ]
    ).with_columns(pl.lit("").alias(name) for name in known if name not in header)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def _check_header(header: list[str], known: Collection[str], path: object) -> None:
    unknown = [name for name in header if name not in known]
    if unknown or not header:
        found = ", ".join(name or "''" for name in unknown) or "-"
        raise HesuanError("other.column_unknown", path=path, columns=found, known=", ".join(known))
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise HesuanError("other.column_twice", path=path, columns=", ".join(twice))


def amounts(column: pl.Series, scale: int) -> pl.Series:
    """Decimals times `scale`, cut to whole numbers; null for what is no decimal, negative, or beyond a BIGINT."""
    found = {text: _amount(text, scale) for text in column.unique().to_list()}
    return column.replace_strict(found, return_dtype=pl.Int64)


def _amount(text: str, scale: int) -> int | None:
    if not _AMOUNT.fullmatch(text):
        return None
    whole = int(Fraction(text) * scale)
    return whole if whole < 1 << 63 else None


def midnights(column: pl.Series, zone: str) -> pl.Series:
    """Local days, 2026-09-01 or 2026/9/1, as UTC seconds of their beginning in `zone`; null for what is no day."""
    found = {text: _midnight(text, zone) for text in column.unique().to_list()}
    return column.replace_strict(found, return_dtype=pl.Int64)


def _midnight(text: str, zone: str) -> int | None:
    found = _DAY.fullmatch(text)
    try:
        return midnight_s(date(*map(int, found.groups())), zone) if found else None
    except (ValueError, OverflowError):
        return None
