"""Makes the sample's files by `python -m sample_data.make`.

The two answers of sacct, gzipped, and expected.json. The same program makes the same bytes on every machine, save that
another zlib may pack the same text differently; a file whose text has not changed is left alone.
"""

from __future__ import annotations

import gzip
import json

from sample_data.expected import HERE, Table, work_out
from sample_data.ordinary import ordinary_runs
from sample_data.run import Run
from sample_data.special import cpu_runs, gpu_runs
from sample_data.text import cpu_text, gpu_text, steps_of

SEED = 20_260_901
CPU_FILE, GPU_FILE = "sacct-cpu1.txt.gz", "sacct-gpu1.txt.gz"


def all_runs() -> tuple[Run, ...]:
    """Every record of the sample, as sacct sorts them: by cluster, job id and submission."""
    runs = [*ordinary_runs(SEED), *cpu_runs(), *gpu_runs()]
    return tuple(sorted(runs, key=lambda run: (run.cluster, run.job_id_raw, run.submit)))


def of_cluster(runs: tuple[Run, ...], cluster: str) -> tuple[Run, ...]:
    """The runs of one cluster."""
    return tuple(run for run in runs if run.cluster == cluster)


def texts() -> dict[str, bytes]:
    """The answers of sacct by file name, not yet packed."""
    runs = all_runs()
    return {CPU_FILE: cpu_text(of_cluster(runs, "cpu1")), GPU_FILE: gpu_text(of_cluster(runs, "gpu1"))}


def figures() -> Table:
    """What expected.json says."""
    runs = all_runs()
    return work_out(runs, {"cpu1": 0, "gpu1": steps_of(of_cluster(runs, "gpu1"))})


def figures_text() -> str:
    """expected.json as it stands in the file."""
    return json.dumps(figures(), ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write what has changed."""
    for name, data in texts().items():
        path = HERE / name
        if not path.exists() or gzip.decompress(path.read_bytes()) != data:
            path.write_bytes(gzip.compress(data, 9, mtime=0))
    (HERE / "expected.json").write_text(figures_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
