"""Every row of the hand-written reproducers of Slurm's traps gives the result that stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from ingest.slurm import ingest_file
from models.build import SitePaths
from tests.models.marts import EVERYTHING, open_month, table
from tests.models.sites import book, price, rule, site, tariff, tenant

REPRO = Path(__file__).resolve().parents[1] / "data" / "sacct-repro.psv"
HOUR = 3600
CORE, GIB, DEVICE = 1000 * HOUR, 1024 * HOUR, 1000 * HOUR  # base units of a core-hour, GiB-hour, device-hour

TWO_TENANTS = site(
    tenants=(tenant("alpha"), tenant("beta")),
    rules=(rule(0, "alpha", account="alpha"), rule(1, "beta", account="beta")),
)


@dataclass(frozen=True)
class Case:
    """What a row of the reproducers is to give: hours by resource within January 2024, for `tenant`."""

    job: str
    cores: float
    gib: float | None
    devices: tuple[tuple[str, float], ...] = ()
    tenant: str = "alpha"


# The last column of the file, in numbers. 4 cores and 8 GiB for an hour where nothing else is said.
CASES = {
    "plain": Case("100", 4, 8),
    "array_task": Case("105_4", 4, 8),
    "cancelled_ran": Case("104", 2, 4),
    "het_0": Case("107+0", 4, 8),
    "het_1": Case("107+1", 8, 16, tenant="beta"),
    "gpu_typed_and_generic": Case("109", 8, 64, (("gpu:a100", 2),)),
    "gpu_typed_only_two": Case("110", 8, 64, (("gpu:a100", 2), ("gpu:v100", 1))),
    "mem_fraction": Case("113", 1, 62.5),
    "mem_absent": Case("114", 1, None),
    "suspended": Case("115", 4, 16),
    "running": Case("116", 4, 8),
    "month_cross": Case("118", 4, 8),
    "energy_sentinel": Case("121", 4, 8),
    "energy_implausible": Case("124", 4, 8),
    "energy_good": Case("125", 4, 8),
    "energy_shared_a": Case("126", 32, 64),
    "energy_shared_b": Case("127", 32, 64),
    "hostlist_padded": Case("128", 4, 8),
    "unknown_state": Case("130", 4, 8),
    "node_fail": Case("134", 4, 8),
}
# Cases that hold nothing, or that have a test of their own below.
OTHERS = {
    "steps", "requeue_run1", "requeue_run2", "cancelled_never_ran", "array_pending", "runaway", "zero_length",
}  # fmt: skip


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> SitePaths:
    made = SitePaths(tmp_path_factory.mktemp("repro"))
    batch = ingest_file(
        made.raw, REPRO, cluster="c1", timezone="UTC", who="test", now_s=0, program_version="test"
    )
    # 28 rows, of which 2 are steps.
    assert (batch.kept, batch.rejected, batch.steps) == (26, 0, 2)
    return made


@pytest.fixture(scope="module")
def january(paths: SitePaths) -> Iterator[duckdb.DuckDBPyConnection]:
    con = open_month(paths, "2024-01", of=TWO_TENANTS)
    yield con
    con.close()


def test_no_row_is_forgotten() -> None:
    header, *lines = REPRO.read_text(encoding="utf-8").splitlines()
    assert header.startswith("case|")
    assert {line.split("|")[0] for line in lines} == set(CASES) | OTHERS


@pytest.mark.parametrize("name", CASES)
def test_hours(january: duckdb.DuckDBPyConnection, name: str) -> None:
    case = CASES[name]
    found = table(
        january,
        """
        SELECT u.resource, o.tenant, CAST(SUM(u.priced_base) AS BIGINT), CAST(SUM(u.consumed_base) AS BIGINT)
        FROM core_use AS u
        JOIN core_run AS r ON r.run_no = u.run_no
        JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
        WHERE r.job_id = ? AND u.resource NOT IN ('node', 'billing')
        GROUP BY ALL
        """,
        case.job,
    )
    expected = {"cpu": case.cores * CORE} | {device: hours * DEVICE for device, hours in case.devices}
    if case.gib is not None:
        expected["mem"] = case.gib * GIB
    assert {resource: priced for resource, _, priced, _ in found} == expected
    assert all(priced == consumed and owner == case.tenant for _, owner, priced, consumed in found)


def test_requeued_runs_are_both_billed(january: duckdb.DuckDBPyConnection) -> None:
    found = table(
        january,
        "SELECT r.state, CAST(SUM(u.priced_base) AS BIGINT) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no"
        " WHERE r.job_id = '101' AND u.resource = 'cpu' GROUP BY 1 ORDER BY 2",
    )
    assert found == [("requeued", 2 * CORE), ("completed", 4 * CORE)]


def test_what_holds_nothing_is_counted(paths: SitePaths, january: duckdb.DuckDBPyConnection) -> None:
    """What never started belongs to the month of its end (103) or submission (105): both are minutes before January.

    The runaway (117) has no end: it is held in every month from its start in 2021 on, until somebody mends it.
    """
    query = "SELECT CAST(job_id_raw AS VARCHAR), fate, reason FROM core_record WHERE fate IN ('zero', 'held') ORDER BY 1"
    december = open_month(paths, "2023-12", of=TWO_TENANTS)
    assert table(december, query) == [
        ("103", "zero", "never-started"),
        ("105", "zero", "never-started"),
        ("117", "held", "runaway"),
    ]
    assert table(january, query) == [("117", "held", "runaway"), ("119", "zero", "zero-length")]
    # Of the 26: 2 as above, 2 of December, 20 of CASES and 2 runs of the requeued job.
    assert table(
        january, "SELECT fate, SUM(records_count) FROM out_reconciliation GROUP BY 1 ORDER BY 1"
    ) == [
        ("billed", 22),
        ("held", 1),
        ("other-period", 2),
        ("zero", 1),
    ]


def test_memory_that_is_not_tracked_is_said(january: duckdb.DuckDBPyConnection) -> None:
    """Job 114 has no mem in AllocTRES: no row at all, not a row of 0, and a finding that says so."""
    assert table(
        january,
        "SELECT COUNT(*) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no WHERE r.job_id = '114' AND u.resource = 'mem'",
    ) == [(0,)]
    assert ("mem-not-tracked", "1 runs") in table(january, "SELECT reason, detail FROM out_finding")


def test_unknown_state_is_billed_with_a_warning(january: duckdb.DuckDBPyConnection) -> None:
    assert table(january, "SELECT detail, level FROM out_finding WHERE reason = 'unknown-state'") == [
        ("SPECIAL_NEW", "warning")
    ]


def test_a_run_over_the_turn_of_the_month(paths: SitePaths, january: duckdb.DuckDBPyConnection) -> None:
    """Job 118 runs from an hour before February to an hour after: an hour of 4 cores in each."""
    february = open_month(paths, "2024-02", of=TWO_TENANTS)
    hours = "SELECT r.job_id, CAST(SUM(u.consumed_base) AS BIGINT) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no WHERE r.job_id = '118' AND u.resource = ? GROUP BY 1"
    for con in (january, february):
        assert table(con, hours, "cpu") == [("118", 4 * CORE)]
        assert table(con, hours, "mem") == [("118", 8 * GIB)]
    assert table(february, "SELECT COUNT(*) FROM core_run") == [(1,)]


def test_energy_that_is_a_sentinel_is_unknown(january: duckdb.DuckDBPyConnection) -> None:
    assert table(
        january, "SELECT job_id, energy_j FROM core_run WHERE job_id IN ('121', '125') ORDER BY 1"
    ) == [
        ("121", None),
        ("125", 3_600_000),
    ]


@pytest.mark.parametrize(("treatment", "column"), [("refund", "refunded_base"), ("free", "free_base")])
def test_policies_by_state(paths: SitePaths, treatment: str, column: str) -> None:
    """NODE_FAIL (job 134: 4 h) and REQUEUED (first run of 101: 2 h) are not charged, and say why."""
    policy = tariff(
        *EVERYTHING.versions[0].prices,
        runs=(("node_fail", treatment), ("requeued", treatment)),
        not_priced=(),
    )
    con = open_month(paths, "2024-01", of=TWO_TENANTS, prices=book(policy))
    found = table(
        con,
        f"SELECT r.job_id, u.policy_reason, CAST(SUM(u.{column}) AS BIGINT), CAST(SUM(u.priced_base) AS BIGINT) FROM core_use AS u"
        " JOIN core_run AS r ON r.run_no = u.run_no WHERE u.policy_reason <> '' AND u.resource = 'cpu' GROUP BY 1, 2 ORDER BY 1",
    )
    assert found == [
        ("101", f"{treatment}:requeued", 2 * CORE, 0),
        ("134", f"{treatment}:node_fail", 4 * CORE, 0),
    ]


@pytest.mark.parametrize(("treatment", "priced_h", "unbilled_h"), [("bill", 2, 0), ("free", 1, 1)])
def test_memory_of_a_suspended_run(paths: SitePaths, treatment: str, priced_h: int, unbilled_h: int) -> None:
    """Job 115: two hours, one of them suspended. CPU 1 h x 4; its 8 GiB stay held for 2 h, charged by policy."""
    policy = tariff(*EVERYTHING.versions[0].prices, suspended=(("mem", treatment),), not_priced=())
    con = open_month(paths, "2024-01", of=TWO_TENANTS, prices=book(policy))
    found = table(
        con,
        "SELECT u.resource, CAST(SUM(u.consumed_base) AS BIGINT), CAST(SUM(u.priced_base) AS BIGINT), CAST(SUM(u.unbilled_base) AS BIGINT),"
        " MAX(u.unbilled_reason) FROM core_use AS u JOIN core_run AS r ON r.run_no = u.run_no"
        " WHERE r.job_id = '115' AND u.resource IN ('cpu', 'mem') GROUP BY 1 ORDER BY 1",
    )
    assert found == [
        ("cpu", 4 * CORE, 4 * CORE, 0, ""),
        ("mem", 16 * GIB, 8 * GIB * priced_h, 8 * GIB * unbilled_h, "suspended" if unbilled_h else ""),
    ]
    assert priced_h + unbilled_h == 2


def test_a_month_without_price_for_memory_cannot_close(paths: SitePaths) -> None:
    con = open_month(
        paths,
        "2024-01",
        of=TWO_TENANTS,
        prices=book(
            tariff(price("CPU", "cpu", "1"), price("DEV", "gpu:*", "1"), not_priced=("node", "billing"))
        ),
        fails={"no_price"},
    )
    assert table(con, "SELECT DISTINCT level FROM out_finding WHERE reason = 'no-price'") == [("error",)]
