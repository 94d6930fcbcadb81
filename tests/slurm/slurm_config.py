"""Configuration files of a whole Slurm on one host: folder, ports, slurm.conf, slurmdbd.conf, gres.conf, munge's key.

Ports lie below 32768: above begins what Linux hands out to clients, and a daemon that finds its port taken by one
fails to start now and then.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

NODES = ("cpu1", "cpu2", "gpu1")
FOLDERS = ("etc", "log", "run", "state", "mysql", "munge", "work", "dev", *(f"spool/{n}" for n in NODES))
CLUSTER = "realtest"
FIRST_PORT = 17000
LAST_PORT = 32700


def free_ports(count: int) -> list[int]:
    """`count` ports of 127.0.0.1 that nobody listens on."""
    found: list[int] = []
    for port in range(FIRST_PORT, LAST_PORT):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    message = f"no {count} free ports between {FIRST_PORT} and {LAST_PORT}"
    raise RuntimeError(message)


def _slurm_conf(folder: Path, host: str, ports: Sequence[int]) -> str:
    """slurm.conf: quick scheduling, memory and cores consumable, GPUs tracked, one port for each slurmd."""
    ctld, dbd, *slurmd = ports
    gib = 1024
    shapes = {
        "cpu": f"CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory={16 * gib}",
        "gpu": f"CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory={64 * gib}"
        " Gres=gpu:a100:2",
    }
    nodes = "\n".join(
        f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} {shapes[name[:3]]}"
        for name, port in zip(NODES, slurmd, strict=True)
    )
    return f"""
ClusterName={CLUSTER}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=1
KillWait=2
MinJobAge=600
# made-up CPUs, memory and GPUs: what the configuration says counts, not what the machine has
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
# sacctmgr looks for munge's socket here, AuthInfo is not enough for it
AccountingStoragePass={folder}/run/munge.socket
AccountingStorageEnforce=associations
AccountingStorageTRES=gres/gpu,gres/gpu:a100
JobAcctGatherType=jobacct_gather/linux
GresTypes=gpu
{nodes}
PartitionName=cpu Nodes=cpu[1-2] Default=YES DefaultTime=10 State=UP
PartitionName=gpu Nodes=gpu1 DefaultTime=10 State=UP
"""


def _slurmdbd_conf(folder: Path, dbd_port: int, db_port: int) -> str:
    return f"""
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.socket
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={db_port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
"""


def _cgroup_plugin() -> str:
    """The cgroup plugin that touches no cgroup: 'disabled' came with 23.02, before it v1 does nothing until used."""
    version = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout
    year = int(version.split()[1].split(".")[0])
    return "disabled" if year >= 23 else "cgroup/v1"


def configure(folder: Path, ports: Sequence[int]) -> None:
    """Folders, configuration files, munge's key and two device files that stand for GPUs."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)  # the jobs' users must reach the munge socket
    (folder / "work").chmod(0o1777)
    shutil.chown(folder / "mysql", "mysql", "mysql")
    shutil.chown(folder / "run", user=None, group="mysql")
    (folder / "run").chmod(0o775)
    host = socket.gethostname().split(".")[0]
    db_port, *slurm_ports = ports
    etc = folder / "etc"
    (etc / "slurm.conf").write_text(_slurm_conf(folder, host, slurm_ports), encoding="utf-8")
    dbd = etc / "slurmdbd.conf"
    dbd.touch(mode=0o600)
    dbd.write_text(_slurmdbd_conf(folder, slurm_ports[1], db_port), encoding="utf-8")
    (etc / "cgroup.conf").write_text(f"CgroupPlugin={_cgroup_plugin()}\n", encoding="utf-8")
    # A line with Count= only is reported as 0 GPUs by Slurm 22.05: it wants device files.
    for number in range(2):
        os.mknod(folder / "dev" / f"gpu{number}", 0o020666, os.makedev(1, 3))
    (etc / "gres.conf").write_text(
        f"NodeName=gpu1 Name=gpu Type=a100 File={folder}/dev/gpu[0-1]\n", encoding="utf-8"
    )
    key = folder / "munge" / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
