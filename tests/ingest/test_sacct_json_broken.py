"""Documents and elements that are not as they should be: nothing is lost, and nothing is guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import sacct_json_split
from ingest.sacct_json import read_json
from models.catalogue import LANGUAGES
from models.errors import HesuanError
from tests.ingest.json_elements import document, new_element, old_element, tres


def read(data):
    return read_json(data, cluster="alpha")


def body(result, record):
    return result.source[record["source_start_bytes"] : record["source_end_bytes"]]


# --- the document ---------------------------------------------------------------------------------------------------
def test_no_jobs_is_no_records():
    result = read(document())
    assert (result.records.num_rows, result.rejected.num_rows, result.steps, result.source) == (0, 0, 0, b"")


@pytest.mark.parametrize(
    ("data", "key", "said"),
    [
        (b"", "json.not_object", "''"),
        (b"sacct: error: no", "json.not_object", "sacct: error"),
        (b"[1]", "json.not_object", "[1]"),
        (b"{}", "json.no_jobs", "keys: )"),
        (b'{"sinfo": [{}], "meta": {}}', "json.no_jobs", "sinfo, meta"),
        (b'{"jobs": null, "meta": {"jobs": [{}]}}', "json.no_jobs", "jobs, meta"),
        (b'{"jobs": [], "x": {"a": 1}, "jobs": []}', "json.two_jobs", "2 top-level"),
        (b'{"jobs": []}{"jobs": []}', "json.trailing", "byte 12"),
        (b'{"jobs": []}\nwarning', "json.trailing", "byte 13"),
        (b'{"jobs": [], "meta": {"a": }}', "json.broken", "byte 27"),
        (b'{"jobs": [}', "json.cut_outside", "byte 11"),
        (b'{"jobs": [1]}', "json.broken", "byte 10"),
        (b'{"jobs": [{} {}]}', "json.broken", "byte 12"),
        (b'{"jobs": [{},,{}]}', "json.broken", "byte 12"),
        (b'{"jobs": [{},]}', "json.broken", "byte 12"),
        (
            b'{"jobs": [{"job_id": 1}, {"job_id": 2, "na',
            "json.truncated",
            "job record 2, which begins at byte 25",
        ),
        (b'{"jobs": [{"job_id": 1}, ', "json.cut_outside", "complete job records before: 1"),
        (
            b'{"jobs": [{"job_id": 1}], "meta": {"slurm": {',
            "json.cut_outside",
            "complete job records before: 1",
        ),
        (b'{"meta": {"x": {}}, "jobs": [{"name": "}', "json.truncated", "byte 40: job record 1"),
        (b'{"jobs": [{"a": [}, {"a": 1}]}', "json.cut_outside", "brackets do not close"),
    ],
)
def test_a_document_that_cannot_be_trusted(data, key, said):
    with pytest.raises(HesuanError) as error:
        read(data)
    assert error.value.key == key
    assert said in str(error.value)
    assert all(error.value.text(language) for language in LANGUAGES)


def test_every_cut_of_a_document_is_noticed():
    data = document(new_element(name="x}]{["), old_element(), errors=[])
    for cut in range(1, len(data), 7):
        with pytest.raises(HesuanError) as error:
            read(data[:cut])
        assert error.value.key in {"json.truncated", "json.cut_outside"}
        assert error.value.values["at"] == cut


def test_byte_order_mark_and_layout_do_not_matter():
    elements = [new_element(name="一\n二"), old_element(job_id=7)]
    plain = read(document(*elements))
    for data in (
        b"\xef\xbb\xbf" + document(*elements),
        document(*elements, indent=2),
        b" \r\n" + document(*elements),
    ):
        result = read(data)
        columns = [name for name in result.records.column_names if not name.startswith("source_")]
        assert result.records.select(columns) == plain.records.select(columns)


def test_what_sacct_complained_of_is_told():
    result = read(document(new_element(), errors=[{"error": "slurmdbd lost"}], warnings=["slow"]))
    assert [(location, reason) for location, reason, _ in result.findings] == [
        ("document", "json-errors"),
        ("document", "json-warnings"),
    ]
    assert "slurmdbd lost" in result.findings[0][2]


# --- elements -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("element", "reason", "said"),
    [
        ({}, "no-job-id", "no job_id"),
        (new_element(job_id=...), "no-job-id", "no job_id"),
        (new_element(job_id=None), "no-job-id", "no job_id"),
        (new_element(job_id=4294967294), "no-job-id", "no job_id"),
        (new_element(job_id="12x"), "bad-job-id", "12x"),
        (new_element(job_id=0), "bad-job-id", "0"),
        (new_element(job_id=2**63), "bad-job-id", "9223372036854775808"),
        (new_element(time__start="yesterday"), "bad-time", "start yesterday"),
        (new_element(time__end=1793346600000), "bad-time", "end 1793346600000"),
        (new_element(time__end=-7, time__submission=[1]), "bad-time", "submission [1], end -7"),
        (new_element(time={}), "no-time", "squeue"),
        (new_element(time=...), "no-time", "squeue"),
        (new_element(time__elapsed="1:00:00"), "bad-number", "elapsed 1:00:00"),
        (new_element(time__suspended="x"), "bad-number", "suspended x"),
        (new_element(time__elapsed=2**64), "bad-number", "elapsed 18446744073709551616"),
        (new_element(tres__allocated="cpu=4"), "bad-tres", "no list"),
        (
            new_element(tres__allocated=[{"type": None, "id": 1001, "count": 4}]),
            "bad-tres",
            "type null and count 4",
        ),
        (new_element(tres__allocated=tres(cpu="four")), "bad-tres", "type cpu and count four"),
        ([1, 2], "not-an-object", "array"),
    ],
)
def test_a_record_that_cannot_be_read_is_kept_aside(element, reason, said):
    result = read(document(new_element(job_id=1), element, new_element(job_id=3)))
    assert result.records["job_id_raw"].to_pylist() == [1, 3]
    assert result.records["record_no"].to_pylist() == [1, 3]
    (rejected,) = result.rejected.to_pylist()
    assert (rejected["record_no"], rejected["location"], rejected["reason"]) == (2, "record 2", reason)
    assert said in rejected["detail"]
    assert json.loads(rejected["body"]) == element


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"job_id": 2, "time": {"start": 5 6}}', "bad-json"),
        (b'{"job_id": 2, "job_id": 3, "time": {"submission": 5}}', "duplicate-key"),
        (b'{"job_id": 2, "time": {"elapsed": 5, "elapsed": 50, "submission": 5}}', "duplicate-key"),
        (b'{"job_id": 2, "name": "\\ud800", "time": {"submission": 5}}', "bad-json"),
        (b'{"job_id": 2, "time": [}', "bad-json"),
    ],
)
def test_a_record_that_is_no_json_is_kept_aside(text, reason):
    data = document(new_element(job_id=1), "HERE", new_element(job_id=3))
    if text.endswith(b"[}"):
        text = text[:-2] + b'["a":1]}'
    result = read(data.replace(b'"HERE"', text))
    assert result.records["job_id_raw"].to_pylist() == [1, 3]
    assert result.rejected.select(["reason", "body"]).to_pylist() == [{"reason": reason, "body": text}]


def test_an_unreadable_number_that_nobody_bills_is_left_out_and_told():
    result = read(document(new_element(time__limit="soon")))
    assert result.records["timelimit_s"].to_pylist() == [None]
    assert [(location, reason) for location, reason, _ in result.findings] == [
        ("record 1", "unreadable-value")
    ]
    assert "time.limit soon" in result.findings[0][2]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"f\xfcr", "f\ufffdr"),
        (b"\xff", "\ufffd"),
        (b"\xe8\xae", "\ufffd"),  # the first two bytes of a character of three, cut at 255 bytes
        (b"a\tb\nc\x00d", "a b c d"),  # control bytes that no JSON may hold
    ],
)
def test_bad_bytes_in_a_name_keep_the_charge(raw, shown):
    data = document(
        new_element(job_id=1, name="好"), new_element(job_id=2, name="NAME"), new_element(job_id=3)
    )
    result = read(data.replace(b"NAME", raw))
    records = result.records.to_pylist()
    assert [record["job_name"] for record in records] == ["好", shown, "train"]
    assert [record["alloc_tres"] for record in records] == ["billing=4,cpu=4,mem=8000M,node=1"] * 3
    assert bytes(max(byte, 32) for byte in raw) in body(result, records[1])


# --- invariants -----------------------------------------------------------------------------------------------------
texts = st.text(alphabet=st.sampled_from('ab\\"{}[]:,\n\t|训😀\x01'), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(
    names=st.lists(st.tuples(texts, values), max_size=6),
    rest=st.dictionaries(st.sampled_from(["warnings", "x", "meta"]), values, max_size=3),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
    block=st.integers(1, 64),
)
@settings(max_examples=300, deadline=None)
def test_split_agrees_with_a_json_parser(names, rest, indent, ascii_only, block):
    """Whatever stands in names and beside the jobs, and wherever the blocks end, the elements are the parser's."""
    jobs = [{"name": name, "more": more} for name, more in names]
    data = json.dumps({"jobs": jobs, **rest}, indent=indent, ensure_ascii=ascii_only).encode()
    before, sacct_json_split.BLOCK_BYTES = sacct_json_split.BLOCK_BYTES, block
    try:
        cut = sacct_json_split.split(data)
    finally:
        sacct_json_split.BLOCK_BYTES = before
    spans = zip(cut.starts.tolist(), cut.ends.tolist(), strict=True)
    assert [json.loads(cut.source[start:end]) for start, end in spans] == jobs
    assert cut.rest == {"jobs": [], **rest}
    assert [json.loads(line) for line in cut.source.splitlines()] == jobs


@given(st.lists(st.sampled_from(["good", "no id", "bad time", "broken"]), max_size=8))
@settings(max_examples=30, deadline=None)
def test_every_record_is_kept_or_rejected_with_its_bytes(kinds):
    made = {
        "good": json.dumps(new_element()),
        "no id": json.dumps(new_element(job_id=None)),
        "bad time": json.dumps(new_element(time__end="never")),
        "broken": '{"job_id": }',
    }
    result = read(b'{"jobs": [' + ",".join(made[kind] for kind in kinds).encode() + b"]}")
    seen = [(record["record_no"], body(result, record).decode()) for record in result.records.to_pylist()]
    seen += [(row["record_no"], row["body"].decode()) for row in result.rejected.to_pylist()]
    assert sorted(seen) == [(place, made[kind]) for place, kind in enumerate(kinds, start=1)]
    assert result.rejected.num_rows == sum(kind != "good" for kind in kinds)
