"""Hostile records: nothing is lost, nothing is guessed, one bad record stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from raw_store import take, text

# JobName in the middle, and last; with what a bill needs.
HEAD = "JobIDRaw|JobName|Account|State|Start|End|ElapsedRaw|AllocTRES"
LAST = "JobIDRaw|Account|State|Start|End|ElapsedRaw|AllocTRES|JobName"
GOOD = "1|plain|alpha|COMPLETED|100|160|60|cpu=1"
GOOD_LAST = "1|alpha|COMPLETED|100|160|60|cpu=1|plain"


def test_delimiters_in_a_name(tmp_path: Path) -> None:
    found = take(
        tmp_path,
        text(HEAD, GOOD, "2|a|b|c|alpha|FAILED|100|190|90|cpu=2", "3||||alpha|TIMEOUT|100|200|100|cpu=3"),
    )
    assert [row["job_name"] for row in found.rows] == ["plain", "a|b|c", "||"]
    assert [row["account"] for row in found.rows] == ["alpha"] * 3
    assert [row["elapsed_s"] for row in found.rows] == [60, 90, 100]
    assert [(one["location"], one["reason"]) for one in found.findings] == [("line 3", "given-back")]
    assert "2 records" in found.findings[0]["detail"]


def test_newlines_in_a_name(tmp_path: Path) -> None:
    rows = ["2|first\nsecond||\n|third|alpha|FAILED|100|190|90|cpu=2", GOOD.replace("1|", "3|", 1)]
    found = take(tmp_path, text(HEAD, GOOD, *rows))
    assert [row["job_name"] for row in found.rows] == ["plain", "first\nsecond||\n|third", "plain"]
    assert [row["record_no"] for row in found.rows] == [1, 2, 3]
    assert found.source(found.rows[1]).decode() == rows[0]
    assert found.findings[0]["location"] == "line 3"


def test_a_name_in_the_last_column_goes_on(tmp_path: Path) -> None:
    found = take(tmp_path, text(LAST, GOOD_LAST + "\nand on\n\nand on|", GOOD_LAST.replace("1|", "2|", 1)))
    assert [row["job_name"] for row in found.rows] == ["plain\nand on\n\nand on|", "plain"]


def test_one_line_right_by_count_alone(tmp_path: Path) -> None:
    # The name `x|y\nz` gives a first line with the right number of delimiters but the wrong fields.
    header = "JobIDRaw|Start|End|ElapsedRaw|AllocTRES|JobName|State|Account"
    found = take(tmp_path, text(header, "1|100|160|60|cpu=1|x|y|\nz|COMPLETED|alpha"))
    assert [(row["job_name"], row["state"], row["account"]) for row in found.rows] == [
        ("x|y|\nz", "COMPLETED", "alpha")
    ]


def test_no_quote_is_a_quote(tmp_path: Path) -> None:
    found = take(
        tmp_path, text(HEAD, '1|"a|alpha|COMPLETED|100|160|60|cpu=1', '2|b"|alpha|COMPLETED|100|160|60|cpu=1')
    )
    assert [row["job_name"] for row in found.rows] == ['"a', 'b"']


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    latin = b"2|f\xfcr \xff\x00\x07|alpha|COMPLETED|100|160|60|cpu=1\n"
    found = take(tmp_path, text(HEAD, GOOD) + latin + text(GOOD.replace("1|", "3|", 1)))
    assert [row["job_id_raw"] for row in found.rows] == [1, 2, 3]
    assert found.rows[1]["job_name"] == "f\ufffdr \ufffd\ufffd\x07"
    assert found.source(found.rows[1]) == latin.rstrip(b"\n")
    assert [(one["location"], one["reason"]) for one in found.findings] == [("line 3", "not-utf8")]


def test_bad_bytes_in_a_record_that_must_be_put_together(tmp_path: Path) -> None:
    found = take(tmp_path, text(HEAD) + b"2|f\xfc|\n\xff\0|alpha|COMPLETED|100|160|60|cpu=1\n")
    assert found.rows[0]["job_name"] == "f\ufffd|\n\ufffd\ufffd"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("tail", ["", "|"])
def test_line_ends_bom_and_trailing_delimiter(tmp_path: Path, ending: str, bom: bytes, tail: str) -> None:
    rows = [GOOD, "2|a|b\nc|alpha|FAILED|100|190|90|cpu=2", "3.batch|batch|alpha|FAILED|100|190|90|cpu=2"]
    data = bom + text(HEAD + tail, *(row.replace("\n", ending) + tail for row in rows), end=ending)
    found = take(tmp_path, data)
    assert [row["job_name"] for row in found.rows] == ["plain", f"a|b{ending}c"]
    assert [row["alloc_tres"] for row in found.rows] == ["cpu=1", "cpu=2"]
    assert (found.batch.steps, found.batch.rejected) == (1, 0)
    shown = found.source(found.rows[0])
    assert shown == (GOOD + tail).encode() + ending.removesuffix("\n").encode()
    assert data[found.rows[0]["source_start_bytes"] :].startswith(shown)


def test_a_return_in_a_name_stays_there(tmp_path: Path) -> None:
    rows = [
        f"{n}|{name}|alpha|COMPLETED|100|160|60|cpu=1" for n, name in enumerate(("a\r", "\r", "a\rb", "c"), 1)
    ]
    found = take(tmp_path, text(HEAD, *rows))
    assert [row["job_name"] for row in found.rows] == ["a\r", "\r", "a\rb", "c"]


def test_line_ends_of_both_kinds(tmp_path: Path) -> None:
    rows = [GOOD + "\r", GOOD.replace("1|", "2|", 1)]
    found = take(tmp_path, text(HEAD, *rows))
    assert [row["alloc_tres"] for row in found.rows] == ["cpu=1", "cpu=1"]


@pytest.mark.parametrize(
    ("last", "kept", "reasons"),
    [
        ("2|plain|alpha|COMPL", 1, ["truncated"]),
        # Whole by count, but cpu=1 may be the beginning of cpu=16.
        ("2|plain|alpha|COMPLETED|100|160|60|cpu=1", 1, ["truncated"]),
        ("2|plain|alpha|COMPLETED|100|160|60|cpu=1\n", 2, []),
    ],
)
def test_a_cut_file(tmp_path: Path, last: str, kept: int, reasons: list[str]) -> None:
    found = take(tmp_path, text(HEAD, GOOD) + last.encode())
    assert (found.batch.kept, found.reasons) == (kept, reasons)
    assert [row["body"] for row in found.rejected] == [last.encode()] * len(reasons)


def test_a_cut_name_is_still_a_charge(tmp_path: Path) -> None:
    found = take(tmp_path, text(LAST, GOOD_LAST) + b"2|alpha|COMPLETED|100|160|60|cpu=1|pla")
    assert [row["job_id_raw"] for row in found.rows] == [1, 2]


def test_one_bad_record_stops_nothing(tmp_path: Path) -> None:
    rows = {
        "x|alpha|COMPLETED|100|160|60|cpu=1|plain": "bad-job-id",
        "|alpha|COMPLETED|100|160|60|cpu=1|plain": "no-job-id",
        "3|alpha|COMPLETED|soon|160|60|cpu=1|plain": "bad-time",
        "4|alpha|COMPLETED|100|160|an hour|cpu=1|plain": "bad-number",
        "5|alpha": "field-count",
        "6|alpha|COMPLETED|100|160|60|60|cpu=1|plain": "no-placing",
        "7|alpha|COMPLETED|100|160|": "field-count",
    }
    found = take(tmp_path, text(LAST, GOOD_LAST, *rows, GOOD_LAST.replace("1|", "8|", 1)))
    assert [row["job_id_raw"] for row in found.rows] == [1, 8]
    assert found.reasons == list(rows.values())
    assert [row["body"].decode() for row in found.rejected] == list(rows)
    assert [row["location"] for row in found.rejected] == [f"line {number}" for number in range(3, 10)]
    assert (found.batch.records, found.batch.kept, found.batch.rejected) == (9, 2, 7)


def test_a_word_of_sacct_between_records(tmp_path: Path) -> None:
    words = "sacct: error: slurmdbd: Connection refused"
    found = take(tmp_path, text(HEAD, GOOD, words, GOOD.replace("1|", "2|", 1)))
    assert ([row["job_id_raw"] for row in found.rows], found.reasons) == ([1, 2], ["field-count"])
    assert found.rejected[0]["body"].decode() == words


def test_two_readings_of_a_kept_column_are_refused(tmp_path: Path) -> None:
    # Which of a, b, c is the account cannot be told: comment and name may both hold a delimiter.
    header = "JobIDRaw|State|Start|End|AllocTRES|JobName|Account|Comment"
    found = take(
        tmp_path, text(header, "1|COMPLETED|100|160|cpu=1|a|b|c|d", "2|COMPLETED|100|160|cpu=1|a|b|c")
    )
    assert (found.reasons, [row["account"] for row in found.rows]) == (["ambiguous-columns"], ["b"])
    assert "Account" in found.rejected[0]["detail"]


def test_surplus_between_texts_alone_is_no_matter(tmp_path: Path) -> None:
    header = "JobIDRaw|State|Start|End|AllocTRES|Account|Comment|SubmitLine|WorkDir"
    found = take(tmp_path, text(header, "1|COMPLETED|100|160|cpu=1|alpha|a|b|c|d|e|f"))
    assert [row["account"] for row in found.rows] == ["alpha"]


def test_a_record_forged_in_a_name_charges_nobody(tmp_path: Path) -> None:
    # A user named the job `x\n999|victim|…`. With a trailing delimiter the first line is no whole record.
    forged = "1|alpha|COMPLETED|100|160|60|cpu=1|x\n999|victim|COMPLETED|0|9000|9000|cpu=512|y|"
    found = take(tmp_path, text(LAST + "|", forged, GOOD_LAST.replace("1|", "2|", 1) + "|"))
    assert [row["job_id_raw"] for row in found.rows] == [2]
    assert found.reasons == ["ambiguous-lines"]
    assert found.rejected[0]["body"].decode() == forged


def test_a_record_cut_in_front_of_a_whole_one(tmp_path: Path) -> None:
    found = take(tmp_path, text(LAST, "1|alpha|COMP", GOOD_LAST.replace("1|", "2|", 1)))
    assert ([row["job_id_raw"] for row in found.rows], found.reasons) == ([2], ["field-count"])
    # Cut behind a name it could as well be one record, of job 1, whose name holds the beginning of another's.
    found = take(tmp_path, text(HEAD, "1|plain|alpha|COMP", GOOD.replace("1|", "2|", 1)))
    assert ([row["job_id_raw"] for row in found.rows], found.reasons) == ([], ["ambiguous-lines"])


def test_sentinels_and_big_numbers(tmp_path: Path) -> None:
    header = "JobIDRaw|State|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|NNodes|ConsumedEnergyRaw|DBIndex|AllocTRES"
    rows = [
        "1|RUNNING|100|Unknown|4294967294|4294967295|4294967294|4294967295|18446744073709551614|1|cpu=1",
        "2|PENDING|None|0|0|UNLIMITED|0|1|18446744073709551615|18446744073709551000|",
        "3|RUNNING|4294967294|N/A|65534|Partition_Limit|65534|65534|18446744073708549186|2|cpu=1",
        "4|RUNNING|100|160|-5|-1|4294967293|2|4294967294|3|cpu=1",
    ]
    found = take(tmp_path, text(header, *rows))
    columns = ("start_s", "end_s", "elapsed_s", "timelimit_s", "alloc_cpus_count", "nodes_count", "energy")
    assert [tuple(row[name] for name in columns) for row in found.rows] == [
        (100, None, None, None, None, None, None),
        (None, None, 0, None, 0, 1, None),
        # 65534 is a sentinel of 16-bit fields only; none is kept, and a run may last so long.
        (None, None, 65534, None, 65534, 65534, "18446744073708549186"),
        # Negative numbers are kept as said; a wrapped energy too: the next stage holds both.
        (100, 160, -5, -60, 4294967293, 2, None),
    ]
    assert found.rows[1]["db_index"] == "18446744073709551000"


def test_numbers_that_only_describe_do_not_cost_the_record(tmp_path: Path) -> None:
    header = "JobIDRaw|State|Start|End|NNodes|TotalCPU|Timelimit|AllocTRES|AllocCPUS"
    found = take(tmp_path, text(header, "1|COMPLETED|100|160|16?|x|soon|cpu=1|1.5K"))
    assert (found.batch.kept, found.found) == (1, ["unreadable-value"] * 4)
    # Without AllocTRES the charge hangs on AllocCPUS.
    found = take(tmp_path, text("JobIDRaw|State|Start|End|AllocCPUS", "1|COMPLETED|100|160|1.5K"))
    assert found.reasons == ["bad-number"]


def test_steps_of_every_kind_are_counted_and_left_out(tmp_path: Path) -> None:
    suffixes = ("batch", "extern", "interactive", "TBD", "0", "3+1")
    rows = [f"7.{suffix}|s|alpha|FAILED|100|190|90|cpu=2" for suffix in suffixes]
    found = take(tmp_path, text(HEAD, *rows, GOOD, "7.0|broken|and|more|pieces|than|fit|in|it"))
    assert (found.batch.steps, found.batch.records, found.batch.kept) == (7, 1, 1)
    assert found.rows[0]["record_no"] == 7


def test_the_header_again_and_blank_lines_are_no_records(tmp_path: Path) -> None:
    found = take(tmp_path, text(HEAD, GOOD, "", HEAD, GOOD.replace("1|", "2|", 1), ""))
    assert [(row["job_id_raw"], row["record_no"]) for row in found.rows] == [(1, 1), (2, 2)]
    assert found.batch.rejected == 0


def test_array_tasks_without_a_raw_id_stay_apart(tmp_path: Path) -> None:
    header = "JobID|State|Submit|Start|End|AllocTRES"
    shown = ["10_1", "10_2", "10", "10_[3-9%2]", "11+0", "11+1", "12"]
    found = take(
        tmp_path,
        text(header, *(f"{one}|COMPLETED|90|100|160|cpu=1" for one in shown), "13_|COMPLETED|1|2|3|"),
    )
    assert [row["job_id"] for row in found.rows] == shown
    raw = [row["job_id_raw"] for row in found.rows]
    assert (raw[2], raw[3], raw[6]) == (10, 10, 12)
    assert len({raw[0], raw[1], 10, raw[4], raw[5], 11}) == 6
    assert min(raw[0], raw[1], raw[4], raw[5]) >= 2**32
    assert (found.found, found.reasons) == (["job-id-derived"], ["bad-job-id"])


def test_clusters_of_rows_win_over_the_argument(tmp_path: Path) -> None:
    header = "JobIDRaw|Cluster|State|Start|End|AllocTRES"
    rows = [f"{n}|{name}|COMPLETED|100|160|cpu=1" for n, name in enumerate(("c1", "c2", "", "c2", "c3"), 1)]
    found = take(tmp_path, text(header, *rows), cluster="c1")
    assert [row["cluster"] for row in found.rows] == ["c1", "c2", "c1", "c2", "c3"]
    assert found.found == ["other-cluster", "other-cluster"]


def test_a_very_long_command_over_many_lines(tmp_path: Path) -> None:
    header = "JobIDRaw|SubmitLine|State|Start|End|AllocTRES"
    script = "\n".join(f"echo {n} | sort || true" for n in range(400))
    found = take(
        tmp_path, text(header, f"1|sbatch --wrap {script}|COMPLETED|100|160|cpu=1", "2|x|COMPLETED|1|2|cpu=1")
    )
    assert ([row["job_id_raw"] for row in found.rows], found.reasons) == ([1, 2], [])


def test_a_cut_record_is_no_part_of_the_name_before_it(tmp_path: Path) -> None:
    # The first column is a word, so nothing but the number of its delimiters tells that the second line was a record.
    header = "Cluster|JobIDRaw|Account|State|Start|End|ElapsedRaw|AllocTRES|JobName"
    good = "c1|1|alpha|COMPLETED|100|160|60|cpu=1|plain"
    found = take(tmp_path, text(header, good, "c1|2|alpha|COMPLETED|100", good.replace("|1|", "|3|", 1)))
    assert [(row["job_id_raw"], row["job_name"]) for row in found.rows] == [(1, "plain"), (3, "plain")]
    assert len(found.rejected) == 1
