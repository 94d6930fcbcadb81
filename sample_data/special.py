"""The kinds of record that go wrong elsewhere, each put there by hand.

Shapes follow what real Slurms record: 24.11 on cpu1, 22.05 on gpu1 (which repeats a resized job's first start, and
forgets the start of a run that was requeued within seconds).
"""

from __future__ import annotations

from dataclasses import replace

from sample_data.run import HOUR, Held, Run, at

CORES_4 = Held(4, 16_384)
CORES_32 = Held(32, 131_072)
A100_2 = Held(16, 128_000, 1, (("gpu", "a100", 2),))
NPU_8 = Held(64, 512_000, 1, (("npu", "ascend910b", 8),))


def _cpu(number: int, day: tuple[int, int, int], seconds: int | None, **changes: object) -> Run:
    start = at(*day)
    run = Run(
        cluster="cpu1",
        job_id_raw=number,
        job_id=str(number),
        account="mat_lin",
        user="chenxu",
        partition="cpu",
        qos="normal",
        state="COMPLETED" if seconds is not None else "RUNNING",
        submit=start - 300,
        eligible=start - 300,
        start=start,
        end=None if seconds is None else start + seconds,
        held=CORES_4,
        name=b"special",
        node_list="cn47",
    )
    return replace(run, **changes)  # type: ignore[arg-type]


def _gpu(number: int, day: tuple[int, int, int], seconds: int | None, **changes: object) -> Run:
    first = {
        "cluster": "gpu1",
        "account": "vision",
        "user": "hechuan",
        "partition": "a100",
        "held": A100_2,
        "node_list": "ga08",
    }
    return _cpu(number, day, seconds, **{**first, **changes})


def _never(run: Run, state: str, end: int | None, **changes: object) -> Run:
    """The record of a job that never started."""
    return replace(run, state=state, start=None, end=end, node_list="", held=Held(0, 0, 1), **changes)  # type: ignore[arg-type]


def cpu_runs() -> tuple[Run, ...]:
    """The special records of cpu1."""
    array = [
        _cpu(690_001 + n, (8, 9, 0), 3600 + 60 * n, job_id=f"690001_{n or 5}", name="参数扫描".encode())
        for n in range(5)
    ]
    return (
        # Runs over both ends of the month, and one that fills it wholly.
        _cpu(690_010, (0, 22, 30), 3 * HOUR, name=b"over-august-end", held=CORES_32),
        _cpu(690_011, (30, 22, 30), 3 * HOUR, name=b"over-september-end", held=CORES_32),
        _cpu(690_012, (-1, 12, 0), None, name="长期服务".encode(), timelimit=60_000),
        # An array: five tasks, the last of which keeps the array's own id, one failed, the rest still waiting.
        array[0],
        *array[1:4],
        replace(array[4], state="FAILED"),
        _never(_cpu(690_006, (30, 20, 0), 0), "PENDING", None, job_id="690006_[6-40%4]", eligible=at(30, 20)),
        # A heterogeneous job whose components belong to two accounts.
        _cpu(690_020, (9, 10, 0), 2 * HOUR, job_id="690020+0", account="mat_su_a", user="suqing", name=b"het-coupled"),
        _cpu(690_021, (9, 10, 0), 2 * HOUR, job_id="690020+1", account="mat_su_b", user="heyan", name=b"het-coupled",
             held=CORES_32),
        # Requeued by its user, preempted, thrown off a failing node: each has a second run with a new Submit.
        _cpu(690_030, (10, 8, 0), 1800, state="REQUEUED", name=b"requeued"),
        _cpu(690_030, (10, 9, 0), 5400, submit=at(10, 8, 30), eligible=at(10, 8, 32), name=b"requeued"),
        _cpu(690_031, (11, 8, 0), 4000, state="PREEMPTED", qos="low", held=CORES_32, name=b"preempted"),
        _cpu(690_031, (11, 13, 0), 9000, submit=at(11, 9, 7), eligible=at(11, 9, 9), qos="low", held=CORES_32,
             name=b"preempted"),
        _cpu(690_032, (14, 20, 0), 7 * HOUR, state="NODE_FAIL", held=CORES_32, name=b"node-fail"),
        _cpu(690_032, (15, 4, 0), 8 * HOUR, submit=at(15, 3), eligible=at(15, 3, 2), held=CORES_32, name=b"node-fail"),
        # Grown from 4 to 32 cores after an hour: two records that follow each other.
        _cpu(690_040, (16, 10, 0), 3600, state="RESIZING", name="扩容".encode()),
        _cpu(690_040, (16, 11, 0), 5400, submit=at(16, 11), eligible=at(16, 11), held=CORES_32, name="扩容".encode()),
        # Suspended for 1:40:07 of 7:00:03, over the night in which prices change.
        _cpu(690_050, (15, 20, 0), 7 * HOUR + 3, suspended=6007, held=CORES_32, name=b"suspended"),
        # Suspended at the moment of reading.
        _cpu(690_051, (30, 18, 0), None, state="SUSPENDED", suspended=5 * HOUR, name=b"suspended-now"),
        # Cancelled: before it started, and while it ran.
        _never(_cpu(690_060, (17, 9, 0), 0, name=b"never-ran"), "CANCELLED by 21004", at(17, 9, 30)),
        _cpu(690_061, (17, 10, 0), 1234, state="CANCELLED by 21004", name=b"cancelled"),
        # A runaway: its node died in March and nobody told Slurm.
        _cpu(512_345, (-180, 3, 0), None, timelimit=1440, name=b"runaway"),
        # An id that came round again: two jobs of different people.
        _cpu(690_070, (-2, 9, 0), 2 * HOUR, name=b"first-690070"),
        _cpu(690_070, (20, 9, 0), 3 * HOUR, account="qingyun", user="qy_zhao", name=b"second-690070"),
        # Names that break parsers; the last two are not UTF-8 and break a line.
        _cpu(690_080, (21, 9, 0), 777, name="能带|态密度|第3批".encode()),
        _cpu(690_081, (21, 10, 0), 888, name=b'=cmd|"calc"'),
        _cpu(690_082, (21, 11, 0), 999, name=b"f\xfcr-Thermo"),
        _cpu(690_083, (21, 12, 0), 1111, name="第一行\n第二行".encode()),
        # Other ends.
        _cpu(690_090, (22, 9, 0), 0, state="BOOT_FAIL", name=b"boot-fail"),
        _cpu(690_091, (22, 10, 0), 1500, state="DEADLINE", name=b"deadline"),
        _cpu(690_092, (22, 11, 0), 300, state="OUT_OF_MEMORY", name=b"oom"),
        _cpu(690_093, (22, 12, 0), 60, state="TIMEOUT", timelimit=1, name=b"timeout"),
        # Nobody's: no rule of site.toml knows this account.
        _cpu(690_095, (23, 9, 0), 5 * HOUR, account="visitor2019", user="tmp07", held=CORES_32, name=b"who"),
    )  # fmt: skip


def gpu_runs() -> tuple[Run, ...]:
    """The special records of gpu1."""
    mixed = Held(10, 40_000, 1, (("gpu", "a100_1g.10gb", 2), ("gpu", "a100_3g.40gb", 1)))
    untyped = Held(8, 64_000, 1, (("gpu", "", 1),))
    more = Held(32, 256_000, 2, (("gpu", "a100", 4),))
    return (
        _gpu(300_001, (0, 23, 0), 2 * HOUR, name=b"over-august-end"),
        _gpu(300_002, (30, 23, 30), 2 * HOUR, name="跨月训练".encode()),
        _gpu(300_003, (29, 8, 0), None, name=b"still-running", timelimit=5760),
        # An array and a heterogeneous job.
        *(_gpu(300_010 + n, (3, 14, 0), 900 + n, job_id=f"300010_{n or 3}", name="消融实验".encode()) for n in range(3)),
        _gpu(300_020, (4, 9, 0), 3600, job_id="300020+0", account="llm", user="penglan", name=b"het-train"),
        _gpu(300_021, (4, 9, 0), 3600, job_id="300020+1", account="joint", user="penglan", name=b"het-train",
             held=Held(16, 64_000)),
        # Requeued within seconds: 22.05 says neither start nor elapsed. Then preempted, then a failing node.
        _gpu(300_030, (5, 9, 0), 0, state="REQUEUED", start=None, end=at(5, 9, 0, 3), name=b"requeued"),
        _gpu(300_030, (5, 9, 5), 7200, submit=at(5, 9, 0, 3), eligible=at(5, 9, 2, 4), name=b"requeued"),
        _gpu(300_031, (6, 9, 0), 5000, state="PREEMPTED", name=b"preempted"),
        _gpu(300_031, (6, 12, 0), 8000, submit=at(6, 10, 24), eligible=at(6, 10, 26), name=b"preempted"),
        _gpu(300_032, (15, 22, 0), 4 * HOUR, state="NODE_FAIL", name=b"node-fail"),
        _gpu(300_032, (16, 3, 0), 4 * HOUR, submit=at(16, 2), eligible=at(16, 2, 2), name=b"node-fail"),
        # Shrunk from 4 cards to 2 after an hour; the later record repeats the first start.
        _gpu(300_040, (12, 9, 0), 3600, state="RESIZING", held=more, name=b"shrunk", node_list="ga07,ga08"),
        _gpu(300_040, (12, 9, 0), 4 * HOUR, submit=at(12, 10), eligible=at(12, 10), begin=at(12, 10), name=b"shrunk"),
        # Suspended: cards are free meanwhile by the tariff, NPUs are not.
        _gpu(300_050, (15, 23, 0), 5 * HOUR, suspended=4001, name=b"suspended"),
        _gpu(300_051, (18, 9, 0), 6 * HOUR, suspended=HOUR, account="qiao", user="qiaomu", partition="npu", held=NPU_8,
             node_list="na04", name="昇腾挂起".encode()),
        _never(_gpu(300_060, (19, 9, 0), 0, name=b"never-ran"), "CANCELLED by 21006", at(19, 9, 1)),
        _never(_gpu(300_061, (30, 21, 0), 0, name=b"waiting"), "PENDING", None),
        # Two kinds of MIG slices at once; a card that no type names.
        _gpu(300_070, (20, 9, 0), 2 * HOUR, partition="mig", held=mixed, node_list="gm04", name=b"mig-mixed"),
        _gpu(300_071, (20, 12, 0), HOUR, held=untyped, name=b"untyped"),
        _gpu(300_080, (21, 9, 0), 600, name=b"a|b"),
        _gpu(300_081, (21, 10, 0), 600, name="数据|清洗|v2".encode()),
        # A byte of its start was damaged on the way: the record cannot be read.
        _gpu(300_090, (24, 9, 0), 3600, name=b"damaged", readable=False),
        _gpu(300_095, (25, 9, 0), 3 * HOUR, account="visitor2019", user="tmp07", name=b"who"),
    )  # fmt: skip
