"""What the pull may see: is the cluster one that slurmdbd knows, and may this account see everybody's jobs?

Both go wrong in silence. sacct answers for a mistyped cluster name with a header, no rows, no word and exit code 0;
and where slurmdbd.conf says PrivateData=jobs it shows an ordinary account its own jobs alone, the same way
(both seen with Slurm 22.05.8). So sacctmgr, which is installed beside sacct, is asked first.
"""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Sequence
from pathlib import Path

from ingest.live_command import run
from models.errors import Finding, HesuanError


def _asked(argv: Sequence[str], folder: Path, timeout_s: float) -> str:
    """What a command of Slurm prints; HesuanError where it fails."""
    out = folder / "site.out"
    run(argv, out, timeout_s=timeout_s).check()
    return out.read_text(encoding="utf-8", errors="replace")


def hides_jobs(config: str) -> bool:
    """Whether `sacctmgr show config` says that slurmdbd keeps jobs private.

    slurm.conf's PrivateData comes first in it and is about squeue; slurmdbd's comes last and is about sacct.
    """
    values = re.findall(r"^PrivateData\s*=\s*(.*)$", config, re.MULTILINE)
    return bool(values) and not {"jobs", "all"}.isdisjoint(re.split(r"[,\s]+", values[-1].lower()))


def is_slurm_user(config: str, user_id: int) -> bool:
    """Whether the account is root or the SlurmUser of `sacctmgr show config`: those see everything."""
    return user_id == 0 or str(user_id) in re.findall(r"^SlurmUser\w*\s*=.*\((\d+)\)", config, re.MULTILINE)


def check_site(sacct: str, cluster: str, folder: Path, timeout_s: float) -> tuple[Finding, ...]:
    """See that slurmdbd knows the cluster and shows this account every job.

    Args:
        sacct: the program's path; sacctmgr is looked for beside it.
        cluster: the name as given by the user.
        folder: where the answers may be put.
        timeout_s: how long one question may take, in seconds.

    Returns:
        A finding where there is no sacctmgr to ask.

    Raises:
        HesuanError: `live.no_cluster`, `live.private_jobs`, or sacctmgr itself failed.
    """
    program = Path(sacct).with_name("sacctmgr")
    if not os.access(program, os.X_OK):
        return (
            Finding(
                "sacct", str(program), "site-not-checked",
                "no sacctmgr beside sacct: whether slurmdbd knows this cluster and shows this account all jobs"
                " was not checked; compare the bill's job count with the site's own",
            ),
        )  # fmt: skip
    sacctmgr = [str(program), "-n", "-P", "show"]
    clusters = _asked([*sacctmgr, "cluster", "format=cluster"], folder, timeout_s).split()
    if cluster not in clusters:
        raise HesuanError("live.no_cluster", cluster=cluster, known=", ".join(clusters) or "-")
    config = _asked([*sacctmgr, "config"], folder, timeout_s)
    if hides_jobs(config) and not is_slurm_user(config, os.geteuid()):
        user = pwd.getpwuid(os.geteuid()).pw_name
        level = _asked([*sacctmgr, "user", user, "format=adminlevel"], folder, timeout_s).strip()
        if level not in ("Operator", "Administrator"):
            raise HesuanError("live.private_jobs", user=user)
    return ()
