"""CSV and Parquet: exact values, stable bytes, whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import HesuanError
from reports.files import replacing, write_table

NAMES = ["训练任务", "=HYPERLINK(1)", "-n 4", "@sum", "+1", "a|b", 'say "hi", twice', "two\nlines", "", None]


def table() -> pa.Table:
    return pa.table(
        {
            "job_name": pa.array(NAMES, pa.string()),
            "billed_cost": pa.array([Decimal("1234567.80")] + [Decimal("0.00")] * 9, pa.decimal128(38, 2)),
            "unit_price": pa.array([Decimal("0.00000001")] * 9 + [None], pa.decimal128(38, 8)),
            "start_s": pa.array([1_788_192_000] * 10, pa.int64()),
        }
    )


def test_csv_is_rfc_4180_with_bom_and_exact_values(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "runs.csv"
    write_table(table(), path, "runs")
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbfjob_name,billed_cost,unit_price,start_s\r\n")
    assert "训练任务,1234567.80,0.00000001,1788192000\r\n".encode() in data
    assert b'"",0.00,' in data, "an empty text differs from NULL"
    assert data.endswith(b"\r\n,0.00,,1788192000\r\n")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["job_name"] for row in rows] == [name or "" for name in NAMES]
    assert {row["unit_price"] for row in rows} == {"0.00000001", ""}


def test_parquet_keeps_types_and_says_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    write_table(table(), path, "runs")
    back = pq.read_table(path)
    assert back.equals(table())
    assert back.schema.field("unit_price").type == pa.decimal128(38, 8)
    assert back.schema.metadata == {b"hesuan.kind": b"runs"}
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


def test_bytes_do_not_depend_on_how_the_table_was_put_together(tmp_path: Path) -> None:
    whole = table()
    pieces = pa.concat_tables([whole.slice(0, 3), whole.slice(3, 5), whole.slice(8)])
    for suffix in ("csv", "parquet"):
        write_table(whole, tmp_path / f"a.{suffix}", "runs")
        write_table(pieces, tmp_path / f"b.{suffix}", "runs")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from reports.files import write_table;"
        "from tests.reports.test_files import table;"
        "[write_table(table(), Path(sys.argv[1]) / f'runs.{s}', 'runs') for s in ('csv', 'parquet')]"
    )
    sums = []
    for name in ("a", "b"):
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / name)],
            check=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        files = sorted((tmp_path / name).iterdir())
        sums.append([hashlib.sha256(f.read_bytes()).hexdigest() for f in files])
    assert len(sums[0]) == 2
    assert sums[0] == sums[1]


def test_another_suffix_is_refused_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(HesuanError) as caught:
        write_table(table(), tmp_path / "runs.xls", "runs")
    assert "runs.xls" in caught.value.text("en")
    assert ".parquet" in caught.value.text("en")
    assert "不支持" in caught.value.text("zh")
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as part:
            part.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["runs.csv"]
    assert path.read_text() == "old"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8))
def test_any_text_comes_back_from_csv(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "names.csv"
    rows = pa.table({"job_name": pa.array(names, pa.string()), "n": pa.array(range(len(names)))})
    write_table(rows, path, "names")
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert [row["job_name"] for row in csv.DictReader(file)] == names


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**20), max_value=10**20))
def test_any_decimal_comes_back_from_csv_plainly(
    tmp_path_factory: pytest.TempPathFactory, value: Decimal
) -> None:
    path = tmp_path_factory.mktemp("csv") / "prices.csv"
    write_table(pa.table({"p": pa.array([value], pa.decimal128(38, 8))}), path, "prices")
    printed = path.read_text(encoding="utf-8-sig").splitlines()[1]
    assert "E" not in printed
    assert Decimal(printed) == value
    assert len(printed.split(".")[1]) == 8
