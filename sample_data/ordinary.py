"""The ordinary work of the sample's month: who submits what, where it fits, how it ends.

Whole-number arithmetic on a seeded generator only, so that every machine makes the same jobs. Jobs are placed on nodes
that have room, never beyond what a node has.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sample_data.run import DAY, HOUR, READ_S, Held, Run, at

FIRST_DAY, LAST_DAY = -3, 30
# Shortest and longest of four kinds of work, seconds, with their weight.
LENGTHS = ((45, 900, 30), (900, 2 * HOUR, 35), (2 * HOUR, 10 * HOUR, 25), (10 * HOUR, 40 * HOUR, 10))
ENDINGS = (("COMPLETED", 84), ("FAILED", 7), ("TIMEOUT", 4), ("CANCELLED", 4), ("OUT_OF_MEMORY", 1))


@dataclass(frozen=True)
class Habit:
    """What an account does on a partition: `per_day` jobs on a working day, a third of that at the weekend."""

    cluster: str
    account: str
    partition: str
    per_day: int
    users: tuple[str, ...]
    names: tuple[str, ...]
    sizes: tuple[Held, ...]
    qos: tuple[str, ...] = ("normal",)
    wckeys: tuple[str, ...] = ("",)


@dataclass
class Node:
    """A node and what it has promised: (end, cpus, devices) of the jobs on it."""

    name: str
    cpus: int
    devices: int
    jobs: list[tuple[int, int, int]] = field(default_factory=list)

    def has_room(self, now: int, cpus: int, devices: int) -> bool:
        """Whether so much is free at `now`; what has ended is forgotten."""
        self.jobs = [job for job in self.jobs if job[0] > now]
        used_cpus, used_devices = sum(job[1] for job in self.jobs), sum(job[2] for job in self.jobs)
        return used_cpus + cpus <= self.cpus and used_devices + devices <= self.devices


def _cpu(cpus: int, gib_per_core: int = 4, nodes: int = 1) -> Held:
    return Held(cpus, cpus * gib_per_core * 1024, nodes)


def _gpu(kind: str, model: str, count: int, *, cpus: int = 8, generic: bool = True) -> Held:
    return Held(cpus * count, count * cpus * 8000, 1, ((kind, model, count),), generic)


CPU_SIZES = (_cpu(1), _cpu(4), _cpu(16), _cpu(32), _cpu(64), _cpu(128, nodes=2))
FAT_SIZES = (_cpu(16, 32), _cpu(48, 32))
A100_SIZES = (_gpu("gpu", "a100", 1), _gpu("gpu", "a100", 2), _gpu("gpu", "a100", 4))
# This partition's slurm.conf counts types only.
H800_SIZES = (_gpu("gpu", "h800", 4, generic=False), _gpu("gpu", "h800", 8, generic=False))
MIG_SIZES = (_gpu("gpu", "a100_1g.10gb", 1, cpus=2), _gpu("gpu", "a100_3g.40gb", 1, cpus=4))
NPU_SIZES = (_gpu("npu", "ascend910b", 1), _gpu("npu", "ascend910b", 8))

HABITS = (
    Habit("cpu1", "mat_lin", "cpu", 22, ("linyue", "chenxu", "zhouqi"), ("vasp-relax", "催化吸附能", "md_300K"), CPU_SIZES,
          ("normal", "normal", "low"), ("", "", "battery", "*battery")),
    Habit("cpu1", "mat_lin", "fat", 3, ("chenxu",), ("gw-bands", "激发态"), FAT_SIZES, ("normal",), ("", "battery")),
    Habit("cpu1", "mat_su_a", "cpu", 15, ("suqing", "tangwei"), ("lammps", "位错迁移"), CPU_SIZES, ("normal", "low")),
    Habit("cpu1", "mat_su_b", "cpu", 9, ("heyan",), ("gromacs-npt", "聚合物链"), CPU_SIZES),
    Habit("cpu1", "llm", "cpu", 5, ("guyan", "s_fanyu"), ("清洗语料", "tokenize"), CPU_SIZES[:4], ("normal", "high")),
    Habit("cpu1", "qiao", "cpu", 7, ("qiaomu", "luoxi"), ("render-frame", "三维重建"), CPU_SIZES[:5]),
    Habit("cpu1", "met", "cpu", 10, ("met_tang", "met_wu"), ("wrf-d02", "台风集合预报"), CPU_SIZES[3:], ("high", "normal")),
    Habit("cpu1", "qingyun", "cpu", 6, ("qy_zhao",), ("screen-7", "配方筛选"), CPU_SIZES[2:5]),
    Habit("cpu1", "guest", "cpu", 1, ("guest01", "guest02"), ("test", "hello"), CPU_SIZES[:2]),
    Habit("gpu1", "llm", "a100", 7, ("guyan", "penglan", "s_fanyu", "s_moran"), ("sft-7b", "大模型微调"), A100_SIZES,
          ("normal", "normal", "high")),
    Habit("gpu1", "llm", "h800", 3, ("guyan", "penglan"), ("pretrain-13b", "大模型预训练"), H800_SIZES, ("normal", "high")),
    Habit("gpu1", "vision", "a100", 5, ("hechuan", "jiangnan"), ("detr-coco", "医学影像分割"), A100_SIZES),
    Habit("gpu1", "vision", "mig", 8, ("jiangnan", "s_yeqiu"), ("notebook", "课程实验"), MIG_SIZES),
    Habit("gpu1", "joint", "a100", 4, ("guyan", "hechuan"), ("joint-eval", "联合评测"), A100_SIZES),
    Habit("gpu1", "qiao", "npu", 5, ("qiaomu", "luoxi"), ("ascend-yolo", "昇腾移植"), NPU_SIZES),
    Habit("gpu1", "met", "a100", 2, ("met_wu",), ("nowcast", "短临预报"), A100_SIZES),
    Habit("gpu1", "qingyun", "h800", 1, ("qy_zhao",), ("mol-diffusion",), H800_SIZES),
    Habit("gpu1", "mat_lin", "a100", 2, ("zhouqi",), ("deepmd-train", "势函数训练"), A100_SIZES, ("normal",), ("battery", "")),
)  # fmt: skip

UIDS = {user: 21_001 + n for n, user in enumerate(sorted({user for habit in HABITS for user in habit.users}))}


def _nodes() -> dict[tuple[str, str], list[Node]]:
    shapes = (
        ("cpu1", "cpu", "cn", 48, 64, 0),
        ("cpu1", "fat", "fat", 4, 96, 0),
        ("gpu1", "a100", "ga", 8, 64, 8),
        ("gpu1", "h800", "gh", 6, 128, 8),
        ("gpu1", "mig", "gm", 4, 64, 14),
        ("gpu1", "npu", "na", 4, 64, 8),
    )
    return {
        (cluster, partition): [Node(f"{prefix}{n:02d}", cpus, devices) for n in range(1, count + 1)]
        for cluster, partition, prefix, count, cpus, devices in shapes
    }


def _pick(chance: random.Random, weighted: Sequence[tuple[str, int]]) -> str:
    place = chance.randrange(sum(weight for _, weight in weighted))
    for word, weight in weighted:
        if place < weight:
            return word
        place -= weight
    raise AssertionError("the weights were counted above")


def _seconds(chance: random.Random) -> int:
    kind = int(_pick(chance, [(str(n), weight) for n, (_, _, weight) in enumerate(LENGTHS)]))
    low, high, _ = LENGTHS[kind]
    return low + chance.randrange(high - low)


def _one_of(chance: random.Random, words: Sequence[str]) -> str:
    return words[chance.randrange(len(words))]


def _wishes(chance: random.Random) -> list[tuple[int, Habit]]:
    """(submit, habit) of every job, in order of time."""
    wishes = []
    for day in range(FIRST_DAY, LAST_DAY + 1):
        # 31 August 2026, day 0, is a Monday.
        weekend = day % 7 in (5, 6)
        for habit in HABITS:
            count = max(1, habit.per_day // 3) if weekend else habit.per_day
            busy = count + chance.randrange(count + 1) - count // 2
            wishes += [(at(day) + chance.randrange(DAY), habit) for _ in range(max(0, busy))]
    return sorted(wishes, key=lambda wish: (wish[0], HABITS.index(wish[1])))


def _place(nodes: list[Node], submit: int, held: Held, seconds: int) -> tuple[int, list[str]]:
    """When and where it starts: the first quarter of an hour after `submit` with room."""
    start = submit + 4
    devices = sum(count for _, _, count in held.devices)
    while True:
        cpus = held.cpus // held.nodes
        free = [node for node in nodes if node.has_room(start, cpus, devices)][: held.nodes]
        if len(free) == held.nodes:
            for node in free:
                node.jobs.append((start + seconds, cpus, devices))
            return start, [node.name for node in free]
        start += 900


def ordinary_runs(seed: int) -> Iterator[Run]:
    """All ordinary jobs in the order of their ids; ids count up by cluster, leaving room for the special ones."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    nodes = _nodes()
    next_id = {"cpu1": 700_001, "gpu1": 310_001}
    for submit, habit in _wishes(chance):
        held = habit.sizes[chance.randrange(len(habit.sizes))]
        state, seconds = _pick(chance, ENDINGS), _seconds(chance)
        user = _one_of(chance, habit.users)
        limit = 720 if seconds < 10 * HOUR else 2880
        if state == "TIMEOUT":
            limit = max(1, seconds // 60)
            seconds = limit * 60 + chance.randrange(30)
        start, names = _place(nodes[habit.cluster, habit.partition], submit, held, seconds)
        if start >= READ_S:
            continue
        number = next_id[habit.cluster]
        next_id[habit.cluster] += 1 + chance.randrange(3)
        end: int | None = start + seconds
        if start + seconds > READ_S:
            state, end = "RUNNING", None
        yield Run(
            cluster=habit.cluster,
            job_id_raw=number,
            job_id=str(number),
            account=habit.account,
            user=user,
            partition=habit.partition,
            qos=_one_of(chance, habit.qos),
            state=f"CANCELLED by {UIDS[user]}" if state == "CANCELLED" else state,
            submit=submit,
            eligible=submit,
            start=start,
            end=end,
            held=held,
            name=_one_of(chance, habit.names).encode(),
            wckey=_one_of(chance, habit.wckeys),
            timelimit=limit,
            node_list=",".join(names),
        )
