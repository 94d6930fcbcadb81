"""The SQL keeps to the subset that another engine understands the same way, and says at its head what it does.

Translation itself never complains, so what is known to go wrong is refused here: decimal division and rounding,
`date_trunc` and zones, series over anything but integers, ordered lists, ASOF, epoch functions, quantiles, floats, and `//`
on what is no integer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

MODELS = Path(__file__).resolve().parents[2] / "models"
FILES = sorted([*(MODELS / "sql").glob("*.sql"), *(MODELS / "checks").glob("*.sql")])
IDS = [f"{file.parent.name}/{file.stem}" for file in FILES]

FLOATS = {exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT}
ZONED = {exp.DataType.Type.TIMESTAMPTZ, exp.DataType.Type.TIMESTAMPLTZ}
REFUSED: dict[type[exp.Expression], str] = {
    exp.Div: "`/` is DOUBLE on one engine and DECIMAL on another",
    exp.Avg: "AVG of decimals is DOUBLE on one engine",
    exp.Round: "decimals are rounded in Python",
    exp.TimestampTrunc: "days and months come from the calendar",
    exp.DateTrunc: "days and months come from the calendar",
    exp.AtTimeZone: "zones are the calendar's business",
    exp.Interval: "time is UTC seconds",
    exp.UnixToTime: "time is UTC seconds",
    exp.TimeToUnix: "time is UTC seconds",
    exp.PercentileCont: "quantiles differ",
    exp.PercentileDisc: "quantiles differ",
    exp.Quantile: "quantiles differ",
    exp.Median: "quantiles differ",
    exp.CurrentTimestamp: "the same inputs give the same mart",
    exp.CurrentDate: "the same inputs give the same mart",
    exp.Rand: "the same inputs give the same mart",
    exp.First: "depends on the order of rows",
    exp.Last: "depends on the order of rows",
    exp.AnyValue: "depends on the order of rows",
}
# Functions that sqlglot has no class of its own for.
REFUSED_NAMES = {
    "now",
    "epoch",
    "epoch_us",
    "epoch_ns",
    "date_part",
    "timezone",
    "today",
    "uuid",
    "fdiv",
    "pow",
    "sqrt",
}
INTEGER_NAME = re.compile(
    r"(_s|_ms|_no|_base|_e6|_e8|_milli|_num|_den|_count|_parts|_per_unit|_j|_fen|_mib|^micro|place|share|share28|rest)$"
)


def may_be_fractional(node: exp.Expression) -> bool:
    """Whether an operand of `//` or a bound of a series may be no integer, as far as its text tells."""
    # What a condition compares is no operand.
    for part in node.walk(prune=lambda inner: isinstance(inner, exp.Predicate)):
        if isinstance(part, exp.Literal) and (part.is_string or not part.this.isdigit()):
            return True
        if isinstance(part, exp.Cast) and not part.is_type(*exp.DataType.INTEGER_TYPES):
            return True
        if isinstance(part, exp.Column) and not INTEGER_NAME.search(part.name):
            return True
    return False


def fault(node: exp.Expression) -> str | None:  # noqa: PLR0911 - one return a rule
    """Why one node of a query is refused; None where it is not."""
    for kind, why in REFUSED.items():
        if isinstance(node, kind):
            return why
    match node:
        case exp.Anonymous() if node.name.lower() in REFUSED_NAMES:
            return "not in the subset"
        case exp.DataType() if node.this in FLOATS:
            return "no floats"
        case exp.DataType() if node.this in ZONED:
            return "zones are the calendar's business"
        case exp.Literal() if not node.is_string and "e" in node.this.lower():
            return "no floats"
        case exp.ArrayAgg() | exp.GroupConcat() if node.find(exp.Order):
            return "an ordered list loses its order"
        case exp.Join() if (node.method or "").upper() == "ASOF":
            return "ASOF joins are not understood"
        case exp.GenerateSeries() | exp.IntDiv() if may_be_fractional(node):
            return "on integers only"
    return None


def faults(text: str) -> Iterator[str]:
    """What another engine would not understand the same way."""
    (tree,) = sqlglot.parse(text, read="duckdb")
    assert tree is not None
    for node in tree.walk():
        if why := fault(node):
            yield f"{node.sql('duckdb')}: {why}"


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_the_subset(file: Path) -> None:
    assert list(faults(file.read_text(encoding="utf-8"))) == []


BAD = (
    "SELECT a_base / 3 FROM t",
    "SELECT CAST(a AS DECIMAL(18, 2)) / b FROM t",
    "SELECT AVG(a_base) FROM t",
    "SELECT ROUND(a, 2) FROM t",
    "SELECT date_trunc('month', a) FROM t",
    "SELECT a AT TIME ZONE 'Asia/Shanghai' FROM t",
    "SELECT timezone('UTC', a) FROM t",
    "SELECT CAST(a AS TIMESTAMPTZ) FROM t",
    "SELECT a::TIMESTAMP WITH TIME ZONE FROM t",
    "SELECT UNNEST(range(a, b, INTERVAL 1 HOUR)) FROM t",
    "SELECT UNNEST(GENERATE_SERIES(TIMESTAMP '2024-01-01', b, INTERVAL 1 DAY)) FROM t",
    "SELECT UNNEST(GENERATE_SERIES(start_time, end_time)) FROM t",
    "SELECT list(x ORDER BY y) FROM t",
    "SELECT array_agg(x ORDER BY y) FROM t",
    "SELECT string_agg(x, ',' ORDER BY y) FROM t",
    "SELECT * FROM a ASOF JOIN b ON a.t_s >= b.t_s",
    "SELECT epoch_ms(a) FROM t",
    "SELECT epoch(a) FROM t",
    "SELECT to_timestamp(a_s) FROM t",
    "SELECT quantile_cont(a, 0.5) FROM t",
    "SELECT median(a) FROM t",
    "SELECT price // 3 FROM t",
    "SELECT a_base // 1.5 FROM t",
    "SELECT CAST(a_base AS DECIMAL(18, 2)) // 3 FROM t",
    "SELECT CAST(a AS DOUBLE) FROM t",
    "SELECT a::FLOAT FROM t",
    "SELECT 1e6 * a_base FROM t",
    "SELECT now() FROM t",
    "SELECT current_timestamp FROM t",
    "SELECT random() FROM t",
    "SELECT any_value(a) FROM t",
    "SELECT first(a) FROM t",
)


@pytest.mark.parametrize("text", BAD)
def test_what_is_known_to_go_wrong_is_refused(text: str) -> None:
    assert list(faults(text))


# --- the head of each file


def head(text: str) -> str:
    """The comment that a file opens with, as one line."""
    lines = text.splitlines()
    end = next(n for n, line in enumerate(lines) if not line.startswith("--"))
    return " ".join(line.removeprefix("--").strip() for line in lines[:end])


def tables(text: str) -> set[str]:
    """The tables that a SELECT really names, those of its own WITH left out."""
    (tree,) = sqlglot.parse(text, read="duckdb")
    assert tree is not None
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    names = ((table.db, table.name) for table in tree.find_all(exp.Table))
    return {f"{schema}.{name}" if schema else name for schema, name in names if schema or name not in own}


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.parent.name == "sql"], ids=[i for i in IDS if i.startswith("sql")]
)
def test_a_table_says_what_it_is(file: Path) -> None:
    """What it is by its name, its grain, and exactly the tables that it reads."""
    text = file.read_text(encoding="utf-8")
    said = head(text)
    assert said.startswith(f"{file.stem}: ")
    assert " Grain: " in said
    found = re.search(r" Reads: ([a-z0-9_., ]+?)\.(?: |$)", said)
    assert found
    assert {name.strip() for name in found[1].split(",")} == tables(text)


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.parent.name == "checks"], ids=[i for i in IDS if i.startswith("checks")]
)
def test_a_check_says_what_it_asks(file: Path) -> None:
    assert head(file.read_text(encoding="utf-8")).endswith(".")
