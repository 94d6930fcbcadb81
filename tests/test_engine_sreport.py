"""The engine against Slurm's own roll-up: what sreport says of the same records, to the second.

sreport counts three things otherwise, each on purpose and each computed here from Slurm's data, not from ours:
idle time of reservations (charged to the associations that may use them; no record of sacct tells of it), the second
record of a resized job (Slurm 22.05 gives it the first Start again; sreport counts it from the full hour of its
Eligible, we from the moment of the resize), and running jobs (we count up to the moment of the dump).
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from ingest.slurm import ingest_file
from models.build import SitePaths
from models.calendar import midnight_s
from tests.models.marts import open_month, table
from tests.models.sites import site

REAL = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "slurm-real"
pytestmark = pytest.mark.skipif(
    not REAL.exists(), reason="the recorded Slurm output is not beside the repository"
)

Usage = Counter[tuple[str, str, str]]  # (account, user, TRES) -> TRES-seconds


@dataclass(frozen=True)
class Recorded:
    """A recorded session: its folder, the local days [first, last) of its sreport, and slurmdbd's zone."""

    name: str
    first: date
    last: date
    zone: str = "UTC"

    @property
    def folder(self) -> Path:
        return REAL / self.name

    @property
    def start_s(self) -> int:
        return midnight_s(self.first, self.zone)

    @property
    def end_s(self) -> int:
        return midnight_s(self.last, self.zone)


OCTOBER = (date(2026, 10, 30), date(2026, 11, 1))
SETS = (
    Recorded("22.05", *OCTOBER),
    Recorded("22.05-berlin-dst", date(2026, 10, 24), date(2026, 10, 26), "Europe/Berlin"),
    Recorded("22.05-energy", *OCTOBER),
    Recorded("22.05-energy-underflow", *OCTOBER),
    Recorded("24.11", *OCTOBER),
    Recorded("26.05", *OCTOBER),
    Recorded("22.05-month", date(2026, 10, 1), date(2026, 11, 1)),
)
IDS = [one.name for one in SETS]


def sreport(one: Recorded) -> Usage:
    """The TRES-seconds by account and user, energy left out (it is no usage)."""
    found: Usage = Counter()
    with (one.folder / "sreport-account-by-user-seconds.psv").open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="|"):
            if len(row) == 6 and row[0] != "Cluster" and row[2] and row[4] != "energy":
                found[row[1].strip(), row[2], row[4]] += int(row[5])
    return +found


def ours(one: Recorded, folder: Path) -> Usage:
    """The engine's use within the days of the window, in sreport's words and units."""
    paths = SitePaths(folder)
    (file,) = one.folder.glob("sacct-delim.txt*")
    ingest_file(
        paths.raw, file, cluster="testhpc", timezone=one.zone, who="test", now_s=0, program_version="test"
    )
    # The sessions' clock was stretched, so what still runs looks overdue: it is not to be held as a runaway here.
    of = site(timezone=one.zone, runaway_grace_hours=100_000)
    con = open_month(paths, f"{one.first:%Y-%m}", of=of)
    rows = table(
        con,
        """
        SELECT m.account, m.user_name, u.resource, SUM(u.consumed_base)
        FROM core_use AS u
        JOIN core_combo AS m ON m.combo_no = u.combo_no
        JOIN cal_span AS s ON s.span_no = u.span_no
        WHERE s.day >= ? AND s.day < ?
        GROUP BY ALL
        """,
        one.first,
        one.last,
    )
    assert table(con, "SELECT COUNT(*) FROM core_record WHERE fate = 'held'") == [(0,)]
    found: Usage = Counter()
    for account, user, resource, base in rows:
        seconds, rest = divmod(int(base), 1 if resource in {"mem", "node"} else 1000)
        assert rest == 0
        if ":" in resource:
            found[account, user, "gres/gpu"] += seconds
        found[account, user, f"gres/{resource}" if ":" in resource else resource] += seconds
    return +found


# --- what sreport counts otherwise, from Slurm's own records


def database_rows(one: Recorded, name: str) -> Iterator[dict[str, str]]:
    """Rows of a table of the recorded slurmdbd database, by column; none where the session has no dump."""
    dump = one.folder / "slurm_acct_db.sql.gz"
    if not dump.exists():
        return
    columns: list[str] = []
    here = values = False
    with gzip.open(dump, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(("CREATE TABLE", "INSERT INTO")):
                here = f"`testhpc_{name}`" in line
                values = here and line.startswith("INSERT")
            elif here and not values and (found := re.match(r"\s+`(\w+)`", line)):
                columns.append(found[1])
            elif values and line.startswith("("):
                text = line.rstrip().rstrip(";,")[1:-1]
                (row,) = csv.reader([text], quotechar="'", escapechar="\\", doublequote=False)
                yield dict(zip(columns, row, strict=True))
            elif values:
                return


def overlap(start: int, end: int, one: dict[str, str]) -> int:
    return max(0, min(end, int(one["time_end"])) - max(start, int(one["time_start"])))


def idle_reservations(one: Recorded) -> Usage:
    """CPU-seconds of reservations in which no job of theirs ran, shared equally by their associations, hour by hour.

    slurmdbd's hourly roll-up (as_mysql_rollup.c): a job takes a reservation's whole width off for its time, whatever
    the job's own width is, and the quotient is a whole number.
    """
    found: Usage = Counter()
    jobs = [row for row in database_rows(one, "job_table") if row["id_resv"] != "0"]
    people = {row["id_assoc"]: (row["acct"], row["user"]) for row in database_rows(one, "assoc_table")}
    for reservation in database_rows(one, "resv_table"):
        cpus = int(dict(pair.split("=") for pair in reservation["tres"].split(","))["1"])
        inside = [job for job in jobs if job["id_resv"] == reservation["id_resv"]]
        who = reservation["assoclist"].split(",")
        for hour in range(one.start_s, one.end_s, 3600):
            idle = overlap(hour, hour + 3600, reservation) - sum(
                overlap(hour, hour + 3600, job) for job in inside
            )
            for number in who:
                found[*people[number], "cpu"] += cpus * max(idle, 0) // len(who)
    return +found


def sacct_rows(one: Recorded) -> list[dict[str, str]]:
    """The rows of sacct of the jobs that were resized, with epoch times."""
    file = one.folder / "sacct-epoch.psv"
    if not file.exists():
        return []
    header, *lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    names = header.split("|")
    cells = (line.split("|") for line in lines)
    rows = [dict(zip(names, row, strict=True)) for row in cells if len(row) == len(names)]
    resized = {row["JobIDRaw"] for row in rows if row["State"] == "RESIZING"}
    return [row for row in rows if row["JobIDRaw"] in resized]


def resized_from_the_full_hour(one: Recorded) -> Usage:
    """What sreport counts of a second record between the full hour of the resize and the resize itself (22.05)."""
    found: Usage = Counter()
    for row in sacct_rows(one):
        start, eligible = int(row["Start"]), int(row["Eligible"])
        if row["State"] == "RESIZING" or start >= eligible:
            continue
        seconds = eligible - max(start, eligible // 3600 * 3600)
        amounts = dict(pair.split("=") for pair in row["AllocTRES"].split(","))
        for name in amounts.keys() - {"energy"}:
            found[row["Account"], row["User"], name] += int(amounts[name].rstrip("M")) * seconds
    return found


@pytest.mark.parametrize("one", SETS, ids=IDS)
def test_sreport_to_the_second(one: Recorded, tmp_path: Path) -> None:
    theirs = sreport(one)
    assert len(theirs) >= 20
    explained = idle_reservations(one) + resized_from_the_full_hour(one)
    theirs.subtract(explained)
    assert ours(one, tmp_path) == {key: seconds for key, seconds in theirs.items() if seconds}


def test_the_differences_are_there() -> None:
    """What is taken off is no empty word: the numbers that a reader finds in the recorded session itself.

    22.05: maint_ign 16 CPUs x 4 h + maint_plain 8 CPUs x 4 h 40 min are root's; for_alice 16 CPUs x (8 h - 1 h 40 min
    of a job of hers), half to each of her two associations. Job 36 was resized at 15:30: 30 minutes from 15:00.
    """
    one = SETS[0]
    assert idle_reservations(one) == {
        ("root", "root", "cpu"): 16 * 14_400 + 8 * 16_800,
        ("hep", "alice", "cpu"): 16 * (28_800 - 6_000) // 2,
        ("llm", "alice", "cpu"): 16 * (28_800 - 6_000) // 2,
    }
    assert resized_from_the_full_hour(one) == {
        ("ai", "dave", name): amount * 1800
        for name, amount in {
            "billing": 24,
            "cpu": 1,
            "gres/gpu:a100": 1,
            "gres/gpu": 1,
            "mem": 500,
            "node": 1,
        }.items()
    }
    assert resized_from_the_full_hour(next(s for s in SETS if s.name == "24.11")) == {}
