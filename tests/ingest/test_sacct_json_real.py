"""What a real Slurm said as JSON is what it said as text, run by run and column by column.

Every difference between the two is one that Slurm makes itself; each is a rule below, and a rule that no longer
meets a difference fails the test.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from ingest.sacct_json import read_json

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "slurm-real"
SETS = ("22.05", "22.05-berlin-dst", "22.05-energy", "22.05-energy-underflow", "24.11", "26.05")

pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="the recorded sets of a real Slurm are not beside the repository"
)

# Submit|Eligible|Start|End|ElapsedRaw|Suspended in sacct-epoch.psv: no other columns look like this.
TIMES = re.compile(
    rb"\|(\d{10})\|(\d{10}|Unknown)\|(\d{10}|Unknown|None)\|(\d{10}|Unknown)\|(\d+)\|(\d\d):(\d\d):(\d\d)\|"
)

COLUMNS = {
    "Cluster": "cluster", "JobIDRaw": "job_id_raw", "JobID": "job_id", "Account": "account", "User": "user_name",
    "Partition": "partition", "QOS": "qos", "WCKey": "wckey", "Reservation": "reservation", "State": "state",
    "AllocTRES": "alloc_tres", "AllocCPUS": "alloc_cpus_count", "NNodes": "nodes_count", "NodeList": "node_list",
    "ConsumedEnergyRaw": "energy", "JobName": "job_name",
}  # fmt: skip


def text_runs(folder):
    """Allocations of the text files: names from the 0x1F form, times from the epoch form, in the same order."""
    head, *lines = (folder / "sacct-delim.txt").read_bytes().decode().removesuffix("\n").split("\n")
    names = head.split("\x1f")
    rows, pending = [], ""
    for line in lines:
        pending += line
        if pending.count("\x1f") == len(names) - 1:
            rows.append(dict(zip(names, pending.split("\x1f"), strict=True)))
            pending = ""
        else:
            pending += "\n"
    times = [match.groups() for match in TIMES.finditer((folder / "sacct-epoch.psv").read_bytes())]
    assert len(rows) == len(times)
    return [text_run(row, time) for row, time in zip(rows, times, strict=True) if "." not in row["JobIDRaw"]]


def text_run(row, time):
    submit, eligible, start, end = (int(said) if said.isdigit() else None for said in time[:4])
    hours, minutes, seconds = (int(part) for part in time[5:])
    cpu_minutes, cpu_seconds = row["TotalCPU"].rsplit(":", 1)
    run = {ours: row[theirs] for theirs, ours in COLUMNS.items()}
    return run | {
        "job_id_raw": int(run["job_id_raw"]),
        "alloc_cpus_count": int(run["alloc_cpus_count"]),
        "nodes_count": int(run["nodes_count"]),
        "submit_s": submit,
        "eligible_s": eligible,
        "start_s": start,
        "end_s": end,
        "elapsed_s": int(row["ElapsedRaw"]),
        "suspended_s": hours * 3600 + minutes * 60 + seconds,
        "timelimit_s": int(row["TimelimitRaw"]) * 60,
        "total_cpu_ms": int(cpu_minutes.replace(":", "")) * 60_000 + round(float(cpu_seconds) * 1000),
    }


def in_order(runs):
    return sorted(
        runs, key=lambda run: (run["job_id_raw"], run["submit_s"], run["eligible_s"] or 0, run["state"])
    )


def read_set(name):
    return read_json(gzip.decompress((REAL / name / "sacct.json.gz").read_bytes()), cluster="testhpc")


# (column, which sets, does the rule explain this pair?, why). `run` is the text's run.
RULES = [
    # slurmdbd's JSON says who cancelled as kill_request_user, or null: no number stands there.
    ("state", SETS, lambda _, text, ours: text.startswith("CANCELLED by 610") and ours == "CANCELLED"),
    # The two commands ran one after the other, and the run went on.
    ("elapsed_s", SETS[:4], lambda run, text, ours: run["state"] == "RUNNING" and ours - text == 1),
    # Text fills in '0', or nothing, where the record has no energy TRES or an unset one: not known is not 0.
    ("energy", SETS, lambda _, text, ours: text in {"", "0"} and ours is None),
    # A counter that ran backwards: unsigned in the text, and no joules.
    ("alloc_tres", SETS[3:4], lambda _, text, ours: text.replace("energy=18446744073708549186,", "") == ours),
    # 22.05's JSON writes a pointer for the name.
    ("reservation", SETS[:4], lambda _, text, ours: (text, ours) == ("for_alice", "")),
    # 22.05's text shows what was asked for as AllocCPUS while a job waits; later ones say 0.
    ("alloc_cpus_count", SETS[:4], lambda run, text, ours: (run["state"], text, ours) == ("PENDING", 2, 0)),
    # 22.05's JSON has 0 for the used CPU time of every job.
    ("total_cpu_ms", SETS[:4], lambda _, text, ours: ours == 0 < text),
]  # fmt: skip


def explained(name, column, run, ours):
    return next(
        (
            place
            for place, (its_column, its_sets, holds) in enumerate(RULES)
            if its_column == column and name in its_sets and holds(run, run[column], ours)
        ),
        None,
    )


def test_json_runs_are_the_text_runs():
    used, unexplained = set(), []
    for name in SETS:
        texts, jsons = in_order(text_runs(REAL / name)), in_order(read_set(name).records.to_pylist())
        assert len(texts) == len(jsons) == 43
        for text, ours in zip(texts, jsons, strict=True):
            for column in text:
                if text[column] != ours[column]:
                    rule = explained(name, column, text, ours[column])
                    used.add(rule)
                    if rule is None:
                        unexplained.append((name, text["job_id"], column, text[column], ours[column]))
    assert unexplained == []
    assert used == set(range(len(RULES)))


def test_energy_of_metered_jobs_is_the_text_s():
    for name in ("22.05-energy", "22.05-energy-underflow"):
        texts, jsons = in_order(text_runs(REAL / name)), in_order(read_set(name).records.to_pylist())
        metered = [(run["job_id"], run["energy"]) for run in texts if run["energy"] not in {"", "0"}]
        assert metered == [(run["job_id"], run["energy"]) for run in jsons if run["energy"] is not None]
        assert len(metered) > 20


def test_sluids_are_the_text_s():
    text = (REAL / "26.05" / "sacct-all-fields.psv").read_bytes()
    sluids = read_set("26.05").records["sluid"].to_pylist()
    assert len(set(sluids)) == 43
    assert set(sluids) == {found.decode() for found in re.findall(rb"\|(s2[0-9A-Z]{12})\|", text)}
    assert read_set("24.11").records["sluid"].null_count == 43


def test_versions_steps_and_nothing_rejected():
    read = {name: read_set(name) for name in SETS}
    assert {name: one.source_version for name, one in read.items()} == {
        **dict.fromkeys(SETS[:4], "22.05.8 openapi/dbv0.0.38"),
        "24.11": "24.11.5 data_parser/v0.0.42",
        "26.05": "26.05.5 data_parser/v0.0.45",
    }
    for name, one in read.items():
        text = (REAL / name / "sacct-delim.txt").read_bytes()
        assert one.steps == len(re.findall(rb"^\d+\.[^\x1f]+\x1f", text, re.MULTILINE)), name
        assert one.rejected.num_rows == 0


def test_lost_runs_of_22_05_are_told():
    """Jobs 14 (requeued) and 34 (preempted): the text says Start None, too, for these two records."""
    assert [(reason, detail[:6]) for _, reason, detail in read_set("22.05").findings] == [
        ("json-lost-run", "job 34"),
        ("json-lost-run", "job 14"),
        ("json-no-reservation", "job 40"),
    ]
    assert read_set("24.11").findings == ()
