"""Where the capacity went, by hand-worked sheets and by properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_inventory import declare, events, reservations, snapshot
from raw_rows import fill_raw, run
from sites import book, price, site, tariff

from models.build import SitePaths, build
from models.engine import check_rows
from models.store import connect

# 2024-01-01 00:00 UTC, a month of 744 hours.
T0 = 1_704_067_200
HOUR = 3600
MONTH = (T0, T0 + 744 * HOUR)
TERMS = (
    "capacity",
    "over",
    "allocated",
    "reserved_idle",
    "idle",
    "down",
    "drained",
    "maintenance",
    "unknown",
)


def built(folder: Path) -> duckdb.DuckDBPyConnection:
    """The mart of January 2024 with both checks of capacity passed."""
    prices = book(tariff(price("cpu", "cpu", "1"), not_priced=("*",)))
    made = build(SitePaths(folder), site(), prices, "2024-01", program_version="t")
    con = connect(made.path, read_only=True)
    assert check_rows(con, "capacity_identity", 5) == []
    assert check_rows(con, "capacity_allocated_is_usage", 5) == []
    return con


def hours(
    con: duckdb.DuckDBPyConnection, resource: str = "cpu", where: str = "TRUE", per: int = 3_600_000
) -> dict[str, float]:
    """What is not zero of each term, in hours."""
    sums = ", ".join(f"SUM({term}_base)" for term in TERMS)
    query = f"""SELECT {sums} FROM core_node_slot AS s JOIN cal_slot AS c ON c.slot_no = s.slot_no
                JOIN (SELECT DISTINCT node_no, node FROM core_node) AS n ON n.node_no = s.node_no
                WHERE s.resource = ? AND {where}"""
    row = con.execute(query, [resource]).fetchall()[0]
    return {term: value / per for term, value in zip(TERMS, row, strict=True) if value}


def test_every_term_on_one_node(tmp_path: Path) -> None:
    """One node of 4 CPUs, January: 744 h x 4 = 2976 core-hours.

    0-2 h: a run holds 3 CPUs: 6 allocated, 2 idle. 2-4 h: down while the same user's run of 1 CPU ends at 3 h: 1
    allocated, 7 down. 4-5 h drained: 4. 5-6 h maintenance: 4. 6-8 h reserved, its own run holds 2 CPUs in 6-7 h:
    2 allocated, 6 reserved idle. Records were read for 0-700 h: 44 h x 4 = 176 unknown. The rest is idle:
    2976 - 6 - 1 - 7 - 4 - 4 - 2 - 6 - 176 = 2770.
    """
    raw = tmp_path / "raw.duckdb"
    fill_raw(
        raw,
        [
            run(1, T0, T0 + 2 * HOUR, "cpu=3,node=1", node_list="n1"),
            run(2, T0 + 2 * HOUR, T0 + 3 * HOUR, "cpu=1,node=1", node_list="n1"),
            run(3, T0 + 6 * HOUR, T0 + 7 * HOUR, "cpu=2,node=1", node_list="n1", reservation="mine"),
        ],
    )
    snapshot(raw, T0 - 100, {"n1": "cpu=4"})
    events(
        raw, MONTH[1], ("n1", T0 + 2 * HOUR, T0 + 4 * HOUR, "DOWN*"), ("n1", T0 + 4 * HOUR, T0 + 5 * HOUR, "IDLE+DRAIN")
    )  # fmt: skip
    reservations(
        raw,
        None,
        ("fix", T0 + 5 * HOUR, T0 + 6 * HOUR, "n1", "cpu=4", "MAINT,SPEC_NODES"),
        ("mine", T0 + 6 * HOUR, T0 + 8 * HOUR, "n1", "cpu=4", "SPEC_NODES"),
        read_at_s=MONTH[1],
    )
    declare(raw, (T0, T0 + 700 * HOUR))
    assert hours(built(tmp_path)) == {
        "capacity": 2976, "allocated": 9, "down": 7, "drained": 4, "maintenance": 4, "reserved_idle": 6,
        "unknown": 176, "idle": 2770,
    }  # fmt: skip


def test_what_is_held_beyond_capacity_is_over(tmp_path: Path) -> None:
    """Two runs of 3 CPUs for an hour on a node of 4: 6 allocated, 4 there, 2 over; nothing idle in that hour."""
    raw = fill_raw(
        tmp_path / "raw.duckdb", [run(n, T0, T0 + HOUR, "cpu=3,node=1", node_list="n1") for n in (1, 2)]
    )
    snapshot(raw, T0, {"n1": "cpu=4"})
    declare(raw, MONTH)
    assert hours(built(tmp_path), where="c.slot_no = 0") == {"capacity": 4, "over": 2, "allocated": 6}


def test_a_run_lies_where_there_is_room(tmp_path: Path) -> None:
    """22 CPUs on nodes of 8 and 16: even halves would be 11 and 11, but 8 is all that the first has: 8 and 14.

    25 CPUs do not fit: 24 are there, the one beyond lies half on each: 8.5 and 16.5.
    """
    raw = fill_raw(
        tmp_path / "raw.duckdb",
        [
            run(1, T0, T0 + HOUR, "cpu=22,node=2", node_list="n[1-2]"),
            run(2, T0 + HOUR, T0 + 2 * HOUR, "cpu=25,node=2", node_list="n[1-2]"),
        ],
    )
    snapshot(raw, T0, {"n1": "cpu=8", "n2": "cpu=16"})
    declare(raw, MONTH)
    con = built(tmp_path)
    assert [
        hours(con, where=f"c.slot_no = 0 AND n.node = '{node}'")["allocated"] for node in ("n1", "n2")
    ] == [8, 14]
    assert [
        hours(con, where=f"c.slot_no = 1 AND n.node = '{node}'")["allocated"] for node in ("n1", "n2")
    ] == [8.5, 16.5]
    assert hours(con)["over"] == 1


def test_devices_without_a_type_are_of_the_nodes_type(tmp_path: Path) -> None:
    """AllocTRES says gres/gpu=2 where CfgTRES says gres/gpu=4,gres/gpu:a100=4: two of the four a100."""
    raw = fill_raw(
        tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1,gres/gpu=2,node=1", node_list="g1")]
    )
    snapshot(raw, T0, {"g1": "cpu=4,gres/gpu=4,gres/gpu:a100=4"})
    declare(raw, MONTH)
    assert hours(built(tmp_path), "gpu:a100", "c.slot_no = 0") == {"capacity": 4, "allocated": 2, "idle": 2}


def test_a_run_on_a_node_that_no_snapshot_names(tmp_path: Path) -> None:
    """It is allocated all the same, and beyond the capacity, for none is known there."""
    raw = fill_raw(
        tmp_path / "raw.duckdb",
        [
            run(1, T0, T0 + HOUR, "cpu=2,node=1", node_list="elsewhere"),
            run(2, T0, T0 + HOUR, "cpu=2", node_list="n["),
        ],
    )
    snapshot(raw, T0, {"n1": "cpu=4"})
    declare(raw, MONTH)
    assert hours(built(tmp_path), where="c.slot_no = 0") == {
        "capacity": 4,
        "over": 4,
        "allocated": 4,
        "idle": 4,
    }


def test_snapshots_hold_until_the_next_and_the_first_one_before_it_too(tmp_path: Path) -> None:
    """The first snapshot is carried back to 0 h; n2 comes with the second, and the third no longer names it.

    0-200 h: 4 x 200 = 800; 200-700 h: 10 x 500 = 5000; 700-744 h: 8 x 44 = 352; in all 6152.
    """
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0 + 100 * HOUR, {"n1": "cpu=4"})
    snapshot(raw, T0 + 200 * HOUR, {"n1": "cpu=8", "n2": "cpu=2"})
    snapshot(raw, T0 + 700 * HOUR, {"n1": "cpu=8"})
    declare(raw, MONTH)
    con = built(tmp_path)
    assert hours(con) == {"capacity": 6152, "allocated": 1, "idle": 6151}
    found = con.execute(
        "SELECT node, basis, COUNT(*) FROM core_node WHERE node <> '' GROUP BY ALL ORDER BY ALL"
    )
    assert found.fetchall() == [("n1", "carried", 1), ("n1", "snapshot", 2), ("n2", "snapshot", 1)]


def test_states_of_snapshots_count_where_no_events_were_read(tmp_path: Path) -> None:
    """Down from the snapshot at 10 h to the one at 20 h: 40 core-hours. A flag of maintenance is left to reservations."""
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=4"}, {"n1": "IDLE+MAINTENANCE+RESERVED"})
    snapshot(raw, T0 + 10 * HOUR, {"n1": "cpu=4"}, {"n1": "DOWN*+DRAIN"})
    snapshot(raw, T0 + 20 * HOUR, {"n1": "cpu=4"}, {"n1": "MIXED"})
    declare(raw, MONTH)
    assert hours(built(tmp_path)) == {"capacity": 2976, "allocated": 1, "down": 40, "idle": 2935}


def test_a_later_event_list_ends_what_was_open(tmp_path: Path) -> None:
    """Down since 10 h, open when first read at 12 h; the second reading has its end, 15 h: 5 h x 4 CPUs."""
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=4"})
    events(raw, T0 + 12 * HOUR, ("n1", T0 + 10 * HOUR, None, "DOWN"))
    events(raw, MONTH[1], ("n1", T0 + 10 * HOUR, T0 + 15 * HOUR, "DOWN"))
    declare(raw, MONTH)
    assert hours(built(tmp_path))["down"] == 20


def test_a_reservation_of_some_cores_and_one_that_was_deleted(tmp_path: Path) -> None:
    """One of some cores, one that ended early, one that never was.

    `some` keeps 3 of 4 CPUs for 10 h: 30 reserved idle, and no device. `gone`, planned for 100-200 h, is missing from the
    snapshot at 150 h: 50 h x 4 CPUs. `never` is missing before it begins.
    """
    raw = fill_raw(
        tmp_path / "raw.duckdb", [run(1, T0 + 300 * HOUR, T0 + 301 * HOUR, "cpu=1", node_list="n1")]
    )
    snapshot(raw, T0, {"n1": "cpu=4,gres/gpu=1"})
    reservations(
        raw, T0,
        ("some", T0, T0 + 10 * HOUR, "n1", "cpu=3", "SPEC_NODES"),
        ("gone", T0 + 100 * HOUR, T0 + 200 * HOUR, "n1", "cpu=4", ""),
        ("never", T0 + 400 * HOUR, T0 + 500 * HOUR, "n1", "cpu=4", ""),
    )  # fmt: skip
    reservations(raw, T0 + 150 * HOUR)
    declare(raw, MONTH)
    con = built(tmp_path)
    assert hours(con)["reserved_idle"] == 30 + 200
    assert hours(con, "gpu:untyped")["reserved_idle"] == 50
    kept = con.execute(
        "SELECT reservation, kept_base, idle_base FROM out_capacity_reserved WHERE resource = 'cpu' ORDER BY 1"
    )
    assert kept.fetchall() == [
        ("gone", 200 * 3_600_000, 200 * 3_600_000),
        ("some", 30 * 3_600_000, 30 * 3_600_000),
    ]


def test_the_reserved_cores_that_its_runs_use_are_not_idle(tmp_path: Path) -> None:
    """3 of 8 CPUs reserved for an hour, a run within holds all 3, another holds 2 more: 5 allocated, 3 idle."""
    raw = fill_raw(
        tmp_path / "raw.duckdb",
        [
            run(1, T0, T0 + HOUR, "cpu=3", node_list="n1", reservation="some"),
            run(2, T0, T0 + HOUR, "cpu=2", node_list="n1"),
        ],
    )
    snapshot(raw, T0, {"n1": "cpu=8"})
    reservations(raw, T0, ("some", T0, T0 + HOUR, "n1", "cpu=3", ""))
    declare(raw, MONTH)
    assert hours(built(tmp_path), where="c.slot_no = 0") == {"capacity": 8, "allocated": 5, "idle": 3}


def test_memory_that_is_not_tracked_has_no_idle_time(tmp_path: Path) -> None:
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1,node=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=4,mem=1000M"})
    declare(raw, MONTH)
    resources = built(tmp_path).execute("SELECT DISTINCT resource FROM core_node_slot").fetchall()
    assert resources == [("cpu",)]


def test_a_suspended_run_gives_its_cores_back_and_keeps_its_memory(tmp_path: Path) -> None:
    """4 CPUs and 7 MiB on two nodes for 3 h, 1 h of it suspended: 8 core-hours, 21 MiB-hours, both split to the unit."""
    record = run(
        1, T0, T0 + 3 * HOUR, "cpu=4,mem=7M", node_list="n[1-2]", suspended_s=HOUR, elapsed_s=2 * HOUR
    )
    raw = fill_raw(tmp_path / "raw.duckdb", [record])
    snapshot(raw, T0, {"n1": "cpu=4,mem=100M", "n2": "cpu=4,mem=100M"})
    declare(raw, MONTH)
    con = built(tmp_path)
    assert hours(con)["allocated"] == 8
    assert hours(con, "mem", per=3600)["allocated"] == 21


def test_a_file_without_a_window_covers_what_any_window_of_it_must(tmp_path: Path) -> None:
    """First End at 5 h, last Eligible at 400 h: between them every run was listed, whatever -S and -E were."""
    raw = fill_raw(
        tmp_path / "raw.duckdb",
        [
            run(1, T0, T0 + 5 * HOUR, "cpu=1", node_list="n1"),
            run(2, T0 + 401 * HOUR, T0 + 500 * HOUR, "cpu=1", node_list="n1", eligible_s=T0 + 400 * HOUR),
        ],
    )
    snapshot(raw, T0, {"n1": "cpu=1"})
    con = built(tmp_path)
    assert con.execute("SELECT * FROM core_coverage").fetchall() == [
        ("c1", "assumed", T0 + 5 * HOUR, T0 + 400 * HOUR)
    ]
    assert hours(con) == {"capacity": 744, "allocated": 104, "idle": 395, "unknown": 744 - 104 - 395}


def test_windows_join_and_never_reach_beyond_their_reading(tmp_path: Path) -> None:
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=1"})
    declare(raw, (T0 - 50, T0 + 100), (T0 + 100, T0 + 200), (T0 + 150, T0 + 160), (T0 + 300, T0 + 400))
    found = (
        built(tmp_path)
        .execute("SELECT from_s - ?, to_s - ? FROM core_coverage ORDER BY 1", [T0, T0])
        .fetchall()
    )
    assert found == [(0, 200), (300, 400)]


def test_partitions_share_their_nodes(tmp_path: Path) -> None:
    """A node in two partitions counts in each, and once in the cluster."""
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=1"}, partitions="a,b")
    declare(raw, MONTH)
    query = "SELECT partition, CAST(SUM(capacity_base) AS BIGINT), CAST(SUM(allocated_base) AS BIGINT) FROM out_capacity GROUP BY 1 ORDER BY 1"
    hour = 3_600_000
    assert built(tmp_path).execute(query).fetchall() == [(name, 744 * hour, hour) for name in ("", "a", "b")]


def test_waste_is_told_by_state_and_by_what_was_used(tmp_path: Path) -> None:
    """A failed run of 4 CPUs for 2 h that used 1 h of CPU time; one of unknown use; a run over the month's end.

    The last holds 2 CPUs from one hour before the period's end to three after it and used 4 h of CPU time: a quarter of
    its time and of its use fall into the period: 2 core-hours held, 1 used.
    """
    fill_raw(
        tmp_path / "raw.duckdb",
        [
            run(1, T0, T0 + 2 * HOUR, "cpu=4", state="FAILED", total_cpu_ms=3_600_000),
            run(2, T0, T0 + HOUR, "cpu=1", state="FAILED", total_cpu_ms=0),
            run(3, MONTH[1] - HOUR, MONTH[1] + 3 * HOUR, "cpu=2", total_cpu_ms=4 * 3_600_000),
        ],
    )
    query = "SELECT state, runs_count, held_base / 3600000, told_base / 3600000, used_base / 3600000 FROM out_capacity_waste ORDER BY 1"
    found = built(tmp_path).execute(query).fetchall()
    assert found == [("completed", 1, 2, 2, 1), ("failed", 2, 9, 8, 1)]


NODES = {
    "n1": "cpu=4,mem=1000M,gres/gpu:a=2",
    "n2": "cpu=8,mem=3000M",
    "n3": "cpu=16,mem=1000M,gres/gpu:a=1,gres/gpu:b=3",
}
moments = st.integers(T0 - 50 * HOUR, T0 + 60 * HOUR)
spans = st.tuples(moments, moments).filter(lambda pair: pair[0] < pair[1])


@st.composite
def records(draw: st.DrawFn, job: int) -> dict[str, Any]:
    start, end = draw(spans)
    tres = draw(
        st.sampled_from(
            [
                "cpu=7,mem=555M",
                "cpu=1,mem=3M,gres/gpu=1",
                "cpu=13,mem=999M,gres/gpu:a=1,gres/gpu=3",
                "cpu=31,mem=9000M",
            ]
        )
    )
    nodes = draw(st.sampled_from(["n1", "n[1-2]", "n[1-3]", "n3", "n9", "n[2,9]", "", "None assigned"]))
    suspended = draw(st.sampled_from([0, 0, (end - start) // 3]))
    more = {
        "suspended_s": suspended,
        "elapsed_s": end - start - suspended,
        "reservation": draw(st.sampled_from(["", "r"])),
    }
    return run(job, start, end, tres, node_list=nodes, **more)


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_nothing_is_lost_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The identity and allocated = use hold for any runs, snapshots, events, reservations and windows; `built` checks both.

    The capacity is what the snapshots say, whatever became of it.
    """
    folder = tmp_path_factory.mktemp("any")
    raw = fill_raw(
        folder / "raw.duckdb", [data.draw(records(job)) for job in range(1, data.draw(st.integers(2, 8)))]
    )
    taken = sorted(data.draw(st.sets(moments, min_size=1, max_size=2)))
    for at in taken:
        snapshot(raw, at, NODES)
    names = st.sampled_from(sorted(NODES))
    words = st.sampled_from(["DOWN", "DRAIN", "MAINT", "SOMETHING"])
    events(raw, MONTH[1], *((data.draw(names), *data.draw(spans), data.draw(words)) for _ in range(3)))
    reservations(
        raw, None,
        *(
            (f"r{n}", *data.draw(spans), data.draw(st.sampled_from(["n1", "n[1-3]", "n[1-2]"])),
             data.draw(st.sampled_from(["cpu=4", "cpu=28", "cpu=2,gres/gpu:a=1"])), data.draw(st.sampled_from(["MAINT", ""])))
            for n in range(3)
        ),
        read_at_s=MONTH[1],
    )  # fmt: skip
    declare(raw, *data.draw(st.lists(spans, max_size=3)))
    con = built(folder)
    assert hours(con)["capacity"] == 28 * 744
    assert hours(con, "gpu:a")["capacity"] == 3 * 744
    kept, idle = con.execute(
        "SELECT COALESCE(SUM(kept_base), 0), COALESCE(SUM(idle_base), 0) FROM out_capacity_reserved"
    ).fetchall()[0]
    assert (
        idle
        == con.execute("SELECT COALESCE(SUM(reserved_idle_base), 0) FROM core_node_slot").fetchall()[0][0]
        <= kept
    )
    con.close()


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ("UPDATE core_node_slot SET idle_base = idle_base + 1 WHERE slot_no = 5", "capacity_identity"),
        (
            "UPDATE core_node_slot SET idle_base = idle_base + 9, down_base = down_base - 9",
            "capacity_identity",
        ),
        (
            "UPDATE core_node_slot SET allocated_base = allocated_base + 1, idle_base = idle_base - 1 WHERE slot_no = 5",
            "capacity_allocated_is_usage",
        ),
        ("DELETE FROM core_node_slot WHERE slot_no = 0", "capacity_allocated_is_usage"),
    ],
)
def test_the_checks_find_what_does_not_add_up(tmp_path: Path, change: str, check: str) -> None:
    raw = fill_raw(tmp_path / "raw.duckdb", [run(1, T0, T0 + HOUR, "cpu=1", node_list="n1")])
    snapshot(raw, T0, {"n1": "cpu=4"})
    declare(raw, MONTH)
    built(tmp_path).close()
    con = connect(next((tmp_path / "mart").glob("*.duckdb")))
    con.execute(change)
    assert check_rows(con, check, 1)
    con.close()
