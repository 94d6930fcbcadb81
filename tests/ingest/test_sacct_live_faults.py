"""Pulling through sacct when things go wrong: nothing lost, nothing half in, and words that help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_slurm import DAY, HOUR, T0, FakeSlurm, make, run

from models.errors import HesuanError

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def fake(tmp_path, monkeypatch) -> FakeSlurm:
    fake = make(tmp_path / "bin", monkeypatch)
    fake.table(
        run(1, T0 + 60, T0 + 120),
        run(2, T0 + DAY + 60, T0 + DAY + 120),
        run(3, T0 + 2 * DAY + 60, T0 + 2 * DAY + 90),
    )
    return fake


def failing(fake: FakeSlurm, key: str, until: int = T0 + 3 * DAY, **more) -> str:
    with pytest.raises(HesuanError) as error:
        fake.pull(T0, until, **more)
    assert error.value.key == key
    assert error.value.text("zh")  # names no value that is not given
    return error.value.text("en")


def gone(pid: int) -> bool:
    """Whether the process ends within 5 s (a zombie has ended)."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_no_program(fake):
    assert "--file" in failing(fake, "live.no_program", sacct="no-such-sacct")


def test_missing_field(fake):
    fields = fake.folder / "fields.txt"
    fields.write_text(fields.read_text().replace("AllocTRES", ""))
    assert "AllocTRES" in failing(fake, "live.missing_field")
    assert fake.windows() == []


def test_failure_says_command_code_and_words_and_goes_on_later(fake):
    fake.plan(c2="fail")
    message = failing(fake, "live.failed")
    assert "exit code 1" in message
    assert "sacct -M alpha -a -X -D" in message
    assert "Problem talking to the database: Connection refused" in message
    assert fake.read_to() == T0 + DAY
    fake.plan()
    fake.pull(None, T0 + 3 * DAY, overlap_hours=0)
    assert fake.windows()[0][0] == "2026-11-02T00:00:00"
    assert [job for job, _, _ in fake.runs()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("mode", "key"), [("die", "live.failed"), ("cut", "live.cut_off"), ("no-header", "live.no_header")]
)
def test_half_an_answer_is_no_answer(fake, mode, key):
    fake.plan(c2=mode)
    failing(fake, key)
    assert [job for job, _, _ in fake.runs()] == [1]
    assert fake.rows("SELECT count(*) FROM raw_batch") == [(1,)]
    assert fake.read_to() == T0 + DAY


def test_hang_is_killed_with_its_children(fake):
    fake.plan(c1="hang")
    assert "1 s" in failing(fake, "live.timeout", timeout_s=1)
    for pid in (fake.folder / "hung.pid").read_text().split():
        assert gone(int(pid))
    assert fake.read_to() is None


def test_words_on_stderr_are_a_finding(fake):
    fake.plan(c1="stderr:sacct: error: cluster beta has no RPC version")
    first, *_ = fake.pull(T0, T0 + 2 * DAY)
    assert first.findings == 2  # with the one that there is no sacctmgr here
    kept = fake.rows("SELECT batch_id, detail FROM raw_finding WHERE reason = 'sacct-stderr'")
    assert kept == [
        (
            first.batch_id,
            "sacct ended with exit code 0 and said: sacct: error: cluster beta has no RPC version",
        )
    ]


def test_harmless_words_are_none(fake):
    fake.plan(c1="stderr:sacct: debug: Ignoring obsolete FastSchedule=1 option.")
    fake.pull(T0, T0 + DAY)
    assert fake.rows("SELECT count(*) FROM raw_finding WHERE reason = 'sacct-stderr'") == [(0,)]


def test_silent_database_failure_is_not_an_empty_day(fake):
    """A failed query ends with a header and exit code 0 (Slurm 22.05.8): the known run 1 gives it away."""
    fake.plan(c2="silent", c3="silent")
    assert "slurmdbd's log" in failing(fake, "live.silent")
    assert fake.read_to() == T0 + DAY


def test_window_is_asked_again_after_a_silent_failure(fake):
    fake.plan(c2="silent")
    fake.pull(T0, T0 + 3 * DAY)
    assert [job for job, _, _ in fake.runs()] == [1, 2, 3]


def test_empty_answer_that_nothing_confirms_is_said(fake):
    fake.pull(T0 - DAY, T0)
    assert fake.rows("SELECT reason FROM raw_finding") == [("site-not-checked",), ("empty-not-confirmed",)]


def test_interrupt_ends_sacct_too(fake):
    """Ctrl-C in the middle of the second window: sacct and its child end, the first window stays, the rest comes later."""
    fake.plan(c2="hang")
    code = (
        "import sys; from pathlib import Path; from ingest.sacct_live import pull;"
        f"pull(Path({str(fake.store)!r}), cluster='alpha', since_s={T0}, until_s={T0 + 3 * DAY}, who='t',"
        f" now_s={T0 + 3 * DAY}, program_version='0', sacct={fake.sacct!r})"
    )
    puller = subprocess.Popen(
        [sys.executable, "-c", code], cwd=REPOSITORY, env={**os.environ}, stderr=subprocess.PIPE
    )
    hung = fake.folder / "hung.pid"
    end = time.monotonic() + 20
    while not (hung.exists() and hung.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    puller.send_signal(signal.SIGINT)
    _, words = puller.communicate(timeout=20)
    assert b"KeyboardInterrupt" in words
    assert all(gone(int(pid)) for pid in hung.read_text().split())
    assert fake.read_to() == T0 + DAY
    fake.plan()
    fake.pull(None, T0 + 3 * DAY)
    assert [job for job, _, _ in fake.runs()] == [1, 2, 3]


def site(tmp_path, monkeypatch, *, uid: int, **answers: str) -> FakeSlurm:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    fake = make(tmp_path / "bin", monkeypatch, sacctmgr=True)
    known = json.loads((fake.folder / "site.json").read_text())
    (fake.folder / "site.json").write_text(json.dumps({**known, **answers}))
    return fake


# sacctmgr show config prints slurm.conf's PrivateData first and slurmdbd's last (Slurm 22.05.8).
PRIVATE = "PrivateData = none\nSlurmUserId = slurm(64030)\nSlurmDBD configuration:\nPrivateData = jobs,usage\nSlurmUser = slurm(64030)"


def test_wrong_cluster_name_is_told(tmp_path, monkeypatch):
    fake = site(tmp_path, monkeypatch, uid=1)
    with pytest.raises(HesuanError, match="alpha, beta"):
        fake.pull(T0, T0 + HOUR, cluster="alfa")


@pytest.mark.parametrize(
    ("uid", "config", "level", "refused"),
    [
        (1, PRIVATE, "None", True),
        (1, PRIVATE, "", True),
        (1, PRIVATE, "Operator", False),
        (1, PRIVATE, "Administrator", False),
        (0, PRIVATE, "None", False),
        (64030, PRIVATE, "None", False),
        (1, "PrivateData = jobs\nPrivateData = none", "None", False),
        (1, "PrivateData = none\nPrivateData = users,all", "None", True),
    ],
)
def test_private_jobs(tmp_path, monkeypatch, uid, config, level, refused):
    fake = site(tmp_path, monkeypatch, uid=uid, config=config, user=level)
    if refused:
        with pytest.raises(HesuanError) as error:
            fake.pull(T0, T0 + HOUR)
        assert error.value.key == "live.private_jobs"
    else:
        assert len(fake.pull(T0, T0 + HOUR)) == 1
