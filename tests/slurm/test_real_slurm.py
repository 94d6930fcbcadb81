"""Through the real sacct: what was submitted arrives whole, and comes to what Slurm's own sreport says."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from slurm_host import CLUSTER, SlurmHost
from slurm_jobs import HOSTILE_NAME
from slurm_report import database

from ingest.sacct_live import pull
from models.errors import HesuanError
from models.store import raw_reader

pytestmark = pytest.mark.slurm

# One row for each run: the newest version by its natural key, ended over running.
RUNS = """
    SELECT * FROM raw_sacct
    QUALIFY row_number() OVER (PARTITION BY job_id_raw, submit_s, eligible_s, start_s
                               ORDER BY end_s IS NOT NULL DESC, end_s DESC, batch_id DESC) = 1
"""


def query(store: Path, sql: str) -> list[tuple]:
    with raw_reader(store) as con:
        return con.execute(sql).fetchall()


def runs(store: Path, job: int) -> list[tuple]:
    """(job_id, account, state, elapsed_s, alloc_tres) of the runs of one raw job id, oldest first."""
    sql = f"SELECT job_id, account, state, elapsed_s, alloc_tres FROM ({RUNS}) WHERE job_id_raw = {job}"
    return query(store, f"{sql} ORDER BY start_s")


def test_nothing_is_refused(pulls):
    assert [b.rejected for b in (*pulls.first, *pulls.second)] == [0] * len((*pulls.first, *pulls.second))
    # 11 submissions: 2 more tasks of the array, 1 more component of the het job, 1 more run of the requeued job.
    assert query(pulls.store, f"SELECT count(*) FROM ({RUNS})") == [(15,)]
    assert query(pulls.store, "SELECT DISTINCT cluster FROM raw_sacct") == [(CLUSTER,)]


def test_plain_and_failed(pulls):
    ((job_id, account, state, elapsed_s, tres),) = runs(pulls.store, pulls.jobs.plain)
    assert (job_id, account, state) == (str(pulls.jobs.plain), "physics", "COMPLETED")
    assert elapsed_s >= 2
    assert tres == "billing=2,cpu=2,mem=600M,node=1"
    ((_, _, state, _, _),) = runs(pulls.store, pulls.jobs.failed)
    assert state == "FAILED"


def test_array_tasks_are_runs_of_their_own(pulls):
    found = query(
        pulls.store,
        f"SELECT job_id, state FROM ({RUNS}) WHERE job_id LIKE '{pulls.jobs.array}\\_%' ESCAPE '\\'",
    )
    assert sorted(found) == [
        (f"{pulls.jobs.array}_1", "COMPLETED"), (f"{pulls.jobs.array}_2", "COMPLETED"),
        (f"{pulls.jobs.array}_3", "FAILED"),
    ]  # fmt: skip


def test_het_components_are_runs_of_their_own(pulls):
    ((first_id, _, _, _, first_tres),) = runs(pulls.store, pulls.jobs.het)
    ((second_id, _, _, _, second_tres),) = runs(pulls.store, pulls.jobs.het + 1)
    assert (first_id, second_id) == (f"{pulls.jobs.het}+0", f"{pulls.jobs.het}+1")
    assert "gres/gpu" not in first_tres
    assert "cpu=2,gres/gpu:a100=1,gres/gpu=1," in second_tres


def test_gpu(pulls):
    ((_, account, _, _, tres),) = runs(pulls.store, pulls.jobs.gpu)
    assert account == "ai"
    assert tres == "billing=4,cpu=4,gres/gpu:a100=1,gres/gpu=1,mem=2000M,node=1"


def test_cancelled_and_requeued(pulls):
    ((_, _, state, elapsed_s, _),) = runs(pulls.store, pulls.jobs.cancelled)
    assert state.startswith("CANCELLED")
    assert elapsed_s >= 2
    first, second = runs(pulls.store, pulls.jobs.requeued)
    assert (first[2], second[2]) == ("REQUEUED", "COMPLETED")
    assert first[3] >= 2


def test_suspended(pulls):
    ((start_s, end_s, suspended_s, elapsed_s),) = query(
        pulls.store,
        f"SELECT start_s, end_s, suspended_s, elapsed_s FROM ({RUNS}) WHERE job_id_raw = {pulls.jobs.suspended}",
    )
    assert suspended_s >= 3
    assert elapsed_s == end_s - start_s - suspended_s


def test_hostile_name(pulls):
    assert query(pulls.store, f"SELECT job_name FROM ({RUNS}) WHERE job_id_raw = {pulls.jobs.hostile}") == [
        (HOSTILE_NAME,)
    ]


def test_running_and_its_end_that_no_window_brought(pulls):
    versions = query(
        pulls.store,
        f"SELECT state, end_s IS NULL FROM raw_sacct WHERE job_id_raw = {pulls.jobs.running} ORDER BY batch_id",
    )
    assert [ended for _, ended in versions] == [True, False]
    assert versions[0][0] == "RUNNING"
    assert versions[1][0].startswith("CANCELLED")
    assert query(pulls.store, "SELECT window_start_s FROM raw_batch WHERE origin LIKE '% -j %'") == [(None,)]


def test_wrong_cluster_name(pulls, tmp_path):
    with pytest.raises(HesuanError, match=CLUSTER) as error:
        pull(
            tmp_path / "raw.duckdb", cluster="realtset", since_s=0, until_s=pulls.ended_s, who="test",
            now_s=pulls.ended_s, program_version="0",
        )  # fmt: skip
    assert error.value.key == "live.no_cluster"


def test_failed_database_query_is_not_an_empty_window(slurm: SlurmHost, pulls):
    database(slurm, f"rename table {CLUSTER}_job_table to hidden")
    try:
        with pytest.raises(HesuanError) as error:
            pull(
                pulls.store, cluster=CLUSTER, since_s=pulls.jobs.began_s, until_s=pulls.ended_s, who="test",
                now_s=pulls.ended_s, program_version="0",
            )  # fmt: skip
    finally:
        database(slurm, f"rename table hidden to {CLUSTER}_job_table")
    assert error.value.key == "live.silent"


def test_too_wide_a_range_is_halved(slurm: SlurmHost, pulls, tmp_path):
    """MaxQueryTimeRange holds for ordinary accounts, so sacct runs as one, through a wrapper."""
    configuration = slurm.folder / "etc" / "slurmdbd.conf"
    before = configuration.read_text(encoding="utf-8")
    wrapper = tmp_path / "sacct"
    wrapper.write_text('#!/bin/sh\nexec setpriv --reuid=irc --clear-groups sacct "$@"\n', encoding="ascii")
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    store = tmp_path / "raw.duckdb"
    configuration.write_text(f"{before}MaxQueryTimeRange=03:30:00\n", encoding="utf-8")
    slurm.reconfigure_slurmdbd()
    try:
        batches = pull(
            store, cluster=CLUSTER, since_s=pulls.ended_s - 12 * 3600, until_s=pulls.ended_s, who="test",
            now_s=pulls.ended_s, program_version="0", sacct=str(wrapper),
        )  # fmt: skip
    finally:
        configuration.write_text(before, encoding="utf-8")
        slurm.reconfigure_slurmdbd()
    assert len(batches) == 4  # 12 h and 6 h refused, then 3 h each
    assert query(store, f"SELECT count(*) FROM ({RUNS})") == query(
        pulls.store, f"SELECT count(*) FROM ({RUNS})"
    )


def test_cpu_seconds_are_sreport_s(real_slurm_store):
    """It counts every run, clock seconds less suspension, times CPUs (the rule was checked on 12,184 jobs)."""
    ours = query(
        real_slurm_store.path,
        "SELECT account, sum((end_s - start_s - suspended_s) * regexp_extract(alloc_tres, 'cpu=(\\d+)', 1)::BIGINT)"
        f" FROM ({RUNS}) GROUP BY account",
    )
    assert real_slurm_store.cpu_s == dict(ours)
    assert set(real_slurm_store.cpu_s) == {"physics", "chem", "ai"}
