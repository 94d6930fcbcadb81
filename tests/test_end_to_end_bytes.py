"""The sample site once more: down to the bytes of sacct, and the same bytes out of the same inputs, whatever the way."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import hesuan
from pypdf import PdfReader
from sample import PERIODS, SEPTEMBER, bytes_of, said_of

from hesuan import __version__
from models.mart import mart_reader
from reports import bills as bills_room
from reports.bills import write_bills
from reports.load import tenants
from sample_data.expected import HERE, expected
from sample_data.sources import SOURCES


def _source_records(cluster: str) -> set[str]:
    (source,) = [source for source in SOURCES if source.cluster == cluster]
    return {
        line.decode("utf-8", "backslashreplace")
        for line in gzip.decompress((HERE / source.file).read_bytes()).split(b"\n")
    }


def test_a_line_is_explained_down_to_the_words_of_sacct(demo_zh, exports):
    said = {source.cluster: _source_records(source.cluster) for source in SOURCES}
    seen = 0
    for row in exports["charges", SEPTEMBER][::2]:
        line = hesuan("explain", SEPTEMBER, row["line"], "--runs", "5", "--json", site=demo_zh.site).json
        assert (line["amount"], line["item"], line["tenant"]) == (row["amount"], row["item"], row["tenant"])
        assert Decimal(line["priced_base"]) / line["base_per_unit"] == pytest.approx(
            Decimal(row["quantity"]), abs=Decimal("0.00005")
        )
        for run in line["runs"]:
            record = run["record"].replace("␟", "\x1f")
            if "\\x" not in record:  # a line end in a name is shown so; the file's line is then cut there
                assert record in said[run["cluster"]]
                seen += 1
    assert seen > 100


def test_all_runs_of_a_line_add_up_to_it(demo_zh, exports):
    for row in exports["charges", SEPTEMBER][::5]:
        line = hesuan("explain", SEPTEMBER, row["line"], "--runs", "100000", "--json", site=demo_zh.site).json
        assert len(line["runs"]) == line["runs_count"] > 0
        assert sum(Decimal(run["amount"]) for run in line["runs"]) == Decimal(row["amount"])


def test_a_job_is_explained_with_its_bytes(demo_zh):
    # Job 690070 came round again (its id was recycled): two runs under one id. A name with a Latin-1 byte is shown so.
    with mart_reader(demo_zh.site / "mart", SEPTEMBER) as con:
        found = con.execute(
            """
            SELECT DISTINCT c.line, r.job_id, r.job_name FROM out_run AS r JOIN out_run_charge AS c ON c.run_no = r.run_no
            WHERE r.job_name LIKE '%Thermo%' OR r.job_id = '690070' ORDER BY ALL
            """
        ).fetchall()
    assert {job for _, job, _ in found} >= {"690070"}
    for line, job, _ in found:
        said = hesuan("explain", SEPTEMBER, line, "--job", job, site=demo_zh.site, lang="zh")
        assert said.code == 0
        assert f" {job}  " in said.out
        assert "原始记录" in said.out
    latin = [(line, job) for line, job, name in found if "Thermo" in name]
    assert any(
        "f\\xfcr-Thermo" in hesuan("explain", SEPTEMBER, line, "--job", job, site=demo_zh.site).out
        for line, job in latin
    )


def test_the_same_inputs_give_the_same_bytes_elsewhere(demo_zh, demo_again):
    assert (demo_again.said.out, demo_again.said.err) == ("", ""), "it was asked to be quiet"
    assert bytes_of(demo_zh.bills) == bytes_of(demo_again.bills)
    for name in ("reconciliation-2026-09.pdf", "reconciliation-2026-09.csv"):
        assert (demo_zh.out / name).read_bytes() == (demo_again.out / name).read_bytes()


def _ingest(site: Path, order: Iterator[Any]) -> None:
    for source in order:
        zone = ["--timezone", source.timezone] if source.timezone else []
        said = hesuan(
            "ingest", "slurm", "--cluster", source.cluster, "--file", HERE / source.file, *zone, site=site
        )
        assert said.code in {0, 1}, said.err


def _everything(site: Path, out: Path) -> dict[str, bytes]:
    """All that is made of a site for both months, as bytes."""
    for period in PERIODS:
        assert hesuan("build", period, site=site).code == 0
    return _reports(site, out, PERIODS)


def _reports(site: Path, out: Path, periods: tuple[str, ...]) -> dict[str, bytes]:
    for period in periods:
        said = hesuan(
            "report", "bill", period, "--out", out, "--format", "pdf,xlsx,csv,parquet", site=site, lang="zh"
        )
        assert said.code == 0, said.err
        for kind in ("usage", "charges"):
            assert (
                hesuan("export", kind, period, "--out", out / f"{kind}-{period}.parquet", site=site).code == 0
            )
    return bytes_of(out)


def test_order_and_repetition_of_what_is_read_change_nothing(all_bills, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for name in ("site.toml", "tariffs.toml"):
        shutil.copyfile(HERE / name, site / name)
    _ingest(site, reversed(SOURCES))
    found = _everything(site, tmp_path / "a")
    for period in PERIODS:
        for name, content in bytes_of(all_bills[period]).items():
            assert found[name] == content, name
    raw = (site / "raw.duckdb").read_bytes()
    for source in SOURCES:
        zone = ["--timezone", source.timezone] if source.timezone else []
        (again,) = hesuan(
            "ingest",
            "slurm",
            "--cluster",
            source.cluster,
            "--file",
            HERE / source.file,
            *zone,
            "--json",
            site=site,
        ).json
        assert again["already"] is True
        assert again["records"] == expected()["records"][source.cluster]["allocations"]
    assert (site / "raw.duckdb").read_bytes() == raw
    hashes = [hesuan("build", SEPTEMBER, "--json", site=site).json["input_hash"] for _ in range(2)]
    assert hashes[0] == hashes[1]
    again = _reports(site, tmp_path / "b", (SEPTEMBER,))
    assert again.items() <= found.items(), "a new build of the same inputs"


def test_several_processes_write_the_same_bytes_as_one(demo_zh, all_bills, tmp_path, monkeypatch):
    monkeypatch.setattr(bills_room, "GROUP", 3)
    marts = demo_zh.site / "mart"
    with mart_reader(marts, SEPTEMBER) as con:
        asked = tenants(con)
    told: list[tuple[int, int]] = []
    written = write_bills(
        marts, SEPTEMBER, asked, tmp_path, formats=("pdf", "xlsx", "csv", "parquet"), lang="zh", draft=True,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert bytes_of(tmp_path) == bytes_of(all_bills[SEPTEMBER])
    assert [path.name for path in written] == sorted(
        (path.name for path in tmp_path.iterdir()), key=lambda name: (_tenant(name, asked), _kind(name))
    )
    assert told[-1] == (8, 8)
    assert len(told) == 3


def _tenant(name: str, asked: tuple[str, ...]) -> int:
    (place,) = [n for n, tenant in enumerate(asked) if re.match(rf"JS-202609-{tenant}[-.]", name)]
    return place


def _kind(name: str) -> int:
    kinds = (".pdf", ".xlsx", "-lines.csv", "-runs.csv", "-lines.parquet", "-runs.parquet")
    return next(n for n, kind in enumerate(kinds) if name.endswith(kind))


def test_an_error_in_another_process_is_said_as_if_there_were_one(demo_zh, tmp_path, monkeypatch):
    monkeypatch.setattr(bills_room, "GROUP", 3)
    (tmp_path / "file").write_text("mine")
    said = hesuan("report", "bill", SEPTEMBER, "--out", tmp_path / "file", site=demo_zh.site)
    assert (said.code, said.out) == (2, "")
    assert str(tmp_path / "file") in said.err
    assert len(said.err.splitlines()) == 1


def test_the_month_before_stands_beside_where_it_was_built(demo_zh, tmp_path):
    site = Path(shutil.copytree(demo_zh.site, tmp_path / "site"))
    words = ("report", "bill", SEPTEMBER, "--tenant", "ai-gu", "--format", "pdf")
    before = said_of("2026-08")["tenants"]["ai-gu"]["net"]
    assert hesuan(*words, "--out", tmp_path / "with", site=site).code == 0
    (site / "mart" / "manifest.json").write_text(json.dumps({"marts": {SEPTEMBER: "2026-09-0001.duckdb"}}))
    assert hesuan(*words, "--out", tmp_path / "without", site=site).code == 0
    texts = [
        PdfReader(tmp_path / one / "JS-202609-ai-gu.pdf").pages[0].extract_text()
        for one in ("with", "without")
    ]
    amount = f"{Decimal(before):,.2f} in August 2026"
    assert amount in " ".join(texts[0].split())
    assert "no statement of August 2026 to compare with" in " ".join(texts[1].split())


def test_a_reader_goes_on_reading_what_it_opened(demo_zh, tmp_path):
    site = Path(shutil.copytree(demo_zh.site, tmp_path / "site"))
    with mart_reader(site / "mart", SEPTEMBER) as con:
        (site / "tariffs.toml").write_text(
            (site / "tariffs.toml").read_text().replace('price = "0.06"', 'price = "0.05"')
        )
        for _ in range(4):  # more than are kept: the one that is being read is swept
            assert hesuan("build", SEPTEMBER, site=site).code == 0
        assert not (site / "mart" / "2026-09-0001.duckdb").exists()
        old = con.execute("SELECT SUM(gross), (SELECT COUNT(*) FROM out_run) FROM out_bill").fetchall()
    gross = sum(Decimal(bill["gross"]) for bill in said_of(SEPTEMBER)["tenants"].values())
    runs = sum(bill["runs"] for bill in said_of(SEPTEMBER)["tenants"].values())
    assert old == [(gross, runs)]
    with mart_reader(site / "mart", SEPTEMBER) as con:
        assert con.execute("SELECT SUM(gross) < ? FROM out_bill", [gross]).fetchall() == [(True,)]
    assert len(list((site / "mart").glob("2026-09-*"))) == 3


def test_what_is_printed_says_what_it_came_from(demo_zh):
    with mart_reader(demo_zh.site / "mart", SEPTEMBER) as con:
        ((digest,),) = con.execute("SELECT input_hash FROM mart_fact").fetchall()
    for path in demo_zh.bills.glob("*.pdf"):
        text = PdfReader(path).pages[-1].extract_text()
        assert digest[:12] in text
        assert f"hesuan {__version__}" in text
