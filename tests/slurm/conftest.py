"""A real Slurm for the session, its jobs, and a raw store into which they were pulled through the real sacct."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from slurm_host import CLUSTER, SlurmHost, slurm_host, why_not
from slurm_jobs import Submitted, end_running, submit_all
from slurm_report import reported_cpu_s

from ingest.sacct_live import pull
from ingest.slurm import Batch


@dataclass(frozen=True)
class RealStore:
    """Records of a real Slurm in a raw store, and what Slurm itself says they come to.

    Attributes:
        path: the raw store. All runs have ended.
        cluster: the cluster's name.
        window: [start, end) in UTC seconds; all runs lie within.
        cpu_s: CPU seconds by account, from sreport.
    """

    path: Path
    cluster: str
    window: tuple[int, int]
    cpu_s: dict[str, int]


@dataclass(frozen=True)
class Pulls:
    """The two pulls: one while a job was running, and one of a later window that this job's end is not in."""

    jobs: Submitted
    store: Path
    first: tuple[Batch, ...]
    second: tuple[Batch, ...]
    ended_s: int


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Never start daemons or install packages where nobody asked for it."""
    if "slurm" not in config.getoption("-m"):
        for item in items:
            if item.path.parent == Path(__file__).parent:
                item.add_marker(pytest.mark.skip(reason="starts a real Slurm: make test-slurm"))


@pytest.fixture(scope="session")
def slurm() -> Iterator[SlurmHost]:
    """A real Slurm, stopped and removed at the end."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patch, slurm_host() as host:
        for name, value in host.env.items():
            patch.setenv(name, value)
        yield host


@pytest.fixture(scope="session")
def pulls(slurm: SlurmHost, tmp_path_factory: pytest.TempPathFactory) -> Pulls:
    """The jobs, pulled."""
    store = tmp_path_factory.mktemp("real") / "raw.duckdb"
    jobs = submit_all(slurm)
    time.sleep(1.5)  # slurmctld hands its records on in the background
    first = _pull(store, jobs.began_s - 1, jobs.ended_s)
    ended_s = end_running(slurm, jobs)
    time.sleep(1.5)
    second = _pull(store, ended_s, ended_s + 1)
    return Pulls(jobs, store, first, second, ended_s)


def _pull(store: Path, since_s: int, until_s: int) -> tuple[Batch, ...]:
    return pull(
        store,
        cluster=CLUSTER,
        since_s=since_s,
        until_s=until_s,
        who="test",
        now_s=until_s,
        program_version="0",
    )


@pytest.fixture(scope="session")
def real_slurm_store(slurm: SlurmHost, pulls: Pulls) -> RealStore:
    """The store to bill from, and Slurm's own CPU seconds to compare the bill with."""
    cpu_s = reported_cpu_s(slurm, pulls.jobs.began_s)
    return RealStore(pulls.store, CLUSTER, (pulls.jobs.began_s - 1, pulls.ended_s), cpu_s)
