"""One sacct record of the sample, and the clock of its month."""

from __future__ import annotations

from dataclasses import dataclass

HOUR, DAY = 3600, 86_400
# 2026-09-01T00:00 in Asia/Shanghai, which is UTC+8 all year: UTC seconds.
MONTH_S = 1_788_192_000
# Both clusters were read at 2026-10-01T02:00.
READ_S = MONTH_S + 30 * DAY + 2 * HOUR


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    """UTC seconds of a local wall time in September 2026; day 0 is 31 August, day 31 is 1 October."""
    return MONTH_S + (day - 1) * DAY + hour * HOUR + minute * 60 + second


@dataclass(frozen=True)
class Held:
    """What a run holds while it holds it.

    Attributes:
        devices: (gres name, type, count), such as ("gpu", "a100", 2); the type may be empty.
        generic: whether AllocTRES also says the untyped total, gres/gpu=2.
    """

    cpus: int
    mem_mib: int
    nodes: int = 1
    devices: tuple[tuple[str, str, int], ...] = ()
    generic: bool = True


@dataclass(frozen=True)
class Run:
    """One allocation record. Times are UTC seconds.

    Attributes:
        start, end: None is not said: never started, or not ended yet.
        begin: when the run really began to hold: its start, save where Slurm 22.05 repeats a resized job's first start.
        suspended: seconds.
        timelimit: minutes.
        name: JobName as bytes: names need not be UTF-8.
        readable: False for the one record whose bytes were damaged.
    """

    cluster: str
    job_id_raw: int
    job_id: str
    account: str
    user: str
    partition: str
    qos: str
    state: str
    submit: int
    start: int | None
    end: int | None
    held: Held
    name: bytes
    wckey: str = ""
    eligible: int | None = None
    begin: int | None = None
    suspended: int = 0
    timelimit: int = 2880
    node_list: str = ""
    readable: bool = True

    @property
    def reach(self) -> int | None:
        """Where the record ends: its end, or the moment at which it was read; None: never started."""
        if self.start is None:
            return None
        return READ_S if self.end is None else self.end

    @property
    def elapsed(self) -> int:
        """ElapsedRaw: end - start - suspended."""
        if self.start is None or self.reach is None:
            return 0
        return self.reach - self.start - self.suspended
