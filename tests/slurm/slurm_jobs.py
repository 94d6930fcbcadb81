"""About a dozen short jobs of the kinds that go wrong in bills, and what Slurm must have recorded of them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from slurm_host import SlurmHost, wait_for

HOSTILE_NAME = "训练|任务\nsecond line"


@dataclass(frozen=True)
class Submitted:
    """Job ids of what was submitted.

    Attributes:
        began_s, ended_s: UTC seconds before the first submission, and when all but `running` had ended.
        array: the array's job id (its last task keeps it as its raw id); tasks 1 to 3, the third fails.
        het: the first component's; the second has the next id.
    """

    began_s: int
    ended_s: int
    plain: int
    array: int
    het: int
    cancelled: int
    failed: int
    gpu: int
    requeued: int
    suspended: int
    hostile: int
    instant: int
    running: int


def _wait_state(host: SlurmHost, job: int, state: str) -> None:
    wait_for(f"job {job} {state}", lambda: host.state(job) == state)


def submit_all(host: SlurmHost) -> Submitted:
    """Submit them, act on some, and wait until all but one have ended. About 20 s."""
    began_s = int(time.time())
    go = host.folder / "work" / "go"
    until_go = (
        f"until [ -e {go} ]; do sleep 0.2; done"  # no job ends before it was acted on, however slow the host
    )
    running = host.submit("ai", "sleep 3600", "-J", "still running", "-n", "2", "-t", "120")
    requeued = host.submit("chem", until_go, "-J", "requeued", "--requeue")
    suspended = host.submit("physics", until_go, "-J", "suspended", "-n", "3")
    cancelled = host.submit("chem", "sleep 1000", "-J", "cancelled", "-n", "2")
    plain = host.submit("physics", "srun -n 2 sleep 2", "-J", "plain", "-n", "2", "--mem=600")
    array = host.submit(
        "chem", 'sleep 1; [ "$SLURM_ARRAY_TASK_ID" != 3 ] || exit 7', "-J", "array", "-a", "1-3"
    )
    het = host.submit(
        "ai", "sleep 2", "-J", "het", "-p", "cpu", "-n", "1",
        ":", "-p", "gpu", "-n", "2", "--gres=gpu:a100:1",
    )  # fmt: skip
    failed = host.submit("physics", "exit 3", "-J", "failed")
    gpu = host.submit("ai", "sleep 2", "-J", "gpu", "-p", "gpu", "-c", "4", "--gres=gpu:a100:1")
    hostile = host.submit("physics", "sleep 1", "-J", HOSTILE_NAME)
    instant = host.submit("physics", "true", "-J", "instant")
    for job in (running, requeued, suspended, cancelled):
        _wait_state(host, job, "RUNNING")
    time.sleep(2)
    host.run("scancel", str(cancelled))
    host.run("scontrol", "suspend", str(suspended))
    host.run("scontrol", "requeue", str(requeued))
    time.sleep(3)
    host.run("scontrol", "resume", str(suspended))
    time.sleep(1)
    go.touch()
    host.run("scontrol", "update", f"jobid={requeued}", "starttime=now")  # or it waits two minutes
    wait_for(
        "all jobs but one to end", lambda: host.run("squeue", "-h", "-o", "%A").split() == [str(running)]
    )
    return Submitted(
        began_s, int(time.time()) + 1, plain, array, het, cancelled, failed, gpu, requeued, suspended, hostile, instant,
        running,
    )  # fmt: skip


def end_running(host: SlurmHost, jobs: Submitted) -> int:
    """Cancel the job that still runs; UTC seconds of a moment after its end."""
    host.run("scancel", str(jobs.running))
    wait_for("the last job to end", lambda: host.run("squeue", "-h", "-o", "%A") == "")
    return int(time.time()) + 1
