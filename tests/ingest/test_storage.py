"""Reports of storage: text as the real tools print it, worked out by hand."""

from __future__ import annotations

import gzip
import json

import pytest

from models.source_text import record_bytes
from models.store import raw_reader
from tests.ingest.other_store import NOW, SEPTEMBER, refused, take_storage

# Lustre Operations Manual, "Quotas"; a long path stands on a line of its own; bob is over his block quota.
LFS = """\
Disk quotas for usr alice (uid 1001):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
        /lustre 1048576  2097152 3145728       -     120     200     300       -
Disk quotas for usr bob (uid 1002):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
        /lustre 2098176*      2097152 0   6d23h59m50s       7       0       0       -
uid 1002 is using default file quota setting
"""
# mmrepquota -Y: the fields that its HEADER row names; 10240 KiB in doubt are not counted.
HEADER = (
    "mmrepquota::HEADER:version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:blockQuota:blockLimit:"
    "blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:remarks:quota:defQuota:fid:filesetname:"
)
GPFS = f"""\

*** Report for USR GRP FILESET quotas on project
{HEADER}
mmrepquota::0:1:::project:USR:20821:li:2048:0:0:10240:none:9:0:0:39:none:i:on:off:2:home:
mmrepquota::0:1:::project:GRP:103:chem:4096:0:0:0:none:1:0:0:0:none:i:on:off:2:home:
mmrepquota::0:1:::project:FILESET:0:root:256:0:0:0:none:1:0:0:0:none:i:on:off:::
mmrepquota::0:1:::project:FILESET:408:PZS%3A3:341467872:2147483648:4294967296:0:none:6286:0:0:0:none:e:on:off:::
"""
KIB, GIB, TIB = 1 << 10, 1 << 30, 1 << 40


def test_lfs_of_several_users(tmp_path):
    taken = take_storage(tmp_path, LFS)
    names = (
        "system",
        "fileset",
        "account",
        "user_name",
        "taken_s",
        "used_bytes",
        "limit_bytes",
        "files_count",
    )
    assert [tuple(row[name] for name in names) for row in taken.rows] == [
        ("s1", "", "", "alice", SEPTEMBER, GIB, 3 * GIB, 120),
        ("s1", "", "", "bob", SEPTEMBER, 2049 * 1024 * KIB, 2 * GIB, 7),
    ]
    assert (taken.batch.format, taken.batch.records, taken.rejected) == ("lfs-quota", 2, [])


def test_lfs_path_on_a_line_of_its_own_and_targets_of_v(tmp_path):
    text = """\
Disk quotas for prj 1500 (pid 1500):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
/mnt/a-very-long-name/lustre
                     8       0       0       -       2       0       0       -
lustre-MDT0000_UUID
                      4       -       0       -       2       -       0       -
lustre-OST0000_UUID
                      4       -       0       -       -       -       -       -
Total allocated inode limit: 0, total allocated block limit: 0
"""
    taken = take_storage(tmp_path, text)
    assert [(row["fileset"], row["user_name"], row["used_bytes"]) for row in taken.rows] == [
        ("1500", "", 8 * KIB)
    ]
    assert taken.rejected == []


def test_lfs_what_cannot_be_trusted_is_rejected(tmp_path):
    """Rounded by -h; made too small by a target that did not answer; a line of a shell; figures before any owner."""
    text = """\
/lustre 5 0 0 - 1 0 0 -
Disk quotas for usr a (uid 1):
     Filesystem    used   quota   limit   grace   files   quota   limit   grace
        /lustre  99.99G      0k    100G       -  921718       0 1048576       -
Disk quotas for usr b (uid 2):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
        /lustre   [4096]       0       0       -       1       0       0       -
Some errors happened when getting quota info. Some devices may be not working or deactivated. The data in "[]" is inaccurate.
Disk quotas for usr c (uid 3):
lfs quota: cannot find quota
"""
    taken = take_storage(tmp_path, text)
    assert taken.rows == []
    assert taken.reasons == [
        ("line 1", "no-owner"),
        ("line 4", "rounded"),
        ("line 7", "inaccurate"),
        ("line 10", "field-count"),
    ]
    assert taken.batch.records == taken.batch.rejected == 4
    assert taken.rejected[1]["body"].lstrip().startswith(b"/lustre  99.99G")


def test_lfs_of_two_file_systems_is_refused(tmp_path):
    with refused("other.several_paths"):
        take_storage(tmp_path, LFS + LFS.replace("/lustre", "/scratch"))


def test_users_and_groups_together_need_a_choice(tmp_path):
    both = LFS + LFS.replace("usr alice (uid", "grp chem (gid").replace("usr bob (uid", "grp phys (gid")
    with refused("other.several_kinds") as found:
        take_storage(tmp_path, both)
    assert found.value.values["kinds"] == "group, user"
    taken = take_storage(tmp_path, both, by="group")
    assert [row["account"] for row in taken.rows] == ["chem", "phys"]
    assert (taken.batch.records, taken.batch.left_out) == (2, 2)


def test_gpfs_by_fileset(tmp_path):
    taken = take_storage(tmp_path, GPFS, by="fileset")
    found = [
        (row["fileset"], row["used_bytes"], row["limit_bytes"], row["files_count"]) for row in taken.rows
    ]
    assert found == [
        ("project:root", 256 * KIB, None, 1),
        ("project:PZS:3", 341467872 * KIB, 4 * TIB, 6286),
    ]
    assert taken.batch.left_out == 2


def test_gpfs_by_user_keeps_the_fileset(tmp_path):
    taken = take_storage(tmp_path, GPFS, by="user")
    assert [(row["fileset"], row["user_name"], row["used_bytes"]) for row in taken.rows] == [
        ("project:home", "li", 2048 * KIB)
    ]


def test_gpfs_rows_that_are_cut_or_no_numbers(tmp_path):
    bad = (
        GPFS
        + "mmrepquota::0:1:::project:FILESET:4:cut\nmmrepquota::0:1:::project:FILESET:5:x:many"
        + ":" * 15
        + "\n"
    )
    taken = take_storage(tmp_path, bad, by="fileset")
    assert taken.reasons == [("line 8", "field-count"), ("line 9", "bad-amount")]
    assert len(taken.rows) == 2


def test_gpfs_without_a_header_is_refused(tmp_path):
    with refused("other.column_missing"):
        take_storage(tmp_path, "mmrepquota::0:1:::project:USR:1:li:1:\n")


def test_ceph_pools(tmp_path):
    """What clients stored, not the three copies of it; a pool of an old release has bytes_used alone."""
    pools = [
        {"name": "cephfs.data", "id": 3, "stats": {"stored": 5 * TIB, "bytes_used": 15 * TIB, "objects": 8, "quota_bytes": 0}},
        {"name": "rbd-chem", "id": 4, "stats": {"bytes_used": 7, "objects": 1, "quota_bytes": TIB}},
        {"name": "broken", "id": 5, "stats": {"stored": "much"}},
    ]  # fmt: skip
    taken = take_storage(tmp_path, json.dumps({"stats": {}, "pools": pools}))
    found = [
        (row["fileset"], row["used_bytes"], row["limit_bytes"], row["files_count"]) for row in taken.rows
    ]
    assert found == [("cephfs.data", 5 * TIB, None, 8), ("rbd-chem", 7, TIB, 1)]
    assert taken.reasons == [("pool 3", "bad-amount")]


@pytest.mark.parametrize(
    ("text", "key"), [('{"pools": ', "other.json_broken"), ('{"pool": []}', "other.no_pools")]
)
def test_other_json_is_refused(tmp_path, text, key):
    with refused(key):
        take_storage(tmp_path, text)


def test_csv_by_day_with_decimals(tmp_path):
    """12.5 TiB to the byte; a day is its local midnight; a system of the row's own."""
    text = (
        "day,system,fileset,account,user,used_tib,limit_gib\r\n"
        "2026-09-01,,home,chem,,12.5,1024\r\n2026/9/2,s2,,,li,0,\r\n"
    )
    taken = take_storage(tmp_path, text, at_s=None)
    found = [
        (row["system"], row["fileset"], row["account"], row["user_name"], row["taken_s"], row["used_bytes"])
        for row in taken.rows
    ]
    assert found == [
        ("s1", "home", "chem", "", SEPTEMBER, 12 * TIB + TIB // 2),
        ("s2", "", "", "li", SEPTEMBER + 86400, 0),
    ]
    assert [row["limit_bytes"] for row in taken.rows] == [TIB, None]


def test_csv_in_gb18030_and_gzip_with_wall_times(tmp_path):
    text = "taken_at,account,used_bytes,fileset\n2026-09-01 08:30:00,化学系,5,资料\n1788192001,x,6,\n"
    taken = take_storage(tmp_path, gzip.compress(text.encode("gb18030")), at_s=None)
    assert [(row["account"], row["fileset"], row["taken_s"]) for row in taken.rows] == [
        ("化学系", "资料", SEPTEMBER + 8 * 3600 + 1800),
        ("x", "", SEPTEMBER + 1),
    ]


def test_csv_rows_that_cannot_be_kept(tmp_path):
    rows = [
        "2026-09-01,a,1,",  # well
        "2026-09-31,a,1,",  # no such day
        "2030-01-01,a,1,",  # to come
        "2026-09-01,,1,",  # nobody's: a total
        "2026-09-01,a,-1,",
        "2026-09-01,a,1e3,",
        "2026-09-01,a,1",
        "2026-09-01,a,1,bad system",
    ]
    taken = take_storage(tmp_path, "day,account,used_mib,system\n" + "\n".join(rows) + "\n\n", at_s=None)
    assert [row["used_bytes"] for row in taken.rows] == [1 << 20]
    assert [reason for _, reason in taken.reasons] == [
        "bad-time", "future-time", "no-owner", "bad-amount", "bad-amount", "field-count", "bad-system",
    ]  # fmt: skip
    assert taken.rejected[-1]["body"] == b"2026-09-01,a,1,bad system\n"


@pytest.mark.parametrize(
    ("text", "more", "key"),
    [
        ("hello\n", {}, "other.unknown_storage"),
        ("", {}, "other.unknown_storage"),
        ("day,user,used_tb\n2026-09-01,a,1\n", {}, "other.unknown_storage"),
        ("user,used_gib\na,1\n", {"at_s": None}, "other.at_missing"),
        (LFS, {"at_s": None}, "other.at_missing"),
        (LFS, {"system": ""}, "other.system_missing"),
        (LFS, {"system": "a b"}, "other.bad_system"),
        (LFS, {"at_s": NOW + 1}, "other.at_future"),
        ("day,user,used_gib\n2026-09-01,a,1\n", {"system": ""}, "other.system_missing"),
        ("day,user,used_gib,used_tib\n2026-09-01,a,1,1\n", {}, "other.column_choice"),
        ("day,user,used_gib,colour\n2026-09-01,a,1,red\n", {}, "other.column_unknown"),
        ("day,user,user,used_gib\n2026-09-01,a,a,1\n", {}, "other.column_twice"),
        ('day,user,used_gib\n2026-09-01,"a"b,1\n', {}, "other.csv_broken"),
    ],
)
def test_reports_that_are_refused_whole(tmp_path, text, more, key):
    with refused(key):
        take_storage(tmp_path, text, **more)
    assert not list(tmp_path.glob("*.duckdb"))


def test_the_same_report_is_taken_once_for_each_moment(tmp_path):
    first = take_storage(tmp_path, LFS)
    again = take_storage(tmp_path, LFS, store=first.store)
    later = take_storage(tmp_path, LFS, store=first.store, at_s=SEPTEMBER + 86400)
    assert (again.batch.already, again.batch.batch_id) == (True, 1)
    assert (later.batch.already, later.batch.batch_id, later.batch.records) == (False, 2, 2)


def test_the_bytes_are_kept(tmp_path):
    taken = take_storage(tmp_path, LFS)
    with raw_reader(taken.store) as con:
        assert record_bytes(con, 1, 0, 10_000) == LFS.encode()
