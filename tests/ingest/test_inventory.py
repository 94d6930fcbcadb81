"""Inventory as a real Slurm printed it, in every form, and what nobody should be able to break it with."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_store import select

from ingest.inventory import InventoryBatch, ingest_inventory
from ingest.inventory_said import read_inventory
from models.errors import HesuanError

DATA = Path(__file__).resolve().parents[1] / "data" / "inventory"
# 2026-12-01 12:28:53 UTC, two seconds after the recorded events of 22.05.
TAKEN = 1796128133
VERSIONS = ("22.05", "24.11", "26.05")
NODE_COLUMNS = "cluster, node, state, reason, partitions, cfg_tres, gres"


def take(folder: Path, source: Path | bytes, **options: Any) -> InventoryBatch:
    if isinstance(source, bytes):
        file = folder / "in.txt"
        file.write_bytes(source)
    else:
        file = source
    values: dict[str, Any] = {
        "cluster": "testhpc", "at_s": TAKEN, "timezone": "UTC", "who": "t", "now_s": TAKEN + 1000, "program_version": "t",
    }  # fmt: skip
    return ingest_inventory(folder / "raw.duckdb", file, **(values | options))


def nodes(folder: Path, batch: InventoryBatch) -> list[dict[str, Any]]:
    query = f"SELECT {NODE_COLUMNS} FROM raw_node WHERE batch_id = ? ORDER BY record_no"
    return select(folder / "raw.duckdb", query, batch.batch_id)


@pytest.mark.parametrize("version", VERSIONS)
def test_nodes_of_a_real_slurm(tmp_path: Path, version: str) -> None:
    """slurm.conf of the recorded cluster: three nodes of 8 CPUs, two of 16 with four a100, one of 16 with two v100."""
    found = nodes(tmp_path, take(tmp_path, DATA / version / "node.txt"))
    assert [row["node"] for row in found] == ["cpu01", "cpu02", "cpu03", "gpu01", "gpu02", "gpu03"]
    assert [row["cfg_tres"].split(",")[0] for row in found] == ["cpu=8"] * 3 + ["cpu=16"] * 3
    assert [row["gres"] for row in found] == ["", "", "", "gpu:a100:4", "gpu:a100:4", "gpu:v100:2"]
    assert found[3]["cfg_tres"] == "cpu=16,mem=125G,billing=116,gres/gpu=4,gres/gpu:a100=4"
    assert found[3]["partitions"] == "gpu,a100,scavenge"
    assert [row["state"] for row in found][1:3] == ["MIXED+DRAIN", "DOWN"]
    # What the administrator wrote looks like a field, holds the tables' delimiter, and is not English.
    assert found[2]["reason"] == "testbed: power supply | replaced, State=odd"
    assert found[1]["reason"] == "testbed: drained 维护"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("other", ["oneline", "json"])
def test_all_forms_say_the_same(tmp_path: Path, version: str, other: str) -> None:
    file = DATA / version / ("node.json" if other == "json" else "node-oneline.txt")
    if not file.exists():
        pytest.skip("Slurm 22.05 has no scontrol --json")

    def rows(batch: InventoryBatch) -> list[dict[str, Any]]:
        # The order of the flags in State is not the same in text and JSON.
        return [row | {"state": sorted(row["state"].split("+"))} for row in nodes(tmp_path, batch)]

    assert rows(take(tmp_path, file)) == rows(take(tmp_path, DATA / version / "node.txt"))


@pytest.mark.parametrize("version", VERSIONS)
def test_partitions(tmp_path: Path, version: str) -> None:
    columns = "partition, nodes, tres, billing_weights, state"
    texts = []
    for name in ("partition.txt", "partition.json"):
        if (DATA / version / name).exists():
            batch = take(tmp_path, DATA / version / name)
            query = f"SELECT {columns} FROM raw_partition WHERE batch_id = ? ORDER BY record_no"
            texts.append(select(tmp_path / "raw.duckdb", query, batch.batch_id))
    assert [row["partition"] for row in texts[0]] == ["cpu", "gpu", "a100", "scavenge"]
    assert texts[0][2] == {
        "partition": "a100", "nodes": "gpu[01-02]", "tres": "cpu=32,mem=250G,node=2,billing=233,gres/gpu=8,gres/gpu:a100=8",
        "billing_weights": "CPU=0.5,Mem=0.1G,GRES/gpu:a100=24.0", "state": "UP",
    }  # fmt: skip
    assert all(text == texts[0] for text in texts)


@pytest.mark.parametrize("version", VERSIONS)
def test_reservations(tmp_path: Path, version: str) -> None:
    columns = "reservation, start_s, end_s, nodes, tres, flags, users, accounts"
    forms = []
    for name in ("reservation.txt", "reservation-oneline.txt", "reservation.json"):
        if (DATA / version / name).exists():
            batch = take(tmp_path, DATA / version / name)
            query = f"SELECT {columns} FROM raw_reservation WHERE batch_id = ? ORDER BY reservation"
            rows = select(tmp_path / "raw.duckdb", query, batch.batch_id)
            # The order of the flags is not the same in text and JSON.
            forms.append([row | {"flags": ",".join(sorted(row["flags"].split(",")))} for row in rows])
    by_name = {row["reservation"]: row for row in forms[0]}
    # Created `starttime=now duration=02:00:00 users=root nodes=gpu02 flags=maint,ignore_jobs`.
    maintenance = by_name["maint_gpu"]
    assert maintenance["end_s"] - maintenance["start_s"] == 2 * 3600
    assert (maintenance["nodes"], maintenance["users"]) == ("gpu02", "root")
    assert "MAINT" in maintenance["flags"].split(",")
    assert by_name["cores_for_alice"]["tres"] == "cpu=3"
    assert by_name["for_ai"]["accounts"] == "ai"
    assert by_name["for_ai"]["start_s"] - maintenance["start_s"] == 3600
    assert all(form == forms[0] for form in forms)


def test_events_have_the_delimiter_in_their_reason(tmp_path: Path) -> None:
    """`sacctmgr -P` escapes nothing: 'power supply | replaced' makes eight fields of seven."""
    batch = take(tmp_path, DATA / "22.05" / "event.psv")
    assert (batch.source, batch.records, batch.rejected, batch.taken_s) == ("sacctmgr-event", 3, 0, None)
    found = select(tmp_path / "raw.duckdb", "SELECT * FROM raw_node_event ORDER BY record_no")
    assert [row["node"] for row in found] == ["", "cpu03", "gpu03"]
    assert found[1]["reason"] == "testbed: power supply | replaced, State=odd"
    assert found[1]["user_name"] == "root(0)"
    # 2026-12-01T12:28:51, not over yet.
    assert (found[1]["start_s"], found[1]["end_s"]) == (1796128131, None)
    take(tmp_path, DATA / "22.05" / "event-later.psv")
    later = select(
        tmp_path / "raw.duckdb", "SELECT end_s FROM raw_node_event WHERE batch_id = 2 AND node = 'cpu03'"
    )
    assert later == [{"end_s": 1796128134}]


def test_reservations_of_the_accounting_database(tmp_path: Path) -> None:
    take(tmp_path, DATA / "sets" / "22.05" / "reservation.psv", timezone=None)
    found = select(
        tmp_path / "raw.duckdb",
        "SELECT reservation, end_s - start_s AS long_s, nodes, tres, taken_s FROM raw_reservation ORDER BY 1",
    )
    # sreport: for_alice 15:30-23:30, maint_ign to 19:30, maint_plain to 20:10.
    assert [(row["reservation"], row["long_s"]) for row in found] == [
        ("for_alice", 28800),
        ("maint_ign", 14400),
        ("maint_plain", 16800),
    ]
    assert {row["taken_s"] for row in found} == {None}


def test_the_same_snapshot_twice_is_one_but_at_another_time_two(tmp_path: Path) -> None:
    file = DATA / "22.05" / "node.txt"
    first = take(tmp_path, file)
    assert take(tmp_path, file) == InventoryBatch(1, first.source, TAKEN, 6, 6, 0, already=True)
    assert take(tmp_path, file, at_s=TAKEN + 60).batch_id == 2
    assert select(tmp_path / "raw.duckdb", "SELECT COUNT(*) AS n FROM raw_node") == [{"n": 12}]


def test_json_says_its_own_moment(tmp_path: Path) -> None:
    document = json.loads((DATA / "24.11" / "node.json").read_text(encoding="utf-8"))
    batch = take(tmp_path, DATA / "24.11" / "node.json", at_s=None)
    assert batch.taken_s == document["last_update"]["number"]


def test_json_of_slurm_22_05_as_slurmrestd_gives_it(tmp_path: Path) -> None:
    """There state is one word in lower case, and its flags stand beside it (OpenAPI v0.0.38)."""
    node = {
        "name": "n1",
        "state": "idle",
        "state_flags": ["DRAIN"],
        "partitions": ["p"],
        "tres": "cpu=4",
        "gres": "",
    }
    batch = take(tmp_path, json.dumps({"meta": {}, "errors": [], "nodes": [node]}).encode())
    assert [(row["state"], row["cfg_tres"]) for row in nodes(tmp_path, batch)] == [("IDLE+DRAIN", "cpu=4")]


def test_gzip_and_byte_order_mark(tmp_path: Path) -> None:
    packed = gzip.compress(b"\xef\xbb\xbf" + (DATA / "22.05" / "node.txt").read_bytes())
    assert take(tmp_path, packed).kept == 6


def test_no_reservations_is_a_snapshot_too(tmp_path: Path) -> None:
    batch = take(tmp_path, b"No reservations in the system\n")
    assert (batch.source, batch.records) == ("scontrol-reservation", 0)


def test_what_cannot_be_read_is_kept_aside(tmp_path: Path) -> None:
    table = (
        b"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"
        b"c|n1|2026-09-01T00:00:00|2026-09-01T01:00:00|DOWN|x|root(0)\n"
        b"c|n2|yesterday|Unknown|DOWN|x|root(0)\n"
        b"c|n3|2026-09-01T00:00:00|soon|DOWN|x|root(0)\n"
        b"c|n4|2026-09-01T02:00:00|2026-09-01T01:00:00|DOWN|x|root(0)\n"
        b"c|n5\n"
    )
    batch = take(tmp_path, table)
    assert (batch.kept, batch.rejected) == (1, 4)
    found = select(
        tmp_path / "raw.duckdb", "SELECT location, reason, body FROM raw_rejected ORDER BY record_no"
    )
    assert [(row["location"], row["reason"]) for row in found] == [
        ("line 3", "bad-time"),
        ("line 4", "bad-time"),
        ("line 5", "end-before-start"),
        ("line 6", "field-count"),
    ]
    assert found[3]["body"] == b"c|n5"


@pytest.mark.parametrize(
    ("data", "options", "key"),
    [
        (b"NodeName=n1 State=IDLE CfgTRES=cpu=1\n", {"at_s": None}, "inventory.at_missing"),
        (b"NodeName=n1 State=IDLE CfgTRES=cpu=1\n", {"at_s": TAKEN + 2000}, "inventory.at_future"),
        (b"ReservationName=r StartTime=2026-09-01T00:00:00 EndTime=2026-09-02T00:00:00\n", {"timezone": None}, "inventory.timezone_missing"),
        (b"NODELIST NODES PARTITION STATE\ncpu01 1 cpu* idle\n", {}, "inventory.unknown_format"),
        (b"slurm_load_node error: Unable to contact slurm controller\nNodeName=n1 State=IDLE\n", {}, "inventory.unknown_format"),
        (b"", {}, "inventory.unknown_format"),
        (b'{"nodes": [', {}, "inventory.json_broken"),
        (b'{"jobs": []}', {}, "inventory.unknown_format"),
        (b"Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n", {}, "inventory.column_missing"),
        (b"NodeName=n1 State=IDLE\n", {"timezone": "Mars/Olympus"}, "ingest.timezone_unknown"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, data: bytes, options: dict[str, Any], key: str) -> None:
    with pytest.raises(HesuanError) as caught:
        take(tmp_path, data, **options)
    assert caught.value.key == key
    assert all(caught.value.text(lang) for lang in ("zh", "en"))
    assert not (tmp_path / "raw.duckdb").exists()


@given(st.binary(max_size=200), st.integers(0, 2000))
def test_any_bytes_are_read_or_refused(noise: bytes, place: int) -> None:
    """Noise anywhere in a real file makes a file that is read, or a refusal in words; nothing else."""
    whole = (DATA / "22.05" / "reservation.txt").read_bytes()
    try:
        said = read_inventory(whole[:place] + noise + whole[place:], "f")
    except HesuanError as error:
        key = error.key
    else:
        key = "inventory."
        assert all(thing.body for thing in said.things)
    assert key.startswith("inventory.")


@given(
    st.lists(
        st.sampled_from(["NodeName=b", "State=IDLE", "x=1", "|", "[root@x]", "维护", "CfgTRES=cpu=9"]),
        max_size=6,
    )
)
def test_a_reason_never_reaches_the_fields(words: list[str]) -> None:
    """Slurm prints Reason last: whatever stands in it, state and capacity stay what they were."""
    reason = " ".join(words)
    text = f"NodeName=a State=DOWN CfgTRES=cpu=4   Reason={reason} [root@2026-12-01T12:28:51]"
    (thing,) = read_inventory(text.encode(), "f").things
    assert {name: thing.fields[name] for name in ("NodeName", "State", "CfgTRES")} == {
        "NodeName": "a", "State": "DOWN", "CfgTRES": "cpu=4",
    }  # fmt: skip
