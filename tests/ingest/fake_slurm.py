"""A folder with the fake sacct (and sacctmgr) in it, and what the tests ask of the store afterwards."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.sacct_live import pull
from ingest.slurm import Batch
from models.store import raw_reader

PROGRAM = Path(__file__).with_name("fake_sacct")
# What `sacct --helpformat` of these releases names, of the fields that matter here (their full lists are longer).
COMMON = (
    "Account AdminComment AllocCPUS AllocNodes AllocTRES Cluster Comment ConsumedEnergy ConsumedEnergyRaw CPUTimeRAW"
    " DBIndex Elapsed ElapsedRaw Eligible End ExitCode JobID JobIDRaw JobName NCPUS NNodes NodeList Partition"
    " Priority QOS QOSRAW ReqTRES Reservation ReservationId Start State Submit SubmitLine Suspended Timelimit"
    " TimelimitRaw TotalCPU User UserCPU WCKey WorkDir"
)
HELPFORMAT = {
    "22.05": f"{COMMON} Reserved ResvCPU ResvCPURAW",
    "24.11": f"{COMMON} Planned PlannedCPU PlannedCPURAW Restarts FailedNode QOSREQ SLUID",
    "26.05": f"{COMMON} Planned PlannedCPU PlannedCPURAW Restarts FailedNode QOSREQ SLUID OriginalSLUID Exclusive",
}
HOUR = 3600
DAY = 24 * HOUR
T0 = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp())


def run(job: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    """One run of the table; eligible and submitted 10 s before it started. `end` 0: still running."""
    return {
        "Cluster": "alpha", "JobIDRaw": job, "JobID": job, "DBIndex": 1000 + job, "Account": "hep", "User": "ada",
        "Partition": "cpu", "QOS": "normal", "State": "COMPLETED" if end else "RUNNING", "Submit": start - 10,
        "Eligible": start - 10, "Start": start, "End": end, "ElapsedRaw": max(0, end - start),
        "Suspended": "00:00:00", "AllocTRES": "billing=4,cpu=4,mem=4000M,node=1", "NNodes": 1, "NodeList": "cn1",
        "JobName": f"job {job}", **more,
    }  # fmt: skip


@dataclass(frozen=True)
class FakeSlurm:
    """The fake programs' folder and the store that pulls go to."""

    folder: Path
    store: Path

    @property
    def sacct(self) -> str:
        return str(self.folder / "sacct")

    def table(self, *runs: dict[str, Any]) -> None:
        (self.folder / "table.json").write_text(json.dumps(runs), encoding="utf-8")

    def plan(self, **calls: str) -> None:
        """What the n-th window query does, c2="die" or every="too-wide:7200"; counting starts anew."""
        numbered = {name.removeprefix("c"): mode for name, mode in calls.items()}
        (self.folder / "plan.json").write_text(json.dumps(numbered), encoding="utf-8")
        (self.folder / "calls.jsonl").unlink(missing_ok=True)

    def calls(self) -> list[dict[str, Any]]:
        log = self.folder / "calls.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def windows(self) -> list[tuple[str, str, str | None]]:
        """-S, -E and -j of each window query."""
        asked = (call["words"] for call in self.calls())
        return [
            (w[w.index("-S") + 1], w[w.index("-E") + 1], w[w.index("-j") + 1] if "-j" in w else None)
            for w in asked
        ]

    def pull(self, since: int | None, until: int, **more: Any) -> tuple[Batch, ...]:
        given = {
            "cluster": "alpha",
            "who": "tester",
            "now_s": until,
            "program_version": "0",
            "sacct": self.sacct,
        }
        return pull(self.store, since_s=since, until_s=until, **{**given, **more})

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with raw_reader(self.store) as con:
            return con.execute(sql).fetchall()

    def read_to(self) -> int | None:
        return self.rows("SELECT max(read_to_s) FROM raw_watermark")[0][0] if self.store.exists() else None

    def runs(self) -> list[tuple[Any, ...]]:
        """(job, start, end) of the newest version of every run, ended over running."""
        return self.rows(
            "SELECT job_id_raw, start_s, max(end_s) FROM raw_sacct GROUP BY job_id_raw, submit_s, eligible_s, start_s"
            " ORDER BY ALL"
        )


def make(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, release: str = "24.11", sacctmgr: bool = False
) -> FakeSlurm:
    """The programs, an empty table, and a store that is not there yet."""
    folder.mkdir()
    for name in ("sacct", "sacctmgr")[: 1 + sacctmgr]:
        program = folder / name
        # Under this Python, bare: a python3 that is found by a shim takes three times as long to start.
        program.write_text(f"#!{sys.executable} -SE\n{PROGRAM.read_text(encoding='utf-8')}", encoding="utf-8")
        program.chmod(0o755)
    (folder / "fields.txt").write_text(HELPFORMAT[release], encoding="utf-8")
    (folder / "site.json").write_text(
        json.dumps(
            {
                "cluster": "alpha\nbeta",
                "config": "PrivateData = none\nSlurmUser = slurm(64030)",
                "user": "None",
            }
        )
    )
    monkeypatch.setenv("FAKE_SLURM", str(folder))
    fake = FakeSlurm(folder, folder.parent / "store" / "raw.duckdb")
    fake.table()
    return fake


def fields_asked(call: dict[str, Any]) -> Sequence[str]:
    """The fields of one window query."""
    return next(w for w in call["words"] if w.startswith("--format=")).removeprefix("--format=").split(",")
