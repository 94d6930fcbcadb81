"""Job elements of every form of `sacct --json`, written by hand; the right values stand beside them."""

from __future__ import annotations

from importlib.resources import files

import duckdb
import pytest

from ingest.sacct_json import read_json
from tests.ingest.json_elements import document, new_element, number, old_element, tres


def kept(*elements, **options):
    """The records of a document that has no rejects."""
    read = read_json(document(*elements, **options), cluster="alpha")
    assert read.rejected.num_rows == 0
    return read.records.to_pylist()


def one(element):
    (record,) = kept(element)
    return record


@pytest.mark.parametrize("element", [old_element(), new_element()], ids=["21.08", "24.11"])
def test_every_column_of_a_plain_job(element):
    record = one(element)
    del record["source_start_bytes"], record["source_end_bytes"]
    assert record == {
        "record_no": 1,
        "cluster": "alpha",
        "job_id_raw": 123,
        "job_id": "123",
        "db_index": None,
        "sluid": None,
        "account": "hep",
        "user_name": "alice",
        "partition": "cpu",
        "qos": "normal",
        "wckey": "",
        "reservation": "",
        "state": "COMPLETED",
        "submit_s": 1793341800,
        "eligible_s": 1793341800,
        "start_s": 1793343000,
        "end_s": 1793346600,
        "elapsed_s": 3600,
        "suspended_s": 0,
        "timelimit_s": 3600,  # 60 min
        "alloc_tres": "billing=4,cpu=4,mem=8000M,node=1",
        "alloc_cpus_count": 4,
        "nodes_count": 1,
        "node_list": "cpu01",
        "energy": None,
        "total_cpu_ms": 7654,  # 7 s and 654321 us
        "job_name": "train",
    }


def test_columns_and_types_are_raw_sacct_s():
    with duckdb.connect() as con:
        con.execute(files("models").joinpath("raw_schema.sql").read_text(encoding="utf-8"))
        wanted = con.execute("SELECT name, type FROM pragma_table_info('raw_sacct') OFFSET 1").fetchall()
        for data in (document(new_element()), document()):
            con.register("records", read_json(data, cluster="alpha").records)
            assert con.execute("SELECT column_name, column_type FROM (DESCRIBE records)").fetchall() == wanted
            con.unregister("records")


# --- JobID, as sacct 22.05.8 printed it beside this JSON (recorded on a real cluster) ------------------------------
@pytest.mark.parametrize(
    ("array_job", "task", "limit", "printed"),
    [
        (1, "0x1E", 2, "1_[1-4%2]"),
        (2, "0x55554", 0, "2_[2-18:2]"),
        (3, "0x9C6", 9, "3_[1-2,6-8,11%9]"),
        (4, "0x" + "F" * 50, 0, "4_[0-199]"),
        (5, "0xFFFFC", 2, "5_[2-19%2]"),
        # From Slurm's own unit tests of bit_xlate_task_str.
        (6, "0x7", 0, "6_[0-2]"),
        (6, "0x45174", 9, "6_[2,4-6,8,12,14,18%9]"),
        (6, "0x55154", 9, "6_[2,4,6,8,12,14,16,18%9]"),
        # Not a bitmap: already in words.
        (7, "1-3,5", 0, "7_[1-3,5]"),
    ],
)
def test_pending_array(array_job, task, limit, printed):
    element = old_element(
        job_id=array_job,
        array={
            "job_id": array_job,
            "limits": {"max": {"running": {"tasks": limit}}},
            "task": task,
            "task_id": None,
        },
        state__current="PENDING",
        time__start=0,
        time__end=0,
        tres__allocated=[],
    )
    assert one(element)["job_id"] == printed


def test_array_tasks_and_het_components():
    elements = [
        old_element(job_id=12, array__job_id=4, array__task_id=1),
        old_element(job_id=4, array__job_id=4, array__task_id=4),
        new_element(job_id=13, array__job_id=4, array__task_id=number(0)),
        new_element(job_id=14, array__job_id=14, array__task_id=number(None)),
        old_element(job_id=124, het={"job_id": 123, "job_offset": 1}),
        new_element(job_id=123, het={"job_id": 123, "job_offset": number(0)}),
        new_element(job_id=125, het={"job_id": 0, "job_offset": number(0)}),
    ]
    ids = [(record["job_id_raw"], record["job_id"]) for record in kept(*elements)]
    assert ids == [
        (12, "4_1"),
        (4, "4_4"),
        (13, "4_0"),
        (14, "14"),
        (124, "123+1"),
        (123, "123+0"),
        (125, "125"),
    ]


# --- states ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("COMPLETED", "COMPLETED"),
        (["CANCELLED"], "CANCELLED"),
        (["PENDING", "REQUEUED"], "REQUEUED"),  # 24.11: a requeued first run
        (["PENDING", "RESIZING"], "RESIZING"),
        (["RUNNING", "COMPLETING"], "COMPLETING"),
        (["NODE_FAIL", "SOMETHING_NEW"], "NODE_FAIL"),
        (["BRAND_NEW"], "BRAND_NEW"),  # an unknown state drops no use
        ([], ""),
        (None, ""),
    ],
)
def test_state_as_text_prints_it(said, state):
    assert one(new_element(state__current=said))["state"] == state


def test_state_without_an_object():
    assert one(old_element(state="TIMEOUT"))["state"] == "TIMEOUT"


# --- times and numbers ----------------------------------------------------------------------------------------------
def test_running_pending_and_suspended():
    running, pending, suspended = kept(
        new_element(state__current=["RUNNING"], time__end=0, time__elapsed=500),
        new_element(
            state__current=["PENDING"],
            time__start=0,
            time__end=0,
            time__elapsed=0,
            time__eligible=0,
            tres__allocated=[],
            allocation_nodes=0,
            nodes="None assigned",
        ),
        new_element(time__end=1793352600, time__elapsed=4800, time__suspended=4800),
    )
    assert (running["end_s"], running["elapsed_s"]) == (None, 500)
    assert (pending["start_s"], pending["end_s"], pending["eligible_s"]) == (None, None, None)
    # Never started: it holds nothing; sacct shows the nodes that it asked for.
    assert (pending["alloc_tres"], pending["alloc_cpus_count"], pending["nodes_count"]) == ("", 0, 1)
    assert pending["node_list"] == "None assigned"
    # 1793352600 - 1793343000 = 9600 = 4800 run + 4800 suspended
    assert (suspended["end_s"] - suspended["start_s"], suspended["suspended_s"]) == (9600, 4800)


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (60, 3600),
        ("60", 3600),
        (60.0, 3600),
        (number(60), 3600),
        (number("60"), 3600),
        (number("infinite"), None),
        (number(None), None),
        (None, None),
        ("Infinity", None),
        (float("inf"), None),
        (4294967295, None),
        (-1, None),
        (65534, 65534 * 60),  # 45 days: a number like any other in a field of 32 bits
    ],
)
def test_time_limit(limit, seconds):
    assert one(new_element(time__limit=limit))["timelimit_s"] == seconds


@pytest.mark.parametrize(
    "nothing", [None, 0, "0", number(None), "Infinity", 4294967294, -2, 18446744073709551614]
)
def test_a_start_that_is_none(nothing):
    record = one(new_element(time__start=nothing, time__end=nothing, tres__allocated=[]))
    assert (record["start_s"], record["end_s"]) == (None, None)


@pytest.mark.parametrize(
    "said", ["1793343000", 1793343000.0, 1793343000.9, number(1793343000), number("1793343000")]
)
def test_a_time_in_other_clothes(said):
    assert one(new_element(time__start=said))["start_s"] == 1793343000


def test_elapsed_of_65534_is_billed():
    assert one(new_element(time__elapsed=65534))["elapsed_s"] == 65534


def test_negative_elapsed_is_kept_as_said():
    assert one(new_element(time__elapsed=-5))["elapsed_s"] == -5


# --- TRES -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("allocated", "text"),
    [
        (tres(cpu=2, gres_gpu=4, gres_gpu_a100=4, node=2), "cpu=2,gres/gpu:a100=4,gres/gpu=4,node=2"),
        (tres(mem=62500, cpu=1), "cpu=1,mem=62500M"),
        (tres(cpu=1, energy=-2), "cpu=1"),
        (tres(cpu=1, energy=None), "cpu=1"),
        (tres(cpu=1, energy=18446744073709551614), "cpu=1"),
        (tres(cpu=1, gres_shard=9223372036854775808), "cpu=1"),
        (tres(cpu=1, energy=1564, license_matlab=3), "cpu=1,energy=1564,license/matlab=3"),
        (tres(cpu=1, gres_gpu=0), "cpu=1,gres/gpu=0"),
        ([{"type": "cpu", "name": None, "id": 1, "count": "8"}], "cpu=8"),
        ([{"type": "cpu", "name": None, "id": 1, "count": number(8)}], "cpu=8"),
        ([{"type": "cpu", "name": "", "id": 1, "count": 8.0}], "cpu=8"),
        ([{"type": "billing", "name": "", "id": 5, "count": 4.5}], "billing=4.5"),
        ([], ""),
    ],
)
def test_alloc_tres_as_text_prints_it(allocated, text):
    assert one(new_element(tres__allocated=allocated))["alloc_tres"] == text


@pytest.mark.parametrize(
    ("count", "energy"),
    [
        (1564, "1564"),
        (0, "0"),
        (-2, None),
        (18446744073709551614, None),
        (18446744073709551615, None),
        (4294967294, None),
        # A counter that ran backwards by 1002430: sacct prints it so (recorded), and 2^64 - 1002430 says the same.
        (-1002430, "18446744073708549186"),
        (18446744073708549186, "18446744073708549186"),
    ],
)
def test_energy_is_the_job_s_own(count, energy):
    step = {"tres": {"consumed": {"total": tres(energy=777)}}}
    record = one(new_element(tres__allocated=tres(cpu=1, energy=count), steps=[step, step]))
    assert record["energy"] == energy


def test_no_energy_is_not_zero():
    assert one(new_element())["energy"] is None


def test_allocation_that_the_json_leaves_out():
    """Absent is '' for a job that never started, and not known for one that ran."""
    read = read_json(
        document(
            new_element(job_id=1, tres__allocated=..., time__start=0, time__end=0, time__elapsed=0),
            new_element(job_id=2, tres__allocated=...),
        ),
        cluster="alpha",
    )
    assert read.records["alloc_tres"].to_pylist() == ["", None]
    assert [(location, reason) for location, reason, _ in read.findings] == [("record 2", "no-tres")]


def test_a_count_that_is_not_known_is_told():
    """Energy often is not known, and nobody bills it by AllocTRES; of a card it must be said."""
    cards = tres(cpu=1, energy=-2, gres_gpu=None, gres_npu=4294967294)
    read = read_json(document(new_element(tres__allocated=cards)), cluster="alpha")
    assert read.records["alloc_tres"].to_pylist() == ["cpu=1"]
    assert [(location, reason) for location, reason, _ in read.findings] == [("record 1", "tres-not-told")]
    assert "gres/gpu not set, gres/npu 4294967294" in read.findings[0][2]


# --- names ----------------------------------------------------------------------------------------------------------
def test_names_from_where_they_stand():
    first, second, third = kept(
        old_element(user=None, account=None, cluster=None),
        new_element(user="", account="", association={"account": "", "cluster": "", "user": ""}),
        new_element(
            user=None, account=None, partition=None, qos=None, name=None, nodes=None, association=...
        ),
    )
    assert (first["user_name"], first["account"], first["cluster"]) == ("alice", "hep", "alpha")
    assert (second["user_name"], second["account"], second["cluster"]) == ("", "", "alpha")
    assert {
        third[name] for name in ("user_name", "account", "partition", "qos", "job_name", "node_list")
    } == {""}


@pytest.mark.parametrize(
    ("said", "wckey"),
    [
        ({"wckey": "wk1", "flags": []}, "wk1"),
        ({"wckey": "wk1", "flags": ["ASSIGNED_DEFAULT"]}, "*wk1"),  # 22.05.8 printed *wk1 beside this
        ({"wckey": "", "flags": []}, ""),
        ("wk1", "wk1"),
        ("*wk1", "*wk1"),
        (None, ""),
    ],
)
def test_wckey_as_text_prints_it(said, wckey):
    assert one(new_element(wckey=said))["wckey"] == wckey


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"id": 0, "name": 0}, ""),
        ({"id": 3, "name": 385747136}, ""),  # 22.05: a pointer
        ({"id": 3, "name": "for_alice"}, "for_alice"),
        ({"id": 3, "name": "2026"}, "2026"),
        ({"id": 0, "name": None}, ""),
        ("for_alice", "for_alice"),
        (None, ""),
    ],
)
def test_reservation(said, name):
    assert one(new_element(reservation=said))["reservation"] == name


def test_sluid_of_26_05():
    assert one(new_element(sluid="s21SM8RBK3PQ00"))["sluid"] == "s21SM8RBK3PQ00"
    assert one(new_element(sluid=""))["sluid"] is None


def test_hostile_names_come_through():
    name = 'a|b "q" \\ back\nline\ttab 训练任务 😀 {"jobs":[{"job_id":7}]} [,]'
    record = one(new_element(name=name))
    assert record["job_name"] == name
    assert (record["job_id_raw"], record["alloc_tres"]) == (123, "billing=4,cpu=4,mem=8000M,node=1")


def test_plain_texts_that_look_like_json():
    braces = "{[not json"
    record = one(
        old_element(wckey=braces, reservation=braces, state__current="[RUNNING", name=braces, user=braces)
    )
    assert (record["job_name"], record["user_name"], record["state"]) == (braces, braces, "[RUNNING")
    assert (record["wckey"], record["reservation"]) == (braces, braces)


def test_another_cluster_is_kept_and_told_once():
    read = read_json(
        document(*(new_element(cluster="beta") for _ in range(3)), new_element()), cluster="alpha"
    )
    assert read.records["cluster"].to_pylist() == ["beta"] * 3 + ["alpha"]
    assert [(location, reason) for location, reason, _ in read.findings] == [("record 1", "other-cluster")]
    assert "beta, not alpha: 3 of them" in read.findings[0][2]


def test_a_lost_run_is_kept_as_said_and_told():
    read = read_json(
        document(old_element(state__current="REQUEUED", time__start=None, time__elapsed=0)), cluster="alpha"
    )
    (record,) = read.records.to_pylist()
    assert (record["start_s"], record["end_s"], record["elapsed_s"]) == (None, 1793346600, 0)
    assert [reason for _, reason, _ in read.findings] == ["json-lost-run"]


def test_steps_are_counted_and_no_more():
    read = read_json(
        document(new_element(steps=[{}, {}]), new_element(steps=...), new_element(steps=[{}])), cluster="a"
    )
    assert (read.records.num_rows, read.steps) == (3, 3)


@pytest.mark.parametrize(
    ("meta", "version"),
    [
        ({"Slurm": {"version": {"major": 22, "micro": 8, "minor": 5}, "release": "22.05.8"}}, "22.05.8"),
        ({"Slurm": {"version": {"major": 22, "micro": 8, "minor": 5}}}, "22.5.8"),
        ({"slurm": {"version": {"major": "24", "micro": "5", "minor": "11"}}}, "24.11.5"),
        (
            {"slurm": {"release": "23.11.5"}, "plugin": {"type": "", "data_parser": "data_parser/v0.0.40"}},
            "23.11.5 data_parser/v0.0.40",
        ),
        ({"plugins": {"data_parser": "data_parser/v0.0.39"}}, "data_parser/v0.0.39"),
        ({}, None),
        (None, None),
    ],
)
def test_source_version(meta, version):
    assert read_json(document(meta=meta), cluster="alpha").source_version == version
