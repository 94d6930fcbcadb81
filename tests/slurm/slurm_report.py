"""What Slurm itself says was used: its roll-up, forced, read with sreport.

slurmdbd rolls up whole hours, up to the last full one, and our jobs are minutes old. So their records are moved
back by whole hours in Slurm's own database first; the lengths of the runs, which are what is compared, stay.
"""

from __future__ import annotations

import subprocess

from slurm_host import CLUSTER, SlurmHost

HOUR_S = 3600
BACK_S = 2 * HOUR_S
_MOVED = {
    "job_table": ("time_submit", "time_eligible", "time_start", "time_end"),
    "suspend_table": ("time_start", "time_end"),
    "event_table": ("time_start", "time_end"),
}


def database(host: SlurmHost, sql: str) -> None:
    """Run SQL in Slurm's database as its root."""
    subprocess.run(
        ["mariadb", "--no-defaults", "-S", str(host.folder / "run" / "mysqld.sock"), "-u", "root", "slurm_acct"],
        input=sql, text=True, check=True, capture_output=True,
    )  # fmt: skip


def reported_cpu_s(host: SlurmHost, began_s: int) -> dict[str, int]:
    """CPU seconds by account from `sreport -t seconds`, of all jobs since `began_s`. Moves their records back.

    Call it last: what sacct answers afterwards is two hours off.
    """
    database(
        host,
        "".join(
            f"update {CLUSTER}_{table} set {column} = {column} - {BACK_S} where {column} > 0;"
            for table, columns in _MOVED.items()
            for column in columns
        ),
    )
    first_s = (began_s - BACK_S) // HOUR_S * HOUR_S
    last_s = first_s + 2 * HOUR_S  # a session of minutes touches at most two clock hours
    start, end = (host.run("date", "-u", "-d", f"@{t}", "+%Y-%m-%dT%H:%M:%S") for t in (first_s, last_s))
    host.run("sacctmgr", "-i", "roll", start, end)
    out = host.run(
        "sreport", "-n", "-P", "-t", "seconds", "-T", "cpu", "cluster", "AccountUtilizationByUser",
        f"start={start}", f"end={end}", "format=Account,Login,Used",
    )  # fmt: skip
    rows = (line.split("|") for line in out.splitlines())
    return {account.strip(): int(used) for account, login, used in rows if login}
