"""What the command refuses: every error of the command, the marts and the stores, reached for real and said in full."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from command import Said, hesuan, hesuan_alone, start

from hesuan.cli import _as_hesuan
from models.catalogue import entries
from models.engine import SqlError
from models.errors import HesuanError

PERIOD = "2026-09"
HOLD_STORE = (
    "import duckdb, sys, time; con = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep(60)"
)
HOLD_LOCK = (
    "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
    "print('held', flush=True); time.sleep(60)"
)


@pytest.fixture
def site(demo_en, tmp_path) -> Path:
    """A copy of the sample site, to be harmed."""
    return Path(shutil.copytree(demo_en.site, tmp_path / "site"))


@contextmanager
def held(path: Path, how: str = HOLD_STORE) -> Iterator[int]:
    """Another process holds `path`; gives its PID."""
    holder = subprocess.Popen([sys.executable, "-c", how, str(path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield holder.pid
    finally:
        holder.kill()
        holder.communicate()


def refused(said: Said, key: str, *named: object, lang: str = "en") -> None:
    """It was refused with the text of `key`, whole and on one line, naming what it should."""
    template = entries()[key][lang]
    pattern = re.sub(r"\\\{\w+\\\}", "(.*)", re.escape(template))
    assert (said.code, said.out) == (2, ""), said
    assert re.fullmatch(pattern, said.err.rstrip("\n")), said.err
    for word in named:
        assert str(word) in said.err


def newest_mart(site: Path) -> Path:
    return site / "mart" / json.loads((site / "mart" / "manifest.json").read_text())["marts"][PERIOD]


def damage(path: Path, at: int, count: int = 64) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        old = file.read(count)
        file.seek(at)
        file.write(bytes(255 - byte for byte in old))


def until_it_waits(pid: int) -> None:
    """Wait until a process has loaded DuckDB and then uses no processor to speak of."""
    used = -1
    for _ in range(100):
        time.sleep(0.4)
        before, used = (
            used,
            sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])),
        )
        if 0 <= used - before <= 3 and "duckdb" in Path(f"/proc/{pid}/maps").read_text():
            return


def records(site: Path) -> Path:
    """A file with a header and no record."""
    file = site / "sacct.txt"
    file.write_text("JobIDRaw|Account|User|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES\n")
    return file


READERS = (
    ("check",), ("report", "bill"), ("report", "reconciliation"), ("explain", "LINE"),
    ("export", "usage"), ("export", "charges"), ("export", "findings"),
)  # fmt: skip


def read(site: Path, command: tuple[str, ...], period: str, out: Path) -> Said:
    """Call a command that reads a mart."""
    words: list[object] = [word for word in command if word != "LINE"] + ["--", period]
    if command[0] == "export":
        words[-2:-2] = ["--out", out / "x.csv"]
    if command[0] == "explain":
        words.append("ai-gu-001")
    if command[0] == "report":
        words[-2:-2] = ["--out", out]
    return hesuan(*words, site=site)


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


def test_stopped(site):
    # It waits for a store that another process holds, so that the moment does not matter.
    with held(site / "raw.duckdb"):
        process = start(
            "ingest", "slurm", "--cluster", "c1", "--file", records(site), site=site, HESUAN_WAIT_S="30"
        )
        other = start("build", PERIOD, site=site, HESUAN_WAIT_S="30")
        for one in (process, other):
            until_it_waits(one.pid)
            one.send_signal(signal.SIGINT)
        for one in (process, other):
            out, err = one.communicate(timeout=20)
            assert (one.returncode, out, err.decode()) == (130, b"", entries()["cli.stopped"]["en"] + "\n")


def test_a_store_damaged_in_the_middle(site, tmp_path):
    # Not every byte of a store is read for every answer; but one that is damaged is never read as if it were well.
    raw, mart = site / "raw.duckdb", newest_mart(site)
    for path in (raw, mart):
        for part in range(20, 90):
            damage(path, path.stat().st_size * part // 100, 2048)
    calls = [read(site, command, PERIOD, tmp_path) for command in READERS]
    assert {said.code for said in calls} <= {0, 2}
    wrong = [said for said in calls if said.code == 2]
    for said in wrong:
        refused(said, "mart.unreadable", mart, f"hesuan build {PERIOD}")
    assert wrong
    refused(hesuan("build", PERIOD, site=site), "cli.store_fault", "Corrupt database file", "backup")


def test_a_fault_of_ours_is_said_in_a_line():
    error = _as_hesuan(ZeroDivisionError("division by zero"))
    assert error.key == "cli.program_fault"
    assert "ZeroDivisionError: division by zero" in error.text("en")
    assert (
        _as_hesuan(OSError(5, "Input/output error"))
        .text("en")
        .startswith("The operating system says: Input/output error.")
    )
    assert _as_hesuan(duckdb.IOException("a\nb")).values == {"cause": "a"}
    fault = SqlError("core_use: no such table")
    assert _as_hesuan(fault).key == "cli.program_fault"
    fault.__cause__ = duckdb.OutOfMemoryException("could not allocate")
    assert _as_hesuan(fault).key == "cli.no_memory"
    assert _as_hesuan(duckdb.InvalidInputException("no such thing")).key == "cli.program_fault"
    assert _as_hesuan(HesuanError("mart.no_tariff")).key == "mart.no_tariff"


def test_a_word_that_is_no_text(site):
    for words in (
        ("explain", PERIOD, "met-001", "--job", "\udcff"),
        ("explain", PERIOD, "\udcff"),
        ("check", "\udcff"),
    ):
        refused(hesuan(*words, site=site), "cli.not_text", r"'\xff'")


@pytest.mark.parametrize("command", READERS)
def test_missing_mart(site, tmp_path, command):
    refused(read(site, command, "2026-10", tmp_path), "mart.missing", "2026-10", "hesuan build 2026-10")


def test_busy(site):
    with held(site / "mart" / f".{PERIOD}.lock", HOLD_LOCK):
        refused(hesuan("build", PERIOD, site=site), "mart.busy", PERIOD)
        assert hesuan("build", "2026-08", site=site).code == 0
    assert hesuan("build", PERIOD, site=site).code == 0


@pytest.mark.parametrize(
    "words", ["", "{", "[]", "null", '{"marts": []}', '{"marts": {"2026-09": 5}}', '{"Marts": {}}', "\udcff"]
)
def test_broken_manifest(site, tmp_path, words):
    manifest = site / "mart" / "manifest.json"
    manifest.write_bytes(words.encode("utf-8", "surrogateescape"))
    for command in READERS:
        refused(read(site, command, PERIOD, tmp_path), "mart.manifest", manifest)
    before = sorted((site / "mart").iterdir())
    refused(hesuan("build", PERIOD, site=site), "mart.manifest", manifest)
    assert sorted((site / "mart").iterdir()) == before, "told before the work"
    manifest.unlink()  # as the words say
    assert hesuan("build", PERIOD, site=site).code == 0


def test_a_manifest_that_names_a_mart_that_is_gone(site, tmp_path):
    mart = newest_mart(site)
    mart.unlink()
    for command in READERS:
        refused(read(site, command, PERIOD, tmp_path), "mart.gone", mart, f"hesuan build {PERIOD}")
    assert hesuan("build", PERIOD, site=site).code == 0
    assert hesuan("check", PERIOD, site=site).code == 0


@pytest.mark.parametrize("harm", ["junk", "empty", "cut", "head"])
def test_a_mart_that_cannot_be_read(site, tmp_path, harm):
    mart = newest_mart(site)
    whole = mart.read_bytes()
    if harm == "head":
        damage(mart, 20)
    else:
        mart.write_bytes({"junk": b"no mart " * 9999, "empty": b"", "cut": whole[: len(whole) // 2]}[harm])
    for command in READERS:
        refused(read(site, command, PERIOD, tmp_path), "mart.unreadable", mart, f"hesuan build {PERIOD}")
    assert hesuan("build", PERIOD, site=site).code == 0
    assert hesuan("check", PERIOD, site=site).code == 0


@pytest.mark.parametrize("harm", ["junk", "empty", "cut", "head", "folder"])
def test_a_raw_store_that_cannot_be_read(site, harm):
    raw = site / "raw.duckdb"
    whole = raw.read_bytes()
    if harm == "head":
        damage(raw, 20)
    elif harm == "folder":
        raw.unlink()
        raw.mkdir()
    else:
        raw.write_bytes({"junk": b"no store " * 9999, "empty": b"", "cut": whole[: len(whole) // 2]}[harm])
    file = records(site)
    for words in (
        ("ingest", "slurm", "--cluster", "c1", "--file", file),
        ("build", PERIOD),
        ("explain", PERIOD, "ai-gu-001"),
    ):
        said = hesuan(*words, site=site)
        # In a build the raw store is one of two, and where it is cut shows late.
        refused(
            said, "cli.store_fault" if said.err.startswith("A store") else "store.unreadable", raw, "backup"
        )
    assert hesuan("check", PERIOD, site=site).code == 0, "a mart needs no raw store"


def test_a_raw_store_that_another_process_holds(site, monkeypatch):
    monkeypatch.setenv("HESUAN_WAIT_S", "0.3")
    file = records(site)
    with held(site / "raw.duckdb") as pid:
        for words in (
            ("ingest", "slurm", "--cluster", "c1", "--file", file),
            ("build", PERIOD),
            ("explain", PERIOD, "ai-gu-001"),
        ):
            refused(hesuan(*words, site=site), "store.held", site / "raw.duckdb", f"PID {pid}")
        monkeypatch.setenv("HESUAN_WAIT_S", "not a number")  # then the wait is the usual one: long enough
        waiting = start("build", PERIOD, site=site)
        until_it_waits(waiting.pid)
        assert waiting.poll() is None
    waiting.communicate(timeout=30)
    assert waiting.returncode == 0, "it waited, and went on when the other had ended"


def test_a_raw_store_of_another_release(site):
    with duckdb.connect(str(site / "raw.duckdb")) as con:
        con.execute("INSERT INTO raw_meta VALUES (99, 0, 'later')")
    for said in (hesuan("build", PERIOD, site=site), hesuan("explain", PERIOD, "ai-gu-001", site=site)):
        refused(said, "store.version", "99", site / "raw.duckdb")


def test_a_raw_store_that_is_something_else(site):
    (site / "raw.duckdb").unlink()
    with duckdb.connect(str(site / "raw.duckdb")) as con:
        con.execute("CREATE TABLE mine (a INTEGER)")
    file = records(site)
    for words in (("ingest", "slurm", "--cluster", "c1", "--file", file), ("build", PERIOD)):
        refused(hesuan(*words, site=site), "store.foreign", site / "raw.duckdb")
    with duckdb.connect(str(site / "raw.duckdb")) as con:
        assert con.sql("SHOW TABLES").fetchall() == [("mine",)], "left as it was"


def test_no_record_yet(tmp_path):
    hesuan("init", tmp_path / "new")
    refused(
        hesuan("build", PERIOD, site=tmp_path / "new"),
        "store.no_raw",
        tmp_path / "new" / "raw.duckdb",
        "hesuan ingest slurm",
    )


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


SURE: dict[str, Callable[..., None]] = {
    "cli.bad_lang": test_bad_lang, "cli.bad_format": test_bad_format, "cli.bad_moment": test_bad_moment,
    "cli.file_or_window": test_file_or_window, "cli.columns_need_file": test_columns_need_file,
    "cli.no_tenant": test_no_tenant, "cli.no_line": test_no_line, "cli.os_error": test_a_place_that_cannot_be_written,
    "cli.os_fault": test_a_fault_of_ours_is_said_in_a_line, "cli.store_fault": test_a_store_damaged_in_the_middle,
    "cli.no_memory": test_a_fault_of_ours_is_said_in_a_line,
    "cli.not_text": test_a_word_that_is_no_text,
    "cli.program_fault": test_a_fault_of_ours_is_said_in_a_line, "mart.missing": test_missing_mart, "mart.busy": test_busy,
    "mart.manifest": test_broken_manifest, "mart.gone": test_a_manifest_that_names_a_mart_that_is_gone,
    "mart.unreadable": test_a_mart_that_cannot_be_read, "store.unreadable": test_a_raw_store_that_cannot_be_read,
    "store.held": test_a_raw_store_that_another_process_holds, "store.version": test_a_raw_store_of_another_release,
    "store.foreign": test_a_raw_store_that_is_something_else, "store.no_raw": test_no_record_yet,
    "period.form": test_what_is_no_month, "demo.not_ours": test_a_demo_over_something_else,
}  # fmt: skip
# build() says it of a book made in Python; a tariffs.toml without a version is refused as it is read.
ELSEWHERE = {"mart.no_tariff"}


def test_every_error_of_these_files_is_reached():
    root = Path(__file__).resolve().parents[2]
    raised = {
        key
        for room in ("hesuan", "ingest", "models", "reports")
        for file in (root / room).rglob("*.py")
        for key in re.findall(r'HesuanError\(\s*"((?:cli|mart|store|period|demo)\.\w+)"', file.read_text())
    }
    assert raised - ELSEWHERE == set(SURE)


def test_no_traceback_where_python_itself_would_make_one(site):
    said = hesuan_alone("build", PERIOD, site=site / "raw.duckdb")
    refused(said, "toml.unreadable", "raw.duckdb")
