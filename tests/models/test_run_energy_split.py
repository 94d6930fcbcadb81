"""Energy of runs on a shared node against a second-by-second count in fractions."""

from __future__ import annotations

from fractions import Fraction

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from models.engine import create_table

END_S = 60  # the period is [0, 60)
Run = tuple[int, int, int]  # begin, end, cores

runs_of_a_node = st.lists(
    st.tuples(st.integers(0, END_S - 1), st.integers(1, 20), st.integers(1, 7)).map(
        lambda r: (r[0], min(r[0] + r[1], END_S), r[2])
    ),
    min_size=1,
    max_size=6,
)


def split(runs: list[Run], watts: int) -> list[tuple[str, int]]:
    """Basis and joules of each run on one node that draws `watts` all the time, from the SQL files themselves."""
    con = duckdb.connect()
    con.execute("CREATE SCHEMA raw")
    con.execute(
        "CREATE TABLE raw.raw_sacct AS SELECT 1 AS batch_id, UNNEST(RANGE(?)) AS record_no, '' AS energy",
        [len(runs)],
    )
    con.execute("CREATE TABLE ref_site AS SELECT 20000 AS node_limit_w")
    con.execute("CREATE TABLE ref_hostlist AS SELECT 'n' AS node_list, 'n' AS node, 0 AS place")
    con.execute("CREATE TABLE core_tres_item (tres_no BIGINT, resource VARCHAR, per_s_base BIGINT)")
    con.executemany("INSERT INTO core_tres_item VALUES (?, 'cpu', ?)", [[n, n * 1000] for n in range(1, 8)])
    con.execute(
        """CREATE TABLE core_run (run_no BIGINT, batch_id BIGINT, record_no BIGINT, cluster VARCHAR, node_list VARCHAR,
           nodes_count BIGINT, tres_no BIGINT, energy_j BIGINT, start_s BIGINT, begin_s BIGINT, reach_s BIGINT,
           from_s BIGINT, to_s BIGINT)"""
    )
    con.executemany(
        "INSERT INTO core_run VALUES (?, 1, ?, 'c', 'n', 1, ?, ?, ?, ?, ?, ?, ?)",
        [
            [number, number, cores, watts * (end - begin), begin, begin, end, begin, end]
            for number, (begin, end, cores) in enumerate(runs)
        ],
    )
    for table in ("core_run_node", "core_node_load", "core_run_energy"):
        create_table(con, table)
    return con.execute("SELECT basis, energy_j FROM core_run_energy ORDER BY run_no").fetchall()


def by_the_second(runs: list[Run], watts: int) -> list[Fraction]:
    """What each run is due: every second's joules by the cores held in that second."""
    due = [Fraction(0)] * len(runs)
    for second in range(END_S):
        here = [n for n, (begin, end, _) in enumerate(runs) if begin <= second < end]
        cores = sum(runs[n][2] for n in here)
        for n in here:
            due[n] += Fraction(watts * runs[n][2], cores)
    return due


@settings(max_examples=40, deadline=None)
@given(runs=runs_of_a_node, watts=st.integers(1, 20_000))
def test_each_run_has_the_whole_joules_of_its_seconds(runs: list[Run], watts: int) -> None:
    found = split(runs, watts)
    assert [joules for _, joules in found] == [int(due) for due in by_the_second(runs, watts)]
    for n, (basis, _) in enumerate(found):
        others = [other for m, other in enumerate(runs) if m != n]
        together = any(begin < runs[n][1] and runs[n][0] < end for begin, end, _ in others)
        assert basis == ("shared" if together else "measured")


@settings(max_examples=20, deadline=None)
@given(runs=runs_of_a_node, watts=st.integers(1, 20_000))
def test_a_node_is_never_given_away_twice(runs: list[Run], watts: int) -> None:
    """All parts together are the node's joules while it was used, but for less than a joule a run."""
    used_s = len({second for begin, end, _ in runs for second in range(begin, end)})
    given_j = sum(joules for _, joules in split(runs, watts))
    assert watts * used_s - len(runs) < given_j <= watts * used_s
