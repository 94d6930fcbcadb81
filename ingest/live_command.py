"""The `sacct` command: which fields, which window, which environment, and running it without a shell.

The command is the one that sites bill from (XDMoD, SARC and slurmacct use parts of it): every allocation (-a -X),
every run of it (-D), unit letters kept (--noconvert), a delimiter that no name holds (0x1F), times as epoch
seconds (SLURM_TIME_FORMAT=%s) and the window in UTC (TZ=UTC), so that no clock change can touch it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from models.errors import HesuanError

DELIMITER = "\x1f"
STDERR_BYTES = 64 * 1024  # as much of standard error as is read: a broken plugin can fill a disk with it
STDERR_LINES = 5  # as many of its lines as a message quotes

# Without one of these a bill would be wrong or could not be explained.
REQUIRED = (
    "Cluster", "JobIDRaw", "JobID", "Account", "User", "Partition", "QOS", "State", "Submit", "Eligible", "Start",
    "End", "ElapsedRaw", "Suspended", "AllocTRES", "NNodes", "NodeList", "JobName",
)  # fmt: skip
# The order in which they are asked. JobName is last: it is the one that may hold newlines. SLUID came with 24.11.
FIELDS = (
    "DBIndex", "SLUID", "Cluster", "JobIDRaw", "JobID", "Account", "User", "Partition", "QOS", "WCKey",
    "Reservation", "State", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "TimelimitRaw",
    "AllocTRES", "AllocCPUS", "NNodes", "NodeList", "ConsumedEnergyRaw", "TotalCPU", "JobName",
)  # fmt: skip

# What slurmdbd says to a query over MaxQueryTimeRange, and to an answer over 3 GiB (ESLURM_DB_QUERY_TOO_WIDE,
# ESLURM_RESULT_TOO_LARGE in Slurm's slurm_errno.c).
_TOO_LARGE = re.compile(r"Too wide of a date range in query|Query result exceeds size limit")
# Said with exit code 0 and of no meaning for the records.
_HARMLESS = re.compile(r"^\w+: (debug\d?|verbose|info): |Ignoring obsolete \w+", re.IGNORECASE)


@dataclass(frozen=True)
class Ran:
    """A command that ended.

    Attributes:
        command: as a person would type it.
        exit_code: negative where a signal ended it.
        stderr: the first 64 KiB of its standard error.
    """

    command: str
    exit_code: int
    stderr: str

    @property
    def too_large(self) -> bool:
        """Whether slurmdbd refused the query as too wide or its answer as too large."""
        return self.exit_code != 0 and _TOO_LARGE.search(self.stderr) is not None

    @property
    def remarks(self) -> tuple[str, ...]:
        """The lines of standard error that mean something, at most a few."""
        lines = (line.strip() for line in self.stderr.splitlines())
        return tuple(line for line in lines if line and not _HARMLESS.search(line))[:STDERR_LINES]

    def check(self) -> None:
        """HesuanError `live.failed` where the exit code is not 0."""
        if self.exit_code != 0:
            words = " / ".join(self.stderr.split("\n")[:STDERR_LINES]).strip(" /") or "-"
            raise HesuanError("live.failed", command=self.command, code=self.exit_code, words=words)


def find_program(name: str) -> str:
    """The program's path.

    Raises:
        HesuanError: `live.no_program` where there is none on PATH (or none at that path).
    """
    path = shutil.which(name)
    if path is None:
        raise HesuanError("live.no_program", program=name)
    return path


def environment(base: Mapping[str, str]) -> dict[str, str]:
    """The environment for Slurm's commands: `base`, times in UTC as epoch seconds, array lists never cut.

    SACCT_* and SLURM_CLUSTERS of a user's shell would change what is asked, and are left out.
    """
    kept = {k: v for k, v in base.items() if not k.startswith("SACCT_") and k != "SLURM_CLUSTERS"}
    return {**kept, "TZ": "UTC", "SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0"}


def choose_fields(helpformat: str) -> tuple[str, ...]:
    """The fields to ask for, of those that `sacct --helpformat` names.

    Raises:
        HesuanError: `live.missing_field` where one is missing without which nothing can be billed.
    """
    known = {name.lower() for name in helpformat.split()}
    missing = [name for name in REQUIRED if name.lower() not in known]
    if missing:
        raise HesuanError("live.missing_field", fields=", ".join(missing))
    return tuple(name for name in FIELDS if name.lower() in known)


def utc_text(time_s: int) -> str:
    """UTC seconds as sacct reads them where TZ is UTC: 2026-10-31T16:00:00."""
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def sacct_arguments(
    program: str, cluster: str, fields: Sequence[str], window: tuple[int, int], job_ids: Sequence[int] = ()
) -> list[str]:
    """The command's words for one window of UTC seconds.

    Without -s, sacct gives every run that was eligible before the window's end and had not ended before its
    start, running ones included. With `job_ids` the same filter holds for those jobs alone, because -S is given
    (without -S, -j goes back to the epoch and brings older jobs that had the same id).
    """
    return [
        program, "-M", cluster, "-a", "-X", "-D", "-p", "--noconvert", f"--delimiter={DELIMITER}",
        "-S", utc_text(window[0]), "-E", utc_text(window[1]),
        *(["-j", ",".join(map(str, job_ids))] if job_ids else []),
        f"--format={','.join(fields)}",
    ]  # fmt: skip


def shown(argv: Sequence[str]) -> str:
    """The command as a person types it into bash; for messages and the batch's origin, never run."""
    words = ["$'--delimiter=\\037'" if DELIMITER in word else shlex.quote(word) for word in argv]
    return "TZ=UTC SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 " + " ".join(words)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and what it started: it leads a process group of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(argv: Sequence[str], out: Path, *, timeout_s: float) -> Ran:
    """Run a command of Slurm, its standard output into the file `out`; the answer never passes through memory.

    However this ends (timeout, Ctrl-C, an error of ours), no process of it is left behind.

    Raises:
        HesuanError: `live.no_program` where it cannot be run, `live.timeout` where it hangs.
    """
    errors = out.with_suffix(".err")
    with out.open("wb") as stdout, errors.open("wb") as stderr:
        try:
            process = subprocess.Popen(
                argv, env=environment(os.environ), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise HesuanError("live.no_program", program=argv[0]) from error
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise HesuanError("live.timeout", command=shown(argv), seconds=round(timeout_s)) from error
        finally:
            _end_group(process)
    with errors.open("rb") as read:
        words = read.read(STDERR_BYTES).decode("utf-8", "replace")
    return Ran(shown(argv), code, words)
