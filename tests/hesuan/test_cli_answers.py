"""What the command answers: exit codes, JSON for scripts, silence when asked, plain lines where there is no terminal."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from command import PROGRAM, environment, hesuan

from sample_data.sources import folder

PERIOD = "2026-09"
GPU = (
    "ingest",
    "slurm",
    "--cluster",
    "gpu1",
    "--file",
    folder() / "sacct-gpu1.txt.gz",
    "--timezone",
    "Asia/Shanghai",
)
CPU = ("ingest", "slurm", "--cluster", "cpu1", "--file", folder() / "sacct-cpu1.txt.gz")
SUMMARY = {
    "period",
    "tenants",
    "core_hours",
    "device_hours",
    "net",
    "tax",
    "gross",
    "currency",
    "findings",
    "errors",
}
BATCH = {"batch_id", "format", "records", "kept", "rejected", "steps", "already"}


def tamper(site: Path) -> None:
    """Take a fen off a line of the published mart."""
    name = json.loads((site / "mart" / "manifest.json").read_text())["marts"][PERIOD]
    with duckdb.connect(str(site / "mart" / name)) as con:
        con.execute(
            "UPDATE out_charge_line SET billed_amount = billed_amount - 0.01, billed_fen = billed_fen - 1 WHERE line = 'ai-gu-001'"
        )


def test_exit_code_is_one_where_there_is_something_to_look_at(site, new_site, tmp_path):
    assert hesuan(*CPU, site=new_site).code == 0
    assert hesuan(*GPU, site=new_site).code == 1, "one record of gpu1 cannot be read"
    assert hesuan(*GPU, site=new_site).code == 1, "nor the second time"
    assert hesuan("check", PERIOD, site=site).code == 0
    tamper(site)
    check = hesuan("check", PERIOD, site=site)
    assert check.code == 1
    assert "FAILS" in check.out
    assert "ai-gu" in check.out
    out = tmp_path / "out"
    report = hesuan("report", "reconciliation", PERIOD, "--out", out, site=site)
    assert report.code == 1
    assert "hesuan check 2026-09" in report.out
    assert hesuan("report", "bill", PERIOD, "--tenant", "met", "--out", out, site=site).code == 0


def test_a_first_month(new_site, tmp_path, monkeypatch):
    said = hesuan("init", tmp_path / "own")
    assert said.code == 0
    assert said.out.splitlines()[:2] == [
        f"wrote {tmp_path / 'own' / name}" for name in ("site.toml", "tariffs.toml")
    ]
    assert f"hesuan --site {tmp_path / 'own'} ingest slurm" in said.out
    monkeypatch.chdir(new_site)  # as a user who stands in the directory
    assert hesuan(*CPU).code == 0
    assert hesuan("build", PERIOD).code == 0
    assert hesuan("check", PERIOD).code == 0
    assert hesuan("report", "bill", PERIOD, "--tenant", "met", "--format", "pdf").code == 0
    assert hesuan("report", "reconciliation", PERIOD).code == 0
    assert sorted(path.name for path in (new_site / "reports" / PERIOD).iterdir()) == [
        "JS-202609-met.pdf",
        "reconciliation-2026-09.csv",
        "reconciliation-2026-09.pdf",
    ]


def test_json_of_every_command(site, new_site, tmp_path):
    (batch,) = hesuan(*GPU, "--json", site=new_site).json
    assert set(batch) >= BATCH
    assert (batch["records"], batch["kept"], batch["rejected"], batch["steps"], batch["already"]) == (
        1117,
        1116,
        1,
        2226,
        False,
    )
    built = hesuan("build", PERIOD, "--json", site=site).json
    assert set(built) >= SUMMARY | {"mart", "input_hash"}
    assert Path(built["mart"]).exists()
    assert re.fullmatch("[0-9a-f]{64}", built["input_hash"])
    assert (built["tenants"], built["net"], built["gross"]) == (8, "74556.14", "79029.51")
    check = hesuan("check", PERIOD, "--json", site=site).json
    assert set(check) >= {"period", "checks", "failed", "findings"}
    assert (check["failed"], check["findings"].get("error", 0)) == ({}, 0)
    files = hesuan(
        "report", "bill", PERIOD, "--tenant", "met", "--out", tmp_path / "b", "--json", site=site
    ).json
    assert [Path(file).name for file in files] == [
        "JS-202609-met.pdf", "JS-202609-met.xlsx", "JS-202609-met-lines.csv", "JS-202609-met-runs.csv",
    ]  # fmt: skip
    assert all(Path(file).stat().st_size for file in files)
    report = hesuan("report", "reconciliation", PERIOD, "--out", tmp_path / "r", "--json", site=site).json
    assert report["adds_up"] is True
    assert [Path(file).suffix for file in report["files"]] == [".pdf", ".csv"]
    line = hesuan("explain", PERIOD, "ai-gu-001", "--runs", "2", "--json", site=site).json
    assert set(line) >= {
        "line", "tenant", "item", "resource", "unit", "base_unit", "priced_base", "consumed_base", "base_per_unit", "quantity",
        "list_price", "price", "list_amount", "amount", "currency", "tariff_version", "tariff_sha256", "pattern", "runs_count", "runs",
    }  # fmt: skip
    assert len(line["runs"]) == 2
    assert set(line["runs"][0]) >= {
        "cluster",
        "job_id",
        "begin_s",
        "reach_s",
        "quantity",
        "amount",
        "batch",
        "record_no",
        "record",
    }
    tamper(site)
    failed = hesuan("check", PERIOD, "--json", site=site)
    assert failed.code == 1
    assert failed.json["failed"]


def test_json_is_all_that_is_printed(site, new_site, tmp_path):
    for words in ((*CPU, "--json"), (*GPU, "--json")):
        assert set(hesuan(*words, site=new_site).json[0]) >= BATCH
    for words in (
        ("build", PERIOD), ("check", PERIOD), ("explain", PERIOD, "met-001"),
        ("report", "bill", PERIOD, "--tenant", "met", "--out", tmp_path), ("report", "reconciliation", PERIOD, "--out", tmp_path),
    ):  # fmt: skip
        said = hesuan(*words, "--json", site=site)
        assert said.json
        assert said.err == ""


def test_quiet_says_only_what_was_asked_for(site, new_site, tmp_path):
    for words in (CPU, GPU):
        said = hesuan("-q", *words, site=new_site)
        assert (said.out, said.err) == ("", "")
    for words in (
        ("build", PERIOD), ("check", PERIOD), ("report", "bill", PERIOD, "--tenant", "met", "--out", tmp_path / "b"),
        ("report", "reconciliation", PERIOD, "--out", tmp_path / "r"), ("export", "usage", PERIOD, "--out", tmp_path / "u.csv"),
    ):  # fmt: skip
        said = hesuan("--quiet", *words, site=site)
        assert (said.code, said.out, said.err) == (0, "", "")
    said = hesuan("-q", "init", tmp_path / "own")
    assert (said.out, said.err) == ("", "")
    # What was asked for is said all the same: the explanation, and the checks that fail.
    assert hesuan("-q", "explain", PERIOD, "met-001", site=site).out.startswith("met-001 ")
    tamper(site)
    failing = hesuan("-q", "check", PERIOD, site=site)
    assert failing.code == 1
    assert "FAILS" in failing.out
    assert "holds" not in failing.out
    assert hesuan("-q", "check", "2026-10", site=site).err


def test_lines_are_plain_and_whole_without_a_terminal(demo_en, tmp_path):
    place = (
        tmp_path / ("a-name-that-is-longer-than-a-narrow-terminal-is-wide-" * 3) / ":warning: [bold]x[/bold]"
    )
    shutil.copytree(demo_en.site, place)
    env = environment(COLUMNS="40", TERM="xterm-256color")
    for words in (
        ("build", PERIOD),
        ("report", "bill", PERIOD, "--tenant", "met", "--out", str(place / "out")),
    ):
        done = subprocess.run(
            [*PROGRAM, "--lang", "en", "--site", str(place), *words], env=env, check=True, capture_output=True
        )
        assert b"\x1b" not in done.stdout + done.stderr
        assert done.stderr == b""
    assert str(place / "out") in done.stdout.decode()
    wrong = subprocess.run(
        [*PROGRAM, "--site", str(place / "none"), "build", PERIOD], env=env, check=False, capture_output=True
    )
    assert wrong.stderr.decode().count("\n") == 1
    assert str(place / "none") in wrong.stderr.decode()
    assert b"\x1b" not in wrong.stderr


def test_the_table_of_the_demo_is_not_cut_without_a_terminal(demo_en):
    assert "\x1b" not in demo_en.said.out
    (row,) = [line for line in demo_en.said.out.splitlines() if line.startswith("September 2026")]
    assert row.split()[2:] == ["8", "438,661.51", "10,665.54", "¥74,556.14", "¥4,473.37", "¥79,029.51"]


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_goes_away(demo_en, lines):
    words = " ".join(
        [
            *map(_quoted, PROGRAM),
            "--site",
            str(demo_en.site),
            "explain",
            PERIOD,
            "ai-gu-001",
            "--runs",
            "5000",
        ]
    )
    done = subprocess.run(
        ["bash", "-c", f"{words} | head -n {lines}; exit ${{PIPESTATUS[0]}}"],
        env=environment(), check=False, capture_output=True,
    )  # fmt: skip
    assert len(done.stdout.splitlines()) == lines
    assert done.stderr == b""
    assert done.returncode in {0, 2}  # 0 where all of it had gone into the pipe before


def _quoted(word: str) -> str:
    return f"'{word}'"


def test_without_an_output_at_all(demo_en):
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(map(_quoted, PROGRAM))} --site {demo_en.site} check {PERIOD} >&- 2>&-"],
        env=environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
def test_a_terminal_that_knows_few_letters(demo_en, encoding):
    raw = subprocess.run(
        [*PROGRAM, "--lang", "zh", "--site", str(demo_en.site), "explain", PERIOD, "ai-gu-001"],
        env=environment(PYTHONIOENCODING=encoding), check=True, capture_output=True,
    )  # fmt: skip
    assert raw.stderr == b""
    # An ASCII stream is taken for a misconfigured one: it is given UTF-8.
    assert "ai-gu-001" in raw.stdout.decode("utf-8" if encoding == "ascii" else encoding)


@pytest.mark.parametrize("job", ["1", "690001_3", "'", "%"])
def test_any_word_may_be_a_job(site, job):
    said = hesuan("explain", PERIOD, "met-001", "--job", job, site=site)
    assert (said.code, said.err) == (0, ""), said
