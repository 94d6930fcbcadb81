"""The workbook, opened again with openpyxl: values, formulas, formats, print set-up, hostile texts, stable bytes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.bill import Bill, RunRow
from reports.workbook import write_bill_workbook
from reports.workbook_runs import local_serials
from tests.reports import samples

DECIMALS = {
    "core_hours": pa.decimal128(38, 4),
    "device_hours": pa.decimal128(38, 4),
    "billed_cost": pa.decimal128(38, 2),
}
SHEETS = ["说明", "汇总", "按项目", "按用户", "按日", "未计费", "明细"]


def runs_table(rows: Sequence[RunRow]) -> pa.Table:
    types = {
        f.name: DECIMALS.get(f.name, pa.int64() if f.name.endswith("_s") else pa.string())
        for f in fields(RunRow)
    }
    return pa.table(
        {name: pa.array([getattr(row, name) for row in rows], kind) for name, kind in types.items()}
    )


def small() -> tuple[Bill, pa.Table]:
    bill = samples.small_bill()
    return bill, runs_table(bill.largest_runs)


def opened(bill: Bill, runs: pa.Table, folder: Path, lang: str = "zh", **options: Any) -> tuple[Any, Any]:
    """The workbook as its formulas and as its cached values."""
    path = folder / "bill.xlsx"
    write_bill_workbook(bill, runs, path, lang, **options)
    return openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)


def named(book: Any, name: str) -> Any:
    """The cell that a defined name stands for."""
    ((sheet, place),) = book.defined_names[name].destinations
    return book[sheet][place.replace("$", "")]


def test_the_small_bill_is_as_worked_out_by_hand(tmp_path: Path) -> None:
    # Figures from the sheet at the top of samples.py.
    formulas, values = opened(*small(), tmp_path)
    assert values.sheetnames == SHEETS
    expected = {
        "list_total": 7171.60,
        "discount_total": 2001.48,
        "billed_total": 5170.12,
        "vat_rate": 0.06,
        "net_total": 5170.12,
        "vat_total": 310.21,
        "gross_total": 5480.33,
        "project_total": 5170.12,
        "user_total": 5170.12,
        "day_total": 5170.12,
        "run_total": 5170.12,
        "project_core_hours_total": 63616,
        "user_device_hours_total": 312,
        "day_runs_total": 7,
    }
    assert {name: named(values, name).value for name in expected} == expected
    assert named(formulas, "billed_total").value == "=SUM(M2:M4)"
    assert named(formulas, "run_total").value == "=SUM('明细'!P2:P8)"
    assert named(formulas, "vat_total").value == "=ROUND(net_total*vat_rate,2)"
    lines = [[cell.value for cell in row] for row in values["汇总"]["A2:M4"]]
    assert lines[0][6:] == [53100, 53100, 0.08, 0.06, 4248, 1062, 3186]
    assert lines[2][6:] == [310.75, 312, 6, 4, 1872, 624, 1248]


def test_sums_cover_exactly_the_rows(tmp_path: Path) -> None:
    _, values = opened(*small(), tmp_path)
    for sheet, rows, total in (
        ("汇总", 3, "billed_total"),
        ("按项目", 2, "project_total"),
        ("按用户", 4, "user_total"),
    ):
        cell = named(values, total)
        above = [values[sheet].cell(row, cell.column).value for row in range(2, cell.row)]
        assert [value is not None for value in above] == [True] * rows + [False]
        assert sum(Decimal(str(value)) for value in above if value) == Decimal("5170.12")


def test_about_compares_the_sums_and_says_how_the_bill_came_about(tmp_path: Path) -> None:
    formulas, values = opened(*small(), tmp_path)
    rows = [[cell.value for cell in row] for row in values["说明"].iter_rows()]
    said = {row[0]: row[1] for row in rows}
    assert said["账期"] == "2026年9月"
    assert said["付款方"] == "智能计算课题组"
    assert said["输入数据哈希"] == "3c9e1b7a4d20" + "0" * 52
    assert said["数据采集截至"] == "2026-10-01 03:00:00"
    start = next(n for n, row in enumerate(rows) if row[0] == "合计核对")
    checks = rows[start + 1 : start + 7]
    assert [check[1] for check in checks] == [5170.12] * 6
    assert [check[2] for check in checks] == [0] * 6
    assert "SUMPRODUCT" in formulas["说明"].cell(start + 3, 2).value
    assert "草稿" not in rows[0][0]


def test_a_sum_that_does_not_agree_is_shown(tmp_path: Path) -> None:
    bill, runs = small()
    _, values = opened(bill, runs.slice(1), tmp_path)
    rows = {row[0].value: row[2].value for row in values["说明"].iter_rows()}
    # The first of the runs by amount costs 32,000 x 0.06.
    assert rows["明细合计"] == -1920


def test_runs_are_real_numbers_and_local_moments(tmp_path: Path) -> None:
    bill, runs = small()
    _, values = opened(bill, runs, tmp_path)
    sheet = values["明细"]
    header = [cell.value for cell in sheet[1]]
    assert header[9:12] == [f"{word}时间（Asia/Shanghai）" for word in ("提交", "开始", "结束")]
    first = [cell.value for cell in sheet[2]]
    # The fourth use: 10 September, 09:17 in Shanghai, 13 hours.
    moments = [str(value) for value in first[9:12]]
    assert moments == ["2026-09-10 09:07:00", "2026-09-10 09:17:00", "2026-09-10 22:17:00"]
    assert first[12:16] == [32000, 0, "", 1920]
    assert first[8] == "COMPLETED"
    assert first[16] == "计费"
    assert sheet.max_row == 8


def test_formats_show_what_paper_shows(tmp_path: Path) -> None:
    bill, _ = small()
    run = bill.largest_runs[0]
    rows = [
        replace(run, core_hours=Decimal("0.0020"), submit_s=None),
        replace(run, core_hours=Decimal("0.0000")),
        replace(run, core_hours=Decimal("0.0050")),
    ]
    formulas, values = opened(bill, runs_table(rows), tmp_path)
    assert [formulas["明细"].cell(row, 13).number_format for row in (2, 3, 4)] == [
        '"<0.01"',
        '#,##0.00;"−"#,##0.00',
        '#,##0.00;"−"#,##0.00',
    ]
    assert values["明细"]["J2"].value == "—"
    assert values["明细"]["M2"].value == 0.002
    lines = formulas["汇总"]
    assert lines["H2"].number_format == '#,##0.0000;"−"#,##0.0000', "the tariff's own decimals"
    assert lines["J2"].number_format == '#,##0.00;"−"#,##0.00'
    assert str(formulas["按日"]["A2"].value) == "2026-09-01 00:00:00"
    assert formulas["按日"]["A2"].number_format == "yyyy-mm-dd"


def test_every_table_is_set_up_for_screen_and_paper(tmp_path: Path) -> None:
    formulas, _ = opened(*small(), tmp_path)
    assert formulas["说明"].page_setup.orientation == "landscape"
    for name in SHEETS[1:]:
        sheet = formulas[name]
        assert sheet.freeze_panes == "C2"
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.page_setup.paperSize == 9
        assert sheet.print_title_rows == "$1:$1"
        assert sheet.print_area
        assert not sheet.merged_cells.ranges
        columns, rows = sheet.max_column, sheet.auto_filter.ref.split(":")[1]
        assert rows.startswith(openpyxl.utils.get_column_letter(columns))
    assert formulas["汇总"].auto_filter.ref == "A1:N4", "totals are left alone by the filter"
    wide = formulas["按项目"].column_dimensions["B"].width
    assert wide >= 2 * len("大模型训练平台"), "a Chinese character takes two places"


HOSTILE = [
    '=HYPERLINK("http://example.org",1)',
    "+1+1",
    "-n 4",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "<r><t>x</t></r>",
    "a & b < c > d",
    "http://example.org",
    "mailto:a@example.org",
    "12345678901234567890",
    " lead and trail ",
    "two\nlines",
    "喆犇堃䶮㛃𬱟",
    "{=1+1}",
    "",
]


def test_text_never_becomes_a_formula_link_or_number(tmp_path: Path) -> None:
    bill, _ = small()
    rows = [replace(bill.largest_runs[0], job_name=text, user=text) for text in HOSTILE]
    hostile = replace(
        bill,
        by_user=tuple(replace(bill.by_user[0], key=text, name=text) for text in HOSTILE if text),
        payer=replace(bill.payer, name="=1+1"),
    )
    formulas, _ = opened(hostile, runs_table(rows), tmp_path)
    sheet = formulas["明细"]
    for row, text in enumerate(HOSTILE, 2):
        cell = sheet.cell(row, 3)
        said = text.replace("\r", "_x000D_")
        assert (cell.value or "") == said
        assert cell.data_type == "s" or not text
        assert cell.quotePrefix == (text[:1] in tuple("=+-@\t\r") and text != ""), text
    # xlsxwriter would write a text that looks like rich text as raw XML: a blank at the end keeps it text.
    users = [cell.value for cell in formulas["按用户"]["A"][1:]]
    assert users[:6] == [t.replace("\r", "_x000D_") for t in HOSTILE[:6]]
    assert users[6] == "<r><t>x</t></r> "
    assert all(cell.data_type != "f" for row in formulas["按用户"]["A2:B16"] for cell in row)
    assert all(cell.hyperlink is None for row in sheet.iter_rows() for cell in row)
    payer = next(row[1] for row in formulas["说明"].iter_rows() if row[0].value == "付款方")
    assert (payer.value, payer.data_type) == ("=1+1", "s")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=10))
def test_any_job_name_comes_back(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    bill, _ = small()
    rows = [replace(bill.largest_runs[0], job_name=name) for name in names]
    path = tmp_path_factory.mktemp("names") / "bill.xlsx"
    write_bill_workbook(bill, runs_table(rows), path, "zh")
    sheet = openpyxl.load_workbook(path)["明细"]
    for row, name in enumerate(names, 2):
        assert _unescaped(sheet.cell(row, 3).value or "") == name


def _unescaped(cell: str) -> str:
    """What Excel shows for a text with `_xHHHH_`: one pass from the left (ECMA-376 part 1, 22.9.2.19)."""
    shown, place = "", 0
    while place < len(cell):
        piece = cell[place : place + 7]
        if piece[:2] == "_x" and piece[6:] == "_" and all(c in "0123456789abcdefABCDEF" for c in piece[2:6]):
            shown, place = shown + chr(int(piece[2:6], 16)), place + 7
        else:
            shown, place = shown + cell[place], place + 1
    return shown


def test_what_was_not_charged_has_its_reason(tmp_path: Path) -> None:
    bill, _ = small()
    refund = replace(bill.not_charged[0], reason="refund:node_fail")
    rows = [
        replace(bill.largest_runs[0], treatment=word) for word in ("priced", "refund:node_fail", "no-price")
    ]
    _, values = opened(replace(bill, not_charged=(refund, bill.not_charged[1])), runs_table(rows), tmp_path)
    sheet = values["未计费"]
    assert [cell.value for cell in sheet[2]] == ["按价格政策退费（节点故障）", "CPU", 3, 128.5, "核时"]
    assert sheet["A3"].value == "已含在其他项目的价格中"
    treatments = [values["明细"].cell(row, 17).value for row in (2, 3, 4)]
    assert treatments == ["计费", "按价格政策退费（节点故障）", "尚无价格"]


def test_a_full_sheet_says_where_the_rest_is(tmp_path: Path) -> None:
    bill, runs = small()
    assert write_bill_workbook(bill, runs, tmp_path / "full.xlsx", "zh", sheet_runs=7) == 7
    _, values = opened(bill, runs, tmp_path, sheet_runs=5)
    sheet = values["明细"]
    assert sheet.max_row == 6, "header and five rows: four runs and the note"
    assert sheet["A6"].value == "共 7 次运行，工作表已写满，其余 3 次请见随结算单提供的 Parquet 文件。"
    about = [cell.value for row in values["说明"].iter_rows() for cell in row]
    assert sheet["A6"].value in about
    assert "明细合计" not in about, "a part of the runs is not compared with the whole"


def test_bills_of_every_kind_in_both_languages(tmp_path: Path) -> None:
    bills = (
        samples.draft_bill(),
        samples.one_line_bill(),
        samples.zero_bill(),
        samples.negative_bill(),
        samples.hostile_bill(),
        samples.with_tax(samples.small_bill(), "inclusive"),
        samples.many_users_bill(),
    )
    for bill in bills:
        for lang in ("zh", "en"):
            _, values = opened(bill, runs_table(bill.largest_runs), tmp_path, lang)
            total = sum((line.billed_cost for line in bill.lines), Decimal(0))
            assert Decimal(str(named(values, "billed_total").value)) == total
            assert Decimal(str(named(values, "gross_total").value)) == bill.tax.gross
    title = openpyxl.load_workbook(tmp_path / "bill.xlsx")["About"]["A1"].value
    assert title == "Bill workbook"


def test_inclusive_tax_and_draft(tmp_path: Path) -> None:
    bill = replace(samples.with_tax(samples.small_bill(), "inclusive"), draft=True)
    formulas, values = opened(bill, small()[1], tmp_path)
    assert named(values, "net_total").value == 4877.47
    assert named(values, "vat_total").value == 292.65
    assert named(values, "gross_total").value == 5170.12
    assert named(formulas, "net_total").value == "=ROUND(billed_total/(1+vat_rate),2)"
    assert "草稿" in values["说明"]["A1"].value


def test_beyond_the_digits_of_a_double_the_workbook_says_so(tmp_path: Path) -> None:
    bill, runs = small()
    note = "10^13"
    for amount, warned in ((Decimal("9999999999999.99"), False), (Decimal("10000000000000.01"), True)):
        line = replace(bill.lines[0], list_cost=amount, billed_cost=amount)
        large = samples.with_tax(replace(bill, lines=(line,)), "none")
        _, values = opened(large, runs, tmp_path)
        assert Decimal(str(values["汇总"]["M2"].value)) == amount
        texts = [str(cell.value) for row in values["说明"].iter_rows() for cell in row]
        assert any(note in text for text in texts) is warned


def test_two_processes_and_both_ways_write_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys, reports.workbook as w; from pathlib import Path; from tests.reports.test_workbook import small;"
        "w.IN_MEMORY_RUNS = int(sys.argv[2]); w.write_bill_workbook(*small(), Path(sys.argv[1]), 'zh')"
    )
    digests = []
    for name, in_memory in (("a", 100), ("b", 100), ("c", 0), ("d", 0)):
        path = tmp_path / f"{name}.xlsx"
        subprocess.run(
            [sys.executable, "-c", script, str(path), str(in_memory)],
            check=True,
            cwd=Path(__file__).resolve().parents[2],
            env={"TZ": "UTC" if name in "ac" else "Asia/Shanghai", "PATH": ""},
        )
        digests.append(hashlib.sha256(path.read_bytes()).hexdigest())
    assert digests[0] == digests[1]
    assert digests[2] == digests[3]
    with zipfile.ZipFile(tmp_path / "a.xlsx") as one, zipfile.ZipFile(tmp_path / "c.xlsx") as other:
        assert {name: one.read(name) for name in one.namelist()} == {
            name: other.read(name) for name in other.namelist()
        }
        assert b"2026-09-30T00:00:00Z" in one.read("docProps/core.xml")


def test_local_serials_follow_the_zone_through_a_change_of_clocks() -> None:
    # Berlin left summer time at 2026-10-25 01:00 UTC: 02:59:59 summer time is followed by 02:00:00 winter time.
    change = int(datetime(2026, 10, 25, 1, tzinfo=UTC).timestamp())
    serials = local_serials(pa.chunked_array([[change - 1, None, change]], pa.int64()), "Europe/Berlin")
    day = (date(2026, 10, 25) - date(1899, 12, 30)).days
    assert serials[0] == pytest.approx(day + (2 * 3600 + 59 * 60 + 59) / 86_400, abs=1e-9)
    assert serials[1] is None
    assert serials[2] == pytest.approx(day + 2 / 24, abs=1e-9)


def test_no_runs_at_all(tmp_path: Path) -> None:
    bill, runs = small()
    empty = samples.with_tax(
        replace(bill, lines=(), by_project=(), by_user=(), by_day=(), not_charged=()), "none"
    )
    _, values = opened(empty, runs.slice(0, 0), tmp_path)
    assert named(values, "billed_total").value == 0
    assert named(values, "run_total").value == 0
    assert "未计费" not in values.sheetnames
