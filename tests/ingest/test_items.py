"""Lists of co-location, licences, account fees and one-off items."""

from __future__ import annotations

import pytest

from tests.ingest.other_store import SEPTEMBER, refused, take_items

HEADER = "kind,code,account,user,project,begin,end,quantity,unit,approved_by,note\n"
DAY = 86400


def test_every_kind(tmp_path):
    text = HEADER + (
        "colo,A01,chem,,,2026-09-01,2026-10-01,1,,,机柜\n"
        "colo,A01,chem,,,2026-09-01,2026-10-01,1234.5,kwh,,电表读数\n"
        "licence,matlab,chem,li,,2026-09-10,,5,,,\n"
        "account,basic,,wang,,2026-09-01,,1,,,\n"
        'item,training,chem,,p1,2026-09-15,,2.5,人天,王主任,"上机培训,两天半"\n'
    )
    taken = take_items(tmp_path, text)
    names = ("kind", "code", "account", "user_name", "begin_s", "end_s", "quantity_milli", "unit")
    end = SEPTEMBER + 30 * DAY
    assert [tuple(row[name] for name in names) for row in taken.rows] == [
        ("colo", "A01", "chem", "", SEPTEMBER, end, 1000, "rack"),
        ("colo", "A01", "chem", "", SEPTEMBER, end, 1234500, "kWh"),
        ("licence", "matlab", "chem", "li", SEPTEMBER + 9 * DAY, None, 5000, "licence"),
        ("account", "basic", "", "wang", SEPTEMBER, None, 1000, "account"),
        ("item", "training", "chem", "", SEPTEMBER + 14 * DAY, None, 2500, "人天"),
    ]
    assert [(row["project"], row["approved_by"], row["note"]) for row in taken.rows[4:]] == [
        ("p1", "王主任", "上机培训,两天半")
    ]
    assert (taken.batch.source, taken.batch.records, taken.rejected) == ("items", 5, [])


def test_rows_that_cannot_be_taken(tmp_path):
    rows = [
        "item,training,chem,,,2026-09-15,,1,,,nobody approved it",
        "rent,x,chem,,,2026-09-15,,1,,,",
        "licence,中文,chem,,,2026-09-15,,1,,,",
        "licence,x,chem,,,15.9.2026,,1,,,",
        "licence,x,chem,,,2026-09-15,soon,1,,,",
        "licence,x,chem,,,2026-09-15,2026-09-15,1,,,",
        "licence,x,chem,,,2026-09-15,,,,,",
        "licence,x,chem,,,2026-09-15,,-1,,,",
        "colo,x,chem,,,2026-09-15,,1,cage,,",
        "licence,x,chem",
    ]
    taken = take_items(tmp_path, HEADER + "\n".join(rows) + "\n")
    assert taken.rows == []
    assert taken.reasons == [
        ("line 2", "no-approver"),
        ("line 3", "bad-kind"),
        ("line 4", "bad-code"),
        ("line 5", "bad-day"),
        ("line 6", "bad-day"),
        ("line 7", "end-before-begin"),
        ("line 8", "bad-amount"),
        ("line 9", "bad-amount"),
        ("line 10", "bad-unit"),
        ("line 11", "field-count"),
    ]
    assert taken.batch.records == taken.batch.rejected == 10


def test_a_record_over_two_lines_keeps_its_bytes(tmp_path):
    body = 'licence,,chem,,,2026-09-15,,1,,,"one\r\ntwo"\r\n'
    taken = take_items(
        tmp_path, HEADER.replace("\n", "\r\n") + body + "licence,ok,chem,,,2026-09-15,,1,,,\r\n"
    )
    assert [(row["location"], row["body"]) for row in taken.rejected] == [("line 3", body.encode())]
    assert [row["code"] for row in taken.rows] == ["ok"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "other.column_unknown"),
        ("kind,code,begin\nlicence,x,2026-09-01\n", "other.column_missing"),
        ("kind;code;begin;quantity\n", "other.column_unknown"),
    ],
)
def test_lists_that_are_refused_whole(tmp_path, text, key):
    with refused(key):
        take_items(tmp_path, text)


def test_the_same_list_is_taken_once(tmp_path):
    text = HEADER + "licence,x,chem,,,2026-09-15,,1,,,\n"
    first = take_items(tmp_path, text)
    again = take_items(tmp_path, text, store=first.store)
    assert (again.batch.already, again.batch.batch_id, again.rows) == (True, 1, first.rows)
