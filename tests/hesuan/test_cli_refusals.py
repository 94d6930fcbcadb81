"""What the command refuses of its words and its site: every error reached for real and said in full."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from command import hesuan, hesuan_alone
from refusal import (
    PERIOD,
    READERS,
    read,
    refused,
)

from hesuan.cli import _as_hesuan
from models.catalogue import entries
from models.engine import SqlError
from models.errors import HesuanError


def test_bad_lang():
    refused(hesuan("check", PERIOD, lang="fr"), "cli.bad_lang", "fr", lang="zh")


def test_errors_speak_the_language_that_was_asked_for(tmp_path):
    for lang in ("zh", "en"):
        refused(hesuan("check", PERIOD, site=tmp_path, lang=lang), "site.no_file", tmp_path, lang=lang)


@pytest.mark.parametrize("form", ["junk", "pdf,docx", "", ",", "pdf;xlsx"])
def test_bad_format(site, form):
    refused(hesuan("report", "bill", PERIOD, "--format", form, site=site), "cli.bad_format", "pdf, xlsx, csv")
    refused(
        hesuan("report", "reconciliation", PERIOD, "--format", form or "xlsx", site=site),
        "cli.bad_format",
        "pdf, csv",
    )


@pytest.mark.parametrize("option", ["--since", "--until"])
@pytest.mark.parametrize(
    "moment",
    ["yesterday", "", "2026-13-01", "2026-09-31", "2026-09-01T25:00", "9" * 30, "0001-01-01", "1969-12-31", "1e9", "-5"],
)  # fmt: skip
def test_bad_moment(site, option, moment):
    begin = [] if option == "--since" else ["--since", "2026-09-01"]
    said = hesuan(
        "ingest", "slurm", "--cluster", "c1", *begin, f"{option}={moment}", "--sacct", "/no/sacct", site=site
    )
    refused(said, "cli.bad_moment", f"'{moment}'")


def test_since_later_than_until(site):
    said = hesuan(
        "ingest", "slurm", "--cluster", "c1", "--since", "2026-09-02", "--until", "2026-09-01", site=site
    )
    refused(said, "live.empty_window", "2026-09-01T16:00", "2026-08-31T16:00")


def test_file_or_window(site, tmp_path):
    for words in (
        ("--file", tmp_path / "x", "--since", "2026-09-01"),
        (tmp_path / "x", "--until", "2026-09-01"),
    ):
        refused(hesuan("ingest", "slurm", "--cluster", "c1", *words, site=site), "cli.file_or_window")


def test_columns_need_file(site):
    for words in (("--columns", "JobID"), ("--timezone", "UTC")):
        refused(hesuan("ingest", "slurm", "--cluster", "c1", *words, site=site), "cli.columns_need_file")


def test_no_tenant(site, tmp_path):
    said = hesuan(
        "report", "bill", PERIOD, "--tenant", "ai-gu", "--tenant", "nobody", "--out", tmp_path, site=site
    )
    refused(said, "cli.no_tenant", PERIOD, "tenant nobody", "ai-gu, ai-he")
    assert not list(tmp_path.glob("*.pdf"))


def test_no_line(site):
    refused(hesuan("explain", PERIOD, "ai-gu-01", site=site), "cli.no_line", "ai-gu-01", "ai-gu-001")


@pytest.mark.parametrize("command", [command for command in READERS if command[0] in {"report", "export"}])
def test_a_place_that_cannot_be_written(site, tmp_path, command):
    file = tmp_path / "file"
    file.write_text("mine")
    refused(read(site, command, PERIOD, file), "cli.os_error", file)
    refused(read(site, command, PERIOD, Path("/proc/none")), "cli.os_error", "/proc/none")
    assert file.read_text() == "mine"


def test_an_export_over_a_folder_or_of_no_known_form(site, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    refused(
        hesuan("export", "usage", PERIOD, "--out", tmp_path / "folder.csv", site=site),
        "cli.os_error",
        "folder.csv",
    )
    said = hesuan("export", "usage", PERIOD, "--out", tmp_path / "x.json", site=site)
    refused(said, "workbook.suffix", tmp_path / "x.json")
    assert [file.name for file in tmp_path.iterdir() if file.name != "site"] == ["folder.csv"]


def test_a_fault_of_ours_is_said_in_a_line():
    error = _as_hesuan(ZeroDivisionError("division by zero"))
    assert error.key == "cli.program_fault"
    assert "ZeroDivisionError: division by zero" in error.text("en")
    fault = _as_hesuan(OSError(5, "Input/output error"))
    assert (fault.key, fault.values) == ("cli.os_fault", {"cause": "Input/output error"})
    assert _as_hesuan(duckdb.IOException("a\nb")).values == {"cause": "a"}
    fault = SqlError("core_use: no such table")
    assert _as_hesuan(fault).key == "cli.program_fault"
    fault.__cause__ = duckdb.OutOfMemoryException("could not allocate")
    assert _as_hesuan(fault).key == "cli.no_memory"
    assert _as_hesuan(duckdb.InvalidInputException("no such thing")).key == "cli.program_fault"
    assert _as_hesuan(HesuanError("mart.missing", period="2026-09")).key == "mart.missing"


def test_a_word_that_is_no_text(site):
    for words in (
        ("explain", PERIOD, "met-001", "--job", "\udcff"),
        ("explain", PERIOD, "\udcff"),
        ("check", "\udcff"),
    ):
        refused(hesuan(*words, site=site), "cli.not_text", r"'\xff'")


PERIODS = (
    "", " ", "2026-9", "2026/09", "202609", "2026-13", "2026-00", "09-2026", "2026-09-01", "2026-09 ", "2026-09\n", "２０２６-09",
    "二〇二六年九月", "../../../etc/passwd", "--", "-1", "0000-01", "9999-12", "2026-09;DROP TABLE x", "x" * 5000,
)  # fmt: skip


@pytest.mark.parametrize("period", PERIODS)
def test_what_is_no_month(site, tmp_path, period):
    for said in (
        hesuan("build", "--", period, site=site),
        *(read(site, one, period, tmp_path) for one in READERS),
    ):
        assert (said.code, said.out) == (2, "")
        assert "2026-09" in said.err, "how to write it"
        assert entries()["cli.program_fault"]["en"][:20] not in said.err
        if period != "2026-09\n":
            refused(said, "period.form", f"'{period}'")


def test_a_demo_over_something_else(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.tex").write_text("mine")
    refused(hesuan("demo", "--out", tmp_path), "demo.not_ours", tmp_path / "site")
    assert [file.name for file in (tmp_path / "site").iterdir()] == ["thesis.tex"]
    (tmp_path / "file").write_text("mine")
    refused(hesuan("demo", "--out", tmp_path / "file"), "cli.os_error", tmp_path / "file")


def test_site_missing_or_broken(site, tmp_path):
    (tmp_path / "empty").mkdir()
    for words in (("build", PERIOD), ("ingest", "slurm", "--cluster", "c1", "--file", __file__)):
        for place in (tmp_path / "empty", tmp_path / "nowhere", Path(__file__)):
            key = "toml.unreadable" if place.is_file() else "site.no_file"
            refused(hesuan(*words, site=place), key, place)
    for file, key in (("site.toml", "site"), ("tariffs.toml", "tariffs")):
        whole = (site / file).read_bytes()
        for broken in (b"", b"name = \xff", b"[[[", b'surprise = "x"\n' + whole, b"\0" * 100):
            (site / file).write_bytes(broken)
            said = hesuan("build", PERIOD, site=site)
            assert (said.code, said.out) == (2, ""), (key, broken[:20])
            assert str(site / file) in said.err
            assert "A fault of this program" not in said.err
        (site / file).write_bytes(whole)
    (site / "site.toml").write_bytes(b"[[[")
    assert hesuan("check", PERIOD, site=site).code == 0, "what was built can be read while the site is edited"


def test_an_init_over_a_site(site):
    refused(hesuan("init", site), "site.exists", site / "site.toml")


def test_no_traceback_where_python_itself_would_make_one(site):
    said = hesuan_alone("build", PERIOD, site=site / "raw.duckdb")
    refused(said, "toml.unreadable", "raw.duckdb")


def test_every_error_of_the_command_and_its_stores_is_reached():
    root = Path(__file__).resolve().parents[2]
    raised = {
        key
        for room in ("hesuan", "ingest", "models", "reports")
        for file in (root / room).rglob("*.py")
        for key in re.findall(r'HesuanError\(\s*"((?:cli|mart|store|period|demo)\.\w+)"', file.read_text())
    }
    tested = "".join(file.read_text() for file in Path(__file__).parent.glob("test_cli_*.py"))
    assert {key for key in raised if f'"{key}"' not in tested} == set()
    assert len(raised) > 20
