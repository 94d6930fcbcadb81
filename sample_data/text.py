"""The sample's runs as sacct prints them: epoch times behind 0x1F for cpu1, naive local times behind | for gpu1."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sample_data.run import READ_S, Held, Run

# sacct -a -X -D -p --noconvert --delimiter=0x1F with SLURM_TIME_FORMAT=%s.
CPU_COLUMNS = (
    "DBIndex", "Cluster", "JobIDRaw", "JobID", "Account", "User", "Partition", "QOS", "WCKey", "Reservation", "State",
    "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "TimelimitRaw", "AllocTRES", "NNodes", "NodeList",
    "ConsumedEnergyRaw", "JobName",
)  # fmt: skip
# sacct -a -D -P --noconvert, steps and all, as many a site keeps it.
GPU_COLUMNS = (
    "JobIDRaw", "JobID", "Account", "User", "Partition", "QOS", "WCKey", "State", "Submit", "Eligible", "Start", "End",
    "ElapsedRaw", "Suspended", "TimelimitRaw", "AllocTRES", "NNodes", "NodeList", "JobName",
)  # fmt: skip
SHANGHAI = timedelta(hours=8)


def alloc_tres(held: Held) -> str:
    """AllocTRES as `sacct --noconvert` has it: words in the order of their names, memory in M."""
    if not held.cpus:
        return ""
    totals: dict[str, int] = {}
    for kind, model, count in held.devices:
        if held.generic or not model:
            totals[f"gres/{kind}"] = totals.get(f"gres/{kind}", 0) + count
        if model:
            totals[f"gres/{kind}:{model}"] = count
    # 22.05 and later: the typed count stands before the generic one.
    gres = [
        f"{name}={count}"
        for name, count in sorted(totals.items(), key=lambda item: (":" not in item[0], item[0]))
    ]
    return ",".join(
        [f"billing={held.cpus}", f"cpu={held.cpus}", *gres, f"mem={held.mem_mib}M", f"node={held.nodes}"]
    )


def clock(seconds: int) -> str:
    """Suspended: HH:MM:SS, with days where there are any."""
    days, rest = divmod(seconds, 86_400)
    text = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{text}" if days else text


def local(seconds: int) -> str:
    """Wall time in Asia/Shanghai, without zone."""
    return f"{datetime.fromtimestamp(seconds, UTC) + SHANGHAI:%Y-%m-%dT%H:%M:%S}"


def _moment(seconds: int | None, *, epoch: bool, never: str) -> str:
    if seconds is None:
        return never
    return str(seconds) if epoch else local(seconds)


def _values(run: Run, number: int, *, epoch: bool) -> dict[str, bytes]:
    # 'None' for a start that never came, 'Unknown' for what is still to come.
    never = "None" if run.start is None and run.end is not None else "Unknown"
    start = _moment(run.start, epoch=epoch, never=never)
    texts = {
        "DBIndex": str(5_200_000 + number),
        "Cluster": run.cluster,
        "JobIDRaw": str(run.job_id_raw),
        "JobID": run.job_id,
        "Account": run.account,
        "User": run.user,
        "Partition": run.partition,
        "QOS": run.qos,
        "WCKey": run.wckey,
        "Reservation": "",
        "State": run.state,
        "Submit": _moment(run.submit, epoch=epoch, never="Unknown"),
        "Eligible": _moment(run.eligible, epoch=epoch, never="Unknown"),
        "Start": start if run.readable else start.replace(":", "?", 1),
        "End": _moment(run.end, epoch=epoch, never="Unknown"),
        "ElapsedRaw": str(run.elapsed),
        "Suspended": clock(run.suspended),
        "TimelimitRaw": str(run.timelimit),
        "AllocTRES": alloc_tres(run.held),
        "NNodes": str(run.held.nodes),
        "NodeList": run.node_list or "None assigned",
        "ConsumedEnergyRaw": "",
    }
    return {**{name: text.encode() for name, text in texts.items()}, "JobName": run.name}


def cpu_text(runs: Sequence[Run]) -> bytes:
    """The whole answer of sacct for cpu1: a delimiter after every field, also the last."""
    lines = [b"".join(name.encode() + b"\x1f" for name in CPU_COLUMNS)]
    for number, run in enumerate(runs):
        values = _values(run, number, epoch=True)
        lines.append(b"".join(values[name] + b"\x1f" for name in CPU_COLUMNS))
    return b"\n".join(lines) + b"\n"


def _step(run: Run, suffix: str) -> dict[str, bytes]:
    """A step's row: no user, partition or QOS; its submit is its start."""
    start, end = local(run.start or READ_S), local(run.end) if run.end else "Unknown"
    texts = {
        "JobIDRaw": f"{run.job_id_raw}.{suffix}",
        "JobID": f"{run.job_id}.{suffix}",
        "Account": run.account,
        "State": run.state.partition(" ")[0],
        "Submit": start,
        "Eligible": start,
        "Start": start,
        "End": end,
        "ElapsedRaw": str(run.elapsed),
        "Suspended": clock(run.suspended),
        "AllocTRES": alloc_tres(run.held).partition(",")[2],
        "NNodes": str(run.held.nodes),
        "NodeList": run.node_list,
        "JobName": suffix,
    }
    return {name: texts.get(name, "").encode() for name in GPU_COLUMNS}


def gpu_text(runs: Sequence[Run]) -> bytes:
    """The whole answer of sacct for gpu1, with the batch and extern steps of what ran."""
    lines = [b"|".join(name.encode() for name in GPU_COLUMNS)]
    for number, run in enumerate(runs):
        rows = [_values(run, number, epoch=False)]
        if run.start is not None and run.readable:
            rows += [_step(run, suffix) for suffix in ("batch", "extern")]
        lines += [b"|".join(row[name] for name in GPU_COLUMNS) for row in rows]
    return b"\n".join(lines) + b"\n"


def steps_of(runs: Sequence[Run]) -> int:
    """Step rows that `gpu_text` prints for these runs."""
    return 2 * sum(run.start is not None and run.readable for run in runs)
