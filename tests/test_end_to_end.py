"""The whole road on the sample site, from sacct's answers to signed paper, against figures worked out without hesuan.

The figures are those of sample_data/expected.json (by sample_data.expected, which knows no SQL). Everything here is read
from what a user gets: exports, bills, what the command prints.
"""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

import openpyxl
import pyarrow.parquet as pq
import pytest
from command import hesuan
from pypdf import PdfReader
from sample import PERIODS, SEPTEMBER, rows_of, said_of

from models.mart import mart_reader
from sample_data.expected import expected

USAGE = [
    "tenant",
    "scheduler",
    "cluster",
    "partition",
    "qos",
    "resource",
    "quantity",
    "unit",
    "base_quantity",
    "base_unit",
]
CHARGES = [
    "line", "tenant", "item", "quantity", "unit", "unit_price", "list_cost", "billed_cost", "currency", "tariff_version",
]  # fmt: skip
FINDINGS = ["source", "location", "reason", "detail"]
# Base units of a unit: ms of an hour for cores and devices; MiB-seconds of a GiB-hour; seconds of a node-hour.
FACTORS = {
    "core-hour": 3_600_000,
    "device-hour": 3_600_000,
    "GiB-hour": 1024 * 3600,
    "node-hour": 3600,
    "billing-hour": 3_600_000,
}


@pytest.mark.parametrize("period", PERIODS)
def test_every_line_is_as_worked_out(exports, period):
    places = Decimal("0.000001")
    found = sorted(
        (
            *(row[name] for name in ("tenant", "tariff_version", "item", "resource")),
            *(Decimal(row[name]) for name in ("quantity", "unit_price", "amount", "list_amount")),
        )
        for row in exports["charges", period]
    )
    assert found == sorted(
        (
            *(tenant, line["version"], line["item"], line["resource"]),
            *(Decimal(line["quantity"]).quantize(places), Decimal(line["price"])),
            *(Decimal(line["amount"]), Decimal(line["list_amount"])),
        )
        for tenant, bill in said_of(period)["tenants"].items()
        for line in bill["lines"]
    )
    assert len(found) > 20


@pytest.mark.parametrize("period", PERIODS)
def test_all_use_is_as_worked_out(exports, period):
    consumed: dict[tuple[str, str], int] = defaultdict(int)
    parts: dict[tuple[str, str], int] = defaultdict(int)
    for row in exports["usage", period]:
        if row["resource"] == "cpu" or ":" in row["resource"]:
            consumed[row["tenant"], row["resource"]] += int(row["base_quantity"])
            for name in ("priced", "free", "refunded", "unbilled"):
                parts[row["tenant"], f"{name} {row['resource']}"] += int(row[name])
    figures = said_of(period)
    assert dict(consumed) == {
        (tenant, resource): ms
        for tenant, bill in figures["tenants"].items()
        for resource, ms in bill["consumed_ms"].items()
    }
    assert sum(ms for (_, resource), ms in consumed.items() if resource == "cpu") == figures["core_ms"]
    for resource, ms in figures["device_ms"].items():
        assert sum(held for (_, word), held in consumed.items() if word == resource) == ms
    wanted: dict[tuple[str, str], int] = defaultdict(int)
    words = {"refund": "refunded", "free": "free", "suspended": "unbilled"}
    for tenant, bill in figures["tenants"].items():
        for line in bill["lines"]:
            wanted[tenant, f"priced {line['resource']}"] += line["priced_ms"]
        for word, ms in bill["not_charged_ms"].items():
            reason, resource = word.split(" ")
            wanted[tenant, f"{words[reason]} {resource}"] += ms
    assert {key: ms for key, ms in parts.items() if ms} == {key: ms for key, ms in wanted.items() if ms}


@pytest.mark.parametrize("period", PERIODS)
def test_bills_and_runs_are_as_worked_out(all_bills, period):
    figures = said_of(period)["tenants"]
    folder = all_bills[period]
    number = f"JS-{period.replace('-', '')}"
    suffixes = (".pdf", ".xlsx", "-lines.csv", "-runs.csv", "-lines.parquet", "-runs.parquet")
    assert {path.name for path in folder.iterdir()} == {
        f"{number}-{tenant}{suffix}" for tenant in figures for suffix in suffixes
    }
    for tenant, bill in figures.items():
        lines, runs = (rows_of(folder / f"{number}-{tenant}-{kind}.csv") for kind in ("lines", "runs"))
        assert sum(Decimal(row["billed_cost"]) for row in lines) == Decimal(bill["net"])
        assert sum(Decimal(row["amount"]) for row in lines) == Decimal(bill["gross"])
        assert sum(Decimal(row["billed_cost"]) for row in runs) == Decimal(bill["gross"]), (
            "printed amounts, shared out"
        )
        assert (
            len({(row["cluster"], row["job_id"], row["submit_s"], row["start_s"]) for row in runs})
            == bill["runs"]
        )
        for kind in ("lines", "runs"):
            table = pq.read_table(folder / f"{number}-{tenant}-{kind}.parquet")
            assert table.column_names == list(rows_of(folder / f"{number}-{tenant}-{kind}.csv")[0])
            assert table.num_rows == len({"lines": lines, "runs": runs}[kind])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_totals_stand_on_the_paper(demo_zh, demo_en, lang):
    demo = demo_zh if lang == "zh" else demo_en
    figures = said_of(SEPTEMBER)["tenants"]
    papers = sorted(demo.bills.glob("*.pdf"))
    assert [path.name for path in papers] == [f"JS-202609-{tenant}.pdf" for tenant in figures]
    for path, bill in zip(papers, figures.values(), strict=True):
        reader = PdfReader(path)
        first = reader.pages[0].extract_text()
        for name in ("net", "tax", "gross"):
            assert f"{Decimal(bill[name]):,.2f}" in first
        assert ("结算单" if lang == "zh" else "Statement of charges") in first
        whole = re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))
        for line in bill["lines"]:
            assert f"{Decimal(line['amount']):,.2f}" in whole
            assert f"{Decimal(line['quantity']):,}" in whole


def test_totals_stand_in_the_workbook(demo_zh):
    for tenant, bill in said_of(SEPTEMBER)["tenants"].items():
        book = openpyxl.load_workbook(
            demo_zh.bills / f"JS-202609-{tenant}.xlsx", data_only=True, read_only=True
        )
        cells = {
            cell for sheet in book.worksheets for row in sheet.iter_rows(values_only=True) for cell in row
        }
        numbers = {
            Decimal(str(cell)).quantize(Decimal("0.01")) for cell in cells if isinstance(cell, int | float)
        }
        assert {Decimal(bill[name]) for name in ("net", "tax", "gross")} <= numbers, tenant


@pytest.mark.parametrize("period", PERIODS)
def test_every_record_is_accounted_for(demo_zh, tmp_path, period):
    figures = expected()
    said = hesuan("report", "reconciliation", period, "--out", tmp_path, site=demo_zh.site)
    assert said.code == 0, said.out
    fates = rows_of(tmp_path / f"reconciliation-{period}.csv")
    for cluster, records in figures["records"].items():
        here = [row for row in fates if row["cluster"] == cluster]
        assert sum(int(row["records"]) for row in here) == records["allocations"]
        assert sum(int(row["records"]) for row in here if row["fate"] == "rejected") == records["rejected"]
    assert sum(int(row["records"]) for row in fates if row["fate"] == "held") == said_of(period)["held_runs"]
    hours = sum(Decimal(row["core_hours"]) for row in fates if row["fate"] == "billed")
    # Each row's hours are rounded to six places.
    assert abs(hours * 3_600_000 - said_of(period)["core_ms"]) <= 2 * len(fates)
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / f"reconciliation-{period}.pdf").pages)
    gross = sum(Decimal(bill["gross"]) for bill in said_of(period)["tenants"].values())
    assert f"{gross:,.2f}" in text


def test_the_demo_says_what_came_of_the_records(demo_zh, demo_en):
    for demo in (demo_zh, demo_en):
        for cluster, records in expected()["records"].items():
            (line,) = [line for line in demo.said.out.splitlines() if f"sacct-{cluster}" in line]
            numbers = [
                int(word.replace(",", ""))
                for word in re.findall(r"(?<![\w.-])\d[\d,]*\b(?!\.)", line.partition(".gz")[2])
            ]
            assert numbers[1:] == [records[name] for name in ("allocations", "kept", "rejected", "steps")]


@pytest.mark.parametrize("period", PERIODS)
def test_exports_have_the_columns_that_were_promised(exports, period):
    for kind, columns in (("usage", USAGE), ("charges", CHARGES), ("findings", FINDINGS)):
        rows = exports[kind, period]
        assert rows
        assert list(rows[0])[: len(columns)] == columns
    for row in exports["usage", period]:
        assert row["scheduler"] == "slurm"
        exact = Decimal(row["base_quantity"]) / FACTORS[row["unit"]]
        assert Decimal(row["quantity"]) == exact.quantize(Decimal("0.000001"), ROUND_HALF_UP)
        assert re.fullmatch(r"\d+\.\d{6}", row["quantity"])
        assert int(row["base_quantity"]) == sum(
            int(row[name]) for name in ("priced", "free", "refunded", "unbilled")
        )
    for row in exports["charges", period]:
        amount = (Decimal(row["quantity"]) * Decimal(row["unit_price"])).quantize(
            Decimal("0.01"), ROUND_HALF_UP
        )
        assert amount == Decimal(row["amount"]), "whoever recomputes gets what is printed"
        assert (row["currency"], len(row["billed_cost"].partition(".")[2])) == ("CNY", 2)
    assert {"bad-time", "runaway", "unassigned"} & {row["reason"] for row in exports["findings", period]}


@pytest.mark.parametrize("period", PERIODS)
def test_the_sum_of_the_exports_is_the_sum_of_the_bills(demo_zh, exports, period):
    with mart_reader(demo_zh.site / "mart", period) as con:
        bills = con.execute("SELECT SUM(net), SUM(gross) FROM out_bill").fetchall()[0]
    rows = exports["charges", period]
    assert (
        sum(Decimal(row["billed_cost"]) for row in rows),
        sum(Decimal(row["amount"]) for row in rows),
    ) == bills
    figures = said_of(period)["tenants"].values()
    assert bills == (
        sum(Decimal(bill["net"]) for bill in figures),
        sum(Decimal(bill["gross"]) for bill in figures),
    )


def test_parquet_says_the_same_as_csv(demo_zh, exports, tmp_path):
    for kind in ("usage", "charges", "findings"):
        path = tmp_path / f"{kind}.parquet"
        assert hesuan("export", kind, SEPTEMBER, "--out", path, site=demo_zh.site).code == 0
        rows = pq.read_table(path).to_pylist()
        assert [{name: _as_csv(cell) for name, cell in row.items()} for row in rows] == exports[
            kind, SEPTEMBER
        ]


def _as_csv(cell: object) -> str:
    return "" if cell is None else f"{cell:f}" if isinstance(cell, Decimal) else str(cell)
