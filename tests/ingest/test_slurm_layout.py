"""How a file is laid out: delimiter, columns, header, format; and what is said of a file that cannot be read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from raw_store import take, text

from models.catalogue import entries
from models.errors import HesuanError

NAMES = ["JobIDRaw", "JobName", "State", "Start", "End", "AllocTRES"]
VALUES = ["7", "name", "COMPLETED", "100", "160", "billing=4,cpu=4"]
DELIMITERS = ["|", "\x1f", "|#", "^|^", ";|;", "\t", ";", "||", "\x1e", "¦", "~~~"]


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("terminated", [False, True])
def test_any_delimiter_with_a_header(tmp_path: Path, delimiter: str, terminated: bool) -> None:
    tail = delimiter if terminated else ""
    values = VALUES.copy()
    values[1] = f"a{delimiter}b\nc"
    found = take(
        tmp_path,
        text(delimiter.join(NAMES) + tail, delimiter.join(values) + tail, delimiter.join(VALUES) + tail),
    )
    assert [row["job_name"] for row in found.rows] == [f"a{delimiter}b\nc", "name"]
    assert [row["alloc_tres"] for row in found.rows] == [VALUES[-1]] * 2


@pytest.mark.parametrize("delimiter", ["|", "\x1f", "|#", "^|^", ";|;", "\t", ";"])
@pytest.mark.parametrize("terminated", [False, True])
def test_any_delimiter_with_columns(tmp_path: Path, delimiter: str, terminated: bool) -> None:
    line = delimiter.join(VALUES) + (delimiter if terminated else "")
    found = take(tmp_path, text(line, line.replace("7", "8", 1)), columns=[name.lower() for name in NAMES])
    assert [row["job_id_raw"] for row in found.rows] == [7, 8]


def test_a_comma_file_without_tres(tmp_path: Path) -> None:
    found = take(tmp_path, text("jobid,state,START,End,NCPUS,Unheard", "7,COMPLETED,100,160,4,x"))
    row = found.rows[0]
    assert (row["job_id"], row["alloc_tres"], row["alloc_cpus_count"]) == ("7", None, 4)


def test_names_may_carry_a_width(tmp_path: Path) -> None:
    found = take(tmp_path, text("JobIDRaw%20|jobname%-30|State|Start|End|AllocTRES%80", "|".join(VALUES)))
    assert (found.rows[0]["job_name"], found.rows[0]["alloc_tres"]) == ("name", VALUES[-1])


def test_a_header_is_passed_over_where_columns_are_named(tmp_path: Path) -> None:
    data = text("|".join(NAMES), "|".join(VALUES))
    assert take(tmp_path, data, columns=NAMES).batch.kept == 1
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, data, columns=NAMES[:-1])
    assert refused.value.key == "ingest.columns_count"


def test_gzip_of_a_file(tmp_path: Path) -> None:
    data = text("|".join(NAMES), "|".join(VALUES))
    plain, packed = take(tmp_path, data), take(tmp_path, gzip.compress(data))
    assert packed.rows == plain.rows
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, gzip.compress(data * 1000)[:-20])
    assert refused.value.key == "ingest.gzip_broken"


def test_an_empty_answer_is_a_batch(tmp_path: Path) -> None:
    found = take(tmp_path, text("|".join(NAMES)))
    assert (found.batch.batch_id, found.batch.records, found.batch.steps) == (1, 0, 0)
    assert take(tmp_path, b"", columns=NAMES).batch.records == 0


@pytest.mark.parametrize(
    ("data", "columns", "key"),
    [
        (b"", None, "ingest.empty_file"),
        (b"\n\n", None, "ingest.empty_file"),
        (b"hello world\n", None, "ingest.not_sacct"),
        (b"\xff\xfeJ\0o\0b\0", None, "ingest.not_sacct"),
        (b"%PDF-1.7\n", None, "ingest.not_sacct"),
        (b"7|name|COMPLETED|100|160|cpu=1\n", None, "ingest.not_sacct"),
        (
            b"       JobID    JobName  Partition\n------------ ---------- ----------\n",
            None,
            "ingest.fixed_width",
        ),
        (b"7 name COMPLETED 100 160 cpu\n", NAMES, "ingest.delimiter"),
        (b"JobIDRaw|State|Start|End|AllocTRES|state\n", None, "ingest.column_twice"),
        (b"JobName|State|Start|End|AllocTRES\n", None, "ingest.column_missing"),
        (b"JobIDRaw|State|Start|AllocTRES\n", None, "ingest.column_missing"),
        (b"JobIDRaw|State|Start|End|ReqTRES\n", None, "ingest.column_missing"),
        (b"7|COMPLETED\n", ["JobIDRaw", "State"], "ingest.column_missing"),
    ],
)
def test_a_file_that_is_refused_leaves_no_store(
    tmp_path: Path, data: bytes, columns: list[str] | None, key: str
) -> None:
    store = tmp_path / "raw.duckdb"
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, data, store=store, columns=columns)
    assert refused.value.key == key
    assert refused.value.text("zh") != refused.value.text("en")
    assert not store.exists()


@pytest.mark.parametrize("path", ["nowhere.txt", "."])
def test_a_file_that_is_none(tmp_path: Path, path: str) -> None:
    with pytest.raises(HesuanError) as refused:
        take(tmp_path, tmp_path / path)
    assert refused.value.key == "ingest.unreadable"


def test_every_text_says_what_to_do_in_both_languages() -> None:
    texts = {key: words for key, words in entries().items() if key.startswith("ingest.")}
    assert len(texts) >= 11
    for words in texts.values():
        assert set(words) == {"zh", "en"}
        assert any("\u4e00" <= letter <= "\u9fff" for letter in words["zh"])
