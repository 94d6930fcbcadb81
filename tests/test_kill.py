"""SIGKILL in the middle of an ingest or a build: what was committed is whole, what was not is nowhere, and a re-run ends well.

Real processes on a store of 120,000 generated records, killed at moments drawn at random over the time that the command
takes undisturbed, and right after its first write to the log. A few kills each run; 40 of each, on 200,000 records, under the marker `torture`.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from command import hesuan, start
from digests import BATCH_TABLES, mart_digest, raw_digest
from generated import PERIOD, make_records, make_site

from models.mart import publish, read_manifest
from models.store import raw_reader

# Runs of the first file and of the second, whose ingest and build are disturbed.
FEW, MANY = (30_000, 90_000), (60_000, 140_000)
TENANTS = 20


@dataclass(frozen=True)
class Undisturbed:
    """A site with a first file ingested and built, and what the second one makes of it when nobody disturbs."""

    first: Path
    file: Path
    ingest_s: float
    build_s: float
    raw: tuple[object, ...]
    mart: dict[str, int]


def _timed(*words: object, site: Path) -> float:
    began = time.monotonic()
    process = start(*words, site=site)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    return time.monotonic() - began


def ingest_words(file: Path) -> tuple[object, ...]:
    return ("ingest", "slurm", "--cluster", "c1", "--file", file)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """A store of 120,000 runs: fast enough for every run of the tests."""
    return prepare(tmp_path_factory.mktemp("kill"), *FEW)


@pytest.fixture(scope="module")
def undisturbed_large(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """A store of 200,000 runs."""
    return prepare(tmp_path_factory.mktemp("torture"), *MANY)


def prepare(folder: Path, first_runs: int, second_runs: int) -> Undisturbed:
    """The two files, the site with the first, and what becomes of both when nobody disturbs."""
    first = make_site(folder / "first", TENANTS)
    file = make_records(folder / "second.txt", second_runs, TENANTS, first_job=first_runs + 1)
    _timed(*ingest_words(make_records(folder / "first.txt", first_runs, TENANTS)), site=first)
    whole = Path(shutil.copytree(first, folder / "whole"))
    _timed("build", PERIOD, site=first)
    ingest_s = _timed(*ingest_words(file), site=whole)
    build_s = _timed("build", PERIOD, site=whole)
    return Undisturbed(first, file, ingest_s, build_s, raw_digest(whole), mart_digest(whole))


def assert_whole_batches(site: Path, known: set[int]) -> int:
    """Every batch is there with all that it counts, and nothing stands in the store that is of no batch."""
    with raw_reader(site / "raw.duckdb") as con:
        batches = con.execute(
            "SELECT batch_id, records_count, kept_count, rejected_count, size_bytes FROM raw_batch"
        ).fetchall()
        for batch, records, kept, rejected, size in batches:
            assert records == kept + rejected
            for table, count in (("raw_sacct", kept), ("raw_rejected", rejected)):
                assert con.execute(
                    f"SELECT COUNT(*) FROM {table} WHERE batch_id = ?", [batch]
                ).fetchall() == [(count,)]
            pieces = con.execute(
                "SELECT SUM(end_bytes - start_bytes), SUM(octet_length(body)) > 0 FROM raw_source WHERE batch_id = ?",
                [batch],
            ).fetchall()
            assert pieces == [(size, True)]
        ids = {batch for batch, *_ in batches}
        for table in BATCH_TABLES:
            found = con.execute(f"SELECT DISTINCT batch_id FROM {table}").fetchall()
            assert {batch for (batch,) in found} <= ids
    assert ids in (known, known | {max(known, default=0) + 1})
    return len(ids)


def assert_published_is_whole(site: Path) -> None:
    """The manifest names a mart that is there and adds up."""
    name = read_manifest(site / "mart")[PERIOD]
    assert (site / "mart" / name).exists()
    said = hesuan("check", PERIOD, site=site)
    assert said.code == 0, said.out + said.err


def kill_after(site: Path, words: tuple[object, ...], when: Callable[[float], bool]) -> bool:
    """Start the command, kill it as soon as `when(seconds since the start)`; gives whether it was still at work."""
    process = start(*words, site=site)
    began = time.monotonic()
    while process.poll() is None and not when(time.monotonic() - began):
        time.sleep(0.002)
    alive = process.poll() is None
    process.kill()
    process.communicate()
    return alive


def log_written(site: Path) -> Callable[[float], bool]:
    """The first byte in the write-ahead log of the raw store or of a mart that is being built."""
    logs = (site, "raw.duckdb.wal"), (site / "mart", "*.building.wal")

    def written(_seconds: float) -> bool:
        return any(path.stat().st_size > 0 for folder, pattern in logs for path in _there(folder, pattern))

    return written


def _there(folder: Path, pattern: str) -> Iterator[Path]:
    return (path for path in folder.glob(pattern) if path.exists())


def moments(kills: int, length_s: float, seed: int) -> list[float]:
    """Moments to kill at, spread over the time that the command takes, the start of Python aside."""
    dice = random.Random(seed)
    step = (length_s - 0.4) / kills
    return [0.4 + (n + dice.random()) * step for n in range(kills)]


def litter(site: Path) -> set[str]:
    """Files beside the stores, locks aside: those are empty and hinder nobody."""
    ours = {"site.toml", "tariffs.toml", "raw.duckdb", "mart", "manifest.json"}
    there = {path.name for folder in (site, site / "mart") if folder.exists() for path in folder.iterdir()}
    return {
        name for name in there - ours if not name.endswith(".lock") and not name.startswith(f"{PERIOD}-0")
    } | {name for name in there if "building" in name}


def torment_ingest(site: Path, plain: Undisturbed, kills: int, seed: int) -> int:
    """Kill an ingest again and again; gives how many died at work."""
    died = 0
    stops: list[Callable[[float], bool]] = [log_written(site)]
    stops += [lambda spent, at=at: spent > at for at in moments(kills - 1, plain.ingest_s, seed)]
    for stop in stops:
        with raw_reader(site / "raw.duckdb") as con:
            known = {batch for (batch,) in con.execute("SELECT batch_id FROM raw_batch").fetchall()}
        died += kill_after(site, ingest_words(plain.file), stop)
        assert_whole_batches(site, known)
    assert_published_is_whole(site)
    again = hesuan(*ingest_words(plain.file), site=site)
    assert again.code == 0, again.err
    assert raw_digest(site) == plain.raw
    assert litter(site) == set()
    return died


def torment_build(site: Path, plain: Undisturbed, kills: int, seed: int) -> int:
    """Kill a build again and again; gives how many died at work."""
    died = 0
    stops: list[Callable[[float], bool]] = [log_written(site)]
    stops += [lambda spent, at=at: spent > at for at in moments(kills - 1, plain.build_s, seed)]
    raw = (site / "raw.duckdb").read_bytes()
    for stop in stops:
        died += kill_after(site, ("build", PERIOD), stop)
        assert_published_is_whole(site)
    assert (site / "raw.duckdb").read_bytes() == raw
    again = hesuan("build", PERIOD, site=site)
    assert again.code == 0, again.err
    assert mart_digest(site) == plain.mart
    assert_published_is_whole(site)
    assert litter(site) == set()
    assert len(list((site / "mart").glob(f"{PERIOD}-*"))) <= 3
    return died


def _seed() -> int:
    """Another one each time; HESUAN_SEED repeats a run."""
    seed = int(os.environ.get("HESUAN_SEED", random.SystemRandom().randrange(10**6)))
    print(f"HESUAN_SEED={seed}")
    return seed


def test_killed_while_ingesting_then_while_building(undisturbed, tmp_path):
    site = Path(shutil.copytree(undisturbed.first, tmp_path / "site"))
    seed = _seed()
    assert torment_ingest(site, undisturbed, 3, seed) >= 1
    assert torment_build(site, undisturbed, 3, seed + 1) >= 1


@pytest.mark.torture
def test_killed_forty_times_while_ingesting(undisturbed_large, tmp_path):
    died = 0
    seed = _seed()
    for turn in range(
        8
    ):  # in some turns a kill comes after the commit: then there is nothing left to disturb
        site = Path(shutil.copytree(undisturbed_large.first, tmp_path / f"site{turn}"))
        died += torment_ingest(site, undisturbed_large, 5, seed + turn)
        shutil.rmtree(site)
    assert died > 20


@pytest.mark.torture
def test_killed_forty_times_while_building(undisturbed_large, tmp_path):
    died = 0
    seed = _seed()
    site = Path(shutil.copytree(undisturbed_large.first, tmp_path / "site"))
    assert hesuan(*ingest_words(undisturbed_large.file), site=site).code == 0
    for turn in range(8):
        died += torment_build(site, undisturbed_large, 5, seed + turn)
    assert died > 20


def test_killed_while_the_store_is_made(undisturbed, tmp_path):
    # From the first moment on: no half store is left that the next ingest would take for a broken one.
    seed = _seed()
    dice = random.Random(seed)
    site = make_site(tmp_path / "site", TENANTS)

    def made(_seconds: float) -> bool:
        if not any(path.name.startswith((".raw.duckdb.new", "raw.duckdb")) for path in site.iterdir()):
            return False
        time.sleep(dice.random() * 0.05)
        return True

    for _ in range(2):
        for left in site.glob("*raw.duckdb*"):
            left.unlink()
        kill_after(site, ingest_words(undisturbed.file), made)
    assert hesuan(*ingest_words(undisturbed.file), site=site).code == 0
    assert assert_whole_batches(site, set()) == 1
    assert litter(site) == set()


def test_what_a_killed_build_left_is_swept(undisturbed, tmp_path):
    site = Path(shutil.copytree(undisturbed.first, tmp_path / "site"))
    marts = site / "mart"
    for name in ("2026-09-0002.building", "2026-09-0002.building.wal", "2026-09-0003.duckdb", "manifest.tmp"):
        (marts / name).write_bytes(b"half")
    spilled = marts / "2026-09-0002.building.tmp"  # DuckDB's folder for what does not fit into memory
    spilled.mkdir()
    (spilled / "duckdb_temp_block-1.block").write_bytes(b"half")
    (marts / "2026-10-0001.building").write_bytes(b"of another period")
    assert hesuan("build", PERIOD, site=site).code == 0
    assert read_manifest(marts) == {PERIOD: "2026-09-0004.duckdb"}
    assert {path.name for path in marts.iterdir() if not path.name.startswith(".")} == {
        "2026-09-0001.duckdb", "2026-09-0003.duckdb", "2026-09-0004.duckdb", "2026-10-0001.building", "manifest.json",
    }  # fmt: skip
    assert_published_is_whole(site)


def test_periods_published_at_one_moment_are_all_named(tmp_path):
    def publish_some(turn: int) -> None:
        for month in range(1, 13):
            name = f"20{turn:02d}-{month:02d}-0001.duckdb"
            (tmp_path / name).touch()
            publish(tmp_path, name[:7], name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(publish_some, range(10, 18)))
    assert len(read_manifest(tmp_path)) == 8 * 12


def test_the_lock_of_a_killed_build_is_no_lock(undisturbed, tmp_path):
    site = Path(shutil.copytree(undisturbed.first, tmp_path / "site"))
    assert kill_after(site, ("build", PERIOD), lambda _spent: bool(list((site / "mart").glob("*.building"))))
    with duckdb.connect(str(site / "raw.duckdb"), read_only=True) as con:
        assert con.execute("SELECT COUNT(*) FROM raw_batch").fetchall() == [(1,)]
    assert_published_is_whole(site)
    assert hesuan("build", PERIOD, site=site).code == 0
    assert litter(site) == set()
