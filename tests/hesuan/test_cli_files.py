"""Files that `hesuan ingest slurm` is given and should not be, and words about them that do not fit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command import PROGRAM, environment, hesuan

from sample_data.sources import folder

PERIOD = "2026-09"
GPU = (
    "ingest",
    "slurm",
    "--cluster",
    "gpu1",
    "--file",
    folder() / "sacct-gpu1.txt.gz",
    "--timezone",
    "Asia/Shanghai",
)
HEADER = b"JobIDRaw|Account|User|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES\n"
RECORD = b"1|alpha|u1|cpu|COMPLETED|1788192000|1788192060|1788195660|3600|cpu=4,mem=8G,node=1\n"
HOSTILE_FILES: dict[str, bytes] = {
    "empty": b"",
    "a line end": b"\n",
    "nothing but spaces": b" " * 10_000,
    "zeros": b"\0" * 100_000,
    "junk": bytes(n * 7919 % 256 for n in range(100_000)),
    "a gzip cut short": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc",
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n",
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
    "another table": b"name,amount\nx,1\n",
    "prose": "这是一份说明，不是 sacct 的输出。\n".encode() * 50,
    "JSON of something else": b'{"hello": [1, 2]}',
    "JSON cut short": b'{"jobs": [{"job_id": 1, "account": "a"',
    "a header that lacks what a bill needs": b"JobIDRaw|State\n1|COMPLETED\n",
    "a fixed width": b"       JobID    JobName\n------------ ----------\n1                  test\n",
    "UTF-16": "JobIDRaw|State".encode("utf-16"),
    "one long line": b"x" * 3_000_000,
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_a_file_that_is_no_answer_of_sacct(new_site, tmp_path, name):
    file = tmp_path / "in.txt"
    file.write_bytes(HOSTILE_FILES[name])
    said = hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, site=new_site)
    assert (said.code, said.out) == (2, ""), said
    assert len(said.err.splitlines()) == 1
    assert len(said.err) < 1000, "what was seen is shown in part"
    assert str(file) in said.err
    assert "A fault of this program" not in said.err
    assert "A store could not" not in said.err


@pytest.mark.parametrize("path", ["", "/no/such/file", "/proc/self/mem", "/dev/null/x", "."])
def test_a_file_that_cannot_be_read(new_site, path):
    said = hesuan("ingest", "slurm", "--cluster", "c1", f"--file={path}", site=new_site)
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert "A fault of this program" not in said.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(new_site, tmp_path):
    file = tmp_path / "in.txt"
    file.write_bytes(HEADER)
    file.chmod(0)
    said = hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, site=new_site)
    assert said.code == 2
    assert str(file) in said.err


@pytest.mark.parametrize(
    "columns", ["", ",", "JobIDRaw", "nonsense,words", "JobIDRaw,JobIDRaw", "JobIDRaw,State,Start", "," * 500]
)
@pytest.mark.parametrize("content", [HEADER + RECORD, RECORD])
def test_columns_that_do_not_fit(new_site, tmp_path, columns, content):
    file = tmp_path / "in.txt"
    file.write_bytes(content)
    said = hesuan("ingest", "slurm", "--cluster", "c1", "--file", file, "--columns", columns, site=new_site)
    assert said.code == 2 or (columns == "" and content.startswith(b"Job")), said
    assert "A fault of this program" not in said.err
    assert len(said.err.splitlines()) <= 1


@pytest.mark.parametrize(
    "zone", ["", "Mars/Olympus", "CST", "+8", "../../etc/passwd", "Asia", "x" * 300, "亚洲/上海"]
)
def test_a_zone_that_is_not_known(new_site, zone):
    said = hesuan(*GPU[:-1], zone, site=new_site)
    assert (said.code, said.out) == (2, ""), said
    assert "A fault of this program" not in said.err
    assert "Asia/Shanghai" in said.err


def test_a_second_file_that_is_bad_leaves_the_first(new_site, tmp_path):
    good = tmp_path / "good.txt"
    good.write_bytes(HEADER + RECORD)
    (tmp_path / "bad.txt").write_bytes(b"")
    said = hesuan("ingest", "slurm", "--cluster", "c1", good, tmp_path / "bad.txt", site=new_site)
    assert said.code == 2
    assert "batch 1, 1 records = 1 kept" in said.out
    again = hesuan("ingest", "slurm", "--cluster", "c1", good, site=new_site)
    assert again.code == 0
    assert "already there as batch 1" in again.out


def test_a_file_name_that_is_no_text(new_site, tmp_path):
    file = Path(os.fsdecode(bytes(tmp_path) + b"/alt-\xfcbersicht.txt"))
    file.write_bytes(HEADER + RECORD)
    said = subprocess.run(
        [*PROGRAM, "--lang", "en", "--site", str(new_site), "ingest", "slurm", "--cluster", "c1", "--file", file],
        env=environment(), check=False, capture_output=True,
    )  # fmt: skip
    assert (said.returncode, said.stderr) == (0, b"")
    assert b"1 records = 1 kept" in said.stdout


@pytest.mark.parametrize("cluster", ["", " ", "a" * 500, "集群", "'; DROP TABLE raw_sacct; --", "a/b", "\n"])
def test_any_word_is_a_cluster(new_site, tmp_path, cluster):
    file = tmp_path / "in.txt"
    file.write_bytes(HEADER + RECORD)
    said = hesuan("ingest", "slurm", f"--cluster={cluster}", "--file", file, site=new_site)
    assert said.code in {0, 2}
    assert "A fault of this program" not in said.err
    assert hesuan("build", PERIOD, site=new_site).code == (0 if said.code == 0 else 2)
