"""Host lists as Slurm writes them."""

from __future__ import annotations

import os
import shutil
import subprocess

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.hostlist import MOST_HOSTS, TEXTS_AT_ONCE, create_hostlists, expand

# What `scontrol show hostnames` of Slurm 22.05.8 printed; it lists a host that is named twice as often.
AS_SCONTROL = [
    ("n01", ("n01",)),
    ("b04-[09-10]", ("b04-09", "b04-10")),
    ("r[1-2]n[08-09]", ("r1n08", "r1n09", "r2n08", "r2n09")),
    ("n[098-101]", ("n098", "n099", "n100", "n101")),
    ("n[8-12]", ("n8", "n9", "n10", "n11", "n12")),
    ("n[08-11,100]", ("n08", "n09", "n10", "n11", "n100")),
    ("n[99-0101]", ("n99", "n100", "n101")),
    ("[1-3]", ("1", "2", "3")),
    ("a,a,b", ("a", "b")),
    ("n[1,1-2]", ("n1", "n2")),
]


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        *AS_SCONTROL,
        # Words after brackets: other tools write them, Slurm 22.05 does not read them.
        ("n[01-03,7]-ib,login1", ("n01-ib", "n02-ib", "n03-ib", "n7-ib", "login1")),
        ("cn-[1-2].example.org", ("cn-1.example.org", "cn-2.example.org")),
        (" n01 ", ("n01",)),
    ],
)
def test_hosts_are_named_in_order(text: str, hosts: tuple[str, ...]) -> None:
    assert expand(text) == hosts


@pytest.mark.parametrize("text", ["", "None assigned", "(unknown)", "(null)", "None", "N/A"])
def test_nobody(text: str) -> None:
    assert expand(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "n[1-", "n[3-1]", "n[1-x]", "n[]", "n[1-2,]", "n]1[", "n[[1-2]]", "a,,b", ",a", "a,", "n1 n2", "n1\nn2", "(n1)",
        "n[١-٣]", "n[1--3]", "n[-3]", "n[1-9999999]", "n[1-999]x[1-999]", "n[" + "9" * 5000 + "]", "n[000x133]",
        "n[1-60000],m[1-60000]", "n[1-60000,1-60000]",
    ],
)  # fmt: skip
def test_damaged_or_absurd(text: str) -> None:
    assert expand(text) is None


def test_as_many_hosts_as_a_cluster_can_have() -> None:
    hosts = expand(f"n[1-{MOST_HOSTS}]")
    assert hosts is not None
    assert (len(hosts), hosts[-1]) == (MOST_HOSTS, f"n{MOST_HOSTS}")
    assert expand(f"n[0-{MOST_HOSTS}]") is None


ranges = st.tuples(st.integers(0, 999), st.integers(0, 30), st.integers(1, 4)).map(
    lambda r: f"{r[0]:0{r[2]}d}-{r[0] + r[1]}"
)
numbers = st.lists(ranges | st.integers(0, 2000).map(str), min_size=1, max_size=4).map(
    lambda parts: f"[{','.join(parts)}]"
)
words = st.tuples(st.sampled_from(["n", "cn-", "r1c", "gpu"]), numbers | st.just("07")).map("".join)
hostlists = st.lists(words, min_size=1, max_size=4).map(",".join)


@pytest.fixture(scope="module")
def scontrol(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if not shutil.which("scontrol"):
        pytest.skip("Slurm is not installed")
    conf = tmp_path_factory.mktemp("slurm") / "slurm.conf"
    conf.write_text("ClusterName=x\nSlurmctldHost=localhost\n", encoding="utf-8")
    return os.environ | {"SLURM_CONF": str(conf)}


@settings(max_examples=40, deadline=None)
@given(text=hostlists)
def test_the_same_hosts_as_slurm_names(scontrol: dict[str, str], text: str) -> None:
    told = subprocess.run(
        ["scontrol", "show", "hostnames", text], env=scontrol, capture_output=True, text=True, check=True
    )
    assert expand(text) == tuple(dict.fromkeys(told.stdout.split()))


@given(st.text(max_size=30) | st.text("n[]-,012 ", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    hosts = expand(text)
    assert hosts is None or len(set(hosts)) == len(hosts)


def test_table_of_hosts() -> None:
    """Each text once, whoever names it, in as many steps as it takes; nobody and damage have no row."""
    con = duckdb.connect()
    con.execute("CREATE SCHEMA raw")
    con.execute("CREATE TABLE raw.raw_reservation (nodes VARCHAR)")
    con.execute("INSERT INTO raw.raw_reservation VALUES ('n[1-2]'), ('m[1-3]')")
    con.execute("CREATE TABLE core_run (node_list VARCHAR)")
    con.execute("INSERT INTO core_run VALUES ('n[1-2]'), ('n[1-2]'), ('n['), (''), ('None assigned')")
    con.execute(f"INSERT INTO core_run SELECT 'z' || i FROM RANGE({TEXTS_AT_ONCE}) AS t(i)")
    create_hostlists(con)
    assert con.execute("SELECT * FROM ref_hostlist WHERE node_list NOT LIKE 'z%' ORDER BY ALL").fetchall() == [
        ("m[1-3]", "m1", 0), ("m[1-3]", "m2", 1), ("m[1-3]", "m3", 2), ("n[1-2]", "n1", 0), ("n[1-2]", "n2", 1),
    ]  # fmt: skip
    assert con.execute("SELECT COUNT(*), SUM(place) FROM ref_hostlist WHERE node = node_list").fetchall() == [
        (TEXTS_AT_ONCE, 0)
    ]
