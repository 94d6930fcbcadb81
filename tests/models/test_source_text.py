"""Source text is packed in pieces and read back by place."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.source_text import CODEC, pack, record_bytes, unpack
from models.store import raw_writer


@given(st.binary(max_size=5000))
def test_a_piece_comes_back(data: bytes) -> None:
    assert unpack(pack(data), len(data)) == data


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(min_size=1, max_size=200),
    size=st.integers(1, 50),
    cuts=st.tuples(*[st.integers(0, 250)] * 2),
)
def test_a_record_over_pieces(tmp_path: Path, data: bytes, size: int, cuts: tuple[int, int]) -> None:
    start, end = sorted(cuts)
    with raw_writer(tmp_path / "raw.duckdb", now_s=1, program_version="test") as con:
        con.execute("BEGIN")
        for batch_id, said in ((1, data), (2, data[::-1])):
            for number, at in enumerate(range(0, len(said), size)):
                piece = said[at : at + size]
                con.execute(
                    "INSERT INTO raw_source VALUES (?, ?, ?, ?, ?, ?)",
                    [batch_id, number, at, at + len(piece), CODEC, pack(piece)],
                )
        assert record_bytes(con, 1, start, end) == data[start:end]
        assert record_bytes(con, 2, start, end) == data[::-1][start:end]
        con.execute("ROLLBACK")
