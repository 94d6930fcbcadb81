"""What the command says of marts and stores that are missing, broken, held or not its own, reached for real."""

from __future__ import annotations

import signal
from dataclasses import replace

import duckdb
import pytest
from command import hesuan, start
from refusal import (
    HOLD_LOCK,
    PERIOD,
    READERS,
    damage,
    held,
    newest_mart,
    read,
    records,
    refused,
    until_it_waits,
)

from hesuan.site import read_site
from models.build import SitePaths, build
from models.catalogue import entries
from models.errors import HesuanError
from models.tariff_file import read_price_book


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
    if not words:
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
    if harm == "junk":
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


def test_a_price_book_without_a_version(site):
    # A tariffs.toml like that is refused as it is read; this is for a book that was made in Python.
    book = replace(read_price_book(site / "tariffs.toml"), versions=())
    with pytest.raises(HesuanError) as caught:
        build(SitePaths(site), read_site(site), book, PERIOD, program_version="test")
    assert caught.value.key == "mart.no_tariff"
