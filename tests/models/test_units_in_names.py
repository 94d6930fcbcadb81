"""Every number of every store says its unit in its name, read from a store and a mart that were really made."""

from __future__ import annotations

import re

import duckdb
import pytest

from models.build import SitePaths, build
from models.ledger import ledger_writer
from models.units import COLUMN_UNITS
from tests.models.marts import EVERYTHING
from tests.models.raw_rows import fill_raw, run
from tests.models.sites import site

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UINTEGER", "UBIGINT", "DECIMAL")
MONEY = re.compile(r"(_cost|_amount|_price|_fen)$|^(price|net|tax|gross)$")
# Numbers that count nothing: names of rows and places in an order, and figures whose unit is the column's meaning.
IDENTIFIERS = re.compile(r"(_no|_id|_id_raw|_order|_epoch|_set|_bits?)$|^(batch_id|job_id_raw|place)$")
UNITLESS = {
    ("*", "schema_version"),
    ("*", "rate"),
    ("*", "tax_rate"),
    ("*", "factor"),
    ("*", "quantity_decimals"),
    # In the unit of the line's resource, which stands in ref_unit beside it.
    ("out_charge_line", "consumed"),
    ("out_charge_line", "quantity"),
    # Ratios: MiB in a suffix, base units in a unit.
    ("ref_suffix", "mib_num"),
    ("ref_suffix", "mib_den"),
    ("ref_unit", "base_per_unit"),
}
FLOATS = ("DOUBLE", "FLOAT", "REAL")


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    """(table, column, type) of the raw store, the ledger and a mart."""
    paths = SitePaths(tmp_path_factory.mktemp("units"))
    fill_raw(paths.raw, [run(1, 1_704_067_200, 1_704_070_800, "cpu=1,mem=1G,node=1,gres/gpu=1,billing=1")])
    with ledger_writer(paths.ledger, now_s=0):
        pass
    mart = build(paths, site(), EVERYTHING, "2024-01", program_version="test").path
    found: list[tuple[str, str, str]] = []
    for path in (paths.raw, paths.ledger, mart):
        with duckdb.connect(str(path), read_only=True) as con:
            found += con.execute(
                "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
            ).fetchall()
    assert len(found) > 200
    return found


def ends_in_a_unit(column: str) -> bool:
    """Whether the name is a unit, or ends in one after an underscore."""
    return any(column == unit or column.endswith(f"_{unit}") for unit in COLUMN_UNITS)


def is_named(table: str, column: str) -> bool:
    return bool(
        ends_in_a_unit(column)
        or MONEY.search(column)
        or IDENTIFIERS.search(column)
        or {("*", column), (table, column)} & UNITLESS
    )


def test_every_number_has_its_unit(columns: list[tuple[str, str, str]]) -> None:
    wrong = [
        f"{table}.{column}"
        for table, column, kind in columns
        if kind.startswith(NUMBERS) and not is_named(table, column)
    ]
    assert not wrong, ", ".join(wrong)


def test_money_is_decimal_or_whole_fen(columns: list[tuple[str, str, str]]) -> None:
    wrong = [
        f"{table}.{column} {kind}"
        for table, column, kind in columns
        if MONEY.search(column) and not kind.startswith("DECIMAL" if not column.endswith("_fen") else NUMBERS)
    ]
    assert wrong == []


def test_nothing_is_a_float(columns: list[tuple[str, str, str]]) -> None:
    assert [f"{table}.{column}" for table, column, kind in columns if kind in FLOATS] == []


def test_every_unit_is_used(columns: list[tuple[str, str, str]]) -> None:
    """A unit of the list that no column has any more is taken off it."""
    used = {
        unit
        for unit in COLUMN_UNITS
        for _, column, _ in columns
        if column == unit or column.endswith(f"_{unit}")
    }
    assert set(COLUMN_UNITS) - used == set()


@pytest.mark.parametrize("column", ["energy", "amount_of_cpu", "seconds", "cpu_ms_total", "cores"])
def test_a_name_without_a_unit_is_refused(column: str) -> None:
    assert not is_named("core_run", column)
