"""What tests of refusals share: how a refusal is told, how a store is harmed or held, and the commands that read a mart."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from command import Said, hesuan

from models.catalogue import entries

PERIOD = "2026-09"
HOLD_STORE = (
    "import duckdb, sys, time; con = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep(60)"
)
HOLD_LOCK = (
    "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
    "print('held', flush=True); time.sleep(60)"
)


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
    """Wait until a process has loaded DuckDB and then, for a while, uses no processor to speak of."""
    used, idle = -1, 0
    for _ in range(100):
        time.sleep(0.4)
        before, used = (
            used,
            sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])),
        )
        # On a busy machine a process may get no processor for a moment while it still imports.
        quiet = 0 <= used - before <= 3 and "duckdb" in Path(f"/proc/{pid}/maps").read_text()
        idle = idle + 1 if quiet else 0
        if idle == 4:
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
