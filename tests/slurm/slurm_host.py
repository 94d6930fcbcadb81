"""A whole Slurm on one host, for tests: MariaDB, munge, slurmdbd, slurmctld and three slurmd, all on 127.0.0.1.

Everything lies in one temporary folder (its own munge key, database, configuration, logs) and listens on free
ports. Nothing of the system's own Slurm, munge or MariaDB is used or changed; jobs run as
system users that every Debian has. `slurm_host()` starts it and, whatever happens, stops it and removes the folder.

Needs root on Debian or a relative of it. Missing packages are installed by apt with a policy-rc.d that keeps their
system services from starting.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slurm_config import CLUSTER, NODES, configure, free_ports

PACKAGES = ("slurmctld", "slurmd", "slurmdbd", "slurm-client", "munge", "mariadb-server")
# account -> its user, a system user of every Debian. lab is the parent of physics and chem.
ACCOUNT_USERS = {"physics": "games", "chem": "news", "ai": "irc"}


def checked(*command: str, check: bool = True, **how: Any) -> str:
    """Run a command; its standard output without the last newline.

    Raises:
        RuntimeError: it failed and `check` holds; with all that it said.
    """
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **how)
    if check and done.returncode:
        message = f"{' '.join(command)}: exit {done.returncode}: {done.stderr}{done.stdout}"
        raise RuntimeError(message)
    return done.stdout.rstrip("\n")


@dataclass(frozen=True)
class SlurmHost:
    """A running Slurm.

    Attributes:
        folder: the temporary folder that holds all of it.
        env: the environment in which its commands (sbatch, sacct, sreport …) find it. TZ is UTC.
    """

    folder: Path
    env: dict[str, str]

    def run(self, *command: str, user: str | None = None, check: bool = True) -> str:
        """Run a command of Slurm, as root or as `user`; its standard output without the last newline."""
        folder, groups = self.folder / "work", [] if user else None
        return checked(*command, check=check, env=self.env, cwd=folder, user=user, extra_groups=groups)

    def submit(self, account: str, script: str, *options: str) -> int:
        """Submit a batch job under `account` as that account's user; its job id (JobIDRaw)."""
        out = self.run(
            "sbatch", "--parsable", "-o", "/dev/null", "-A", account, *options, "--wrap", script,
            user=ACCOUNT_USERS[account],
        )  # fmt: skip
        return int(out.split(";")[0])

    def state(self, job: int) -> str:
        """The job's state as slurmctld has it, '' when it has left the queue."""
        lines = self.run("squeue", "-h", "-j", str(job), "-o", "%T", check=False).splitlines()
        return lines[0] if lines else ""

    def reconfigure_slurmdbd(self) -> None:
        """Have slurmdbd read its configuration again."""
        os.kill(int((self.folder / "run" / "slurmdbd.pid").read_text()), signal.SIGHUP)
        time.sleep(1.0)


def why_not() -> str | None:
    """Why a real Slurm cannot be started here, or None where it can."""
    if os.geteuid() != 0:
        return "starts Slurm's daemons: needs root"
    if shutil.which("apt-get") is None or shutil.which("dpkg-query") is None:
        return "installs Slurm with apt: needs Debian or a relative of it"
    return None


def wait_for(what: str, ready: Callable[[], bool], seconds: float = 40.0) -> None:
    """Wait until `ready()`.

    Raises:
        TimeoutError: it names `what`; the daemons' last words are in their logs.
    """
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            message = f"{what}: not there after {seconds:.0f} s"
            raise TimeoutError(message)
        time.sleep(0.15)


def install_packages() -> None:
    """Install what of PACKAGES is missing, without starting any system service."""
    known = checked("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *PACKAGES, check=False)
    missing = [p for p in PACKAGES if f"{p} installed" not in known.splitlines()]
    if not missing:
        return
    policy = Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="ascii")
        policy.chmod(0o755)
    try:
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        checked("apt-get", "-q", "update", env=env)
        install = ("apt-get", "-q", "install", "-y", "--no-install-recommends")
        checked(*install, *missing, env=env)
    finally:
        if ours:
            policy.unlink()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a daemon that we started: asked first, then killed."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _daemon(folder: Path, name: str, *command: str, env: dict[str, str] | None = None) -> Iterator[None]:
    """A daemon in the foreground as our child, its output in log/NAME.out; stopped at the end of the block."""
    with (folder / "log" / f"{name}.out").open("wb") as out:
        process = subprocess.Popen(
            command, env=env, cwd=folder / "work", stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield
    finally:
        _stop(process)


def _descendants(pid: int) -> Iterator[int]:
    """The process and all that it started, children first."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield from _descendants(int(child))
    yield pid


def _kill_steps(folder: Path) -> None:
    """End the job steps of this folder's slurmd, which outlive it, with all that they started."""
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):
            if (process / "comm").read_text().strip() != "slurmstepd":
                continue
            open_files = (fd.readlink() for fd in (process / "fd").iterdir())
            if any(file.is_relative_to(folder) for file in open_files):
                for pid in _descendants(int(process.name)):
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)


def _succeeds(act: Callable[[], object]) -> bool:
    """Whether a command does not fail."""
    try:
        act()
    except (RuntimeError, subprocess.TimeoutExpired):
        return False
    return True


def _start_database(stack: ExitStack, folder: Path, port: int) -> None:
    """MariaDB with utf8mb4 (latin1 would turn Chinese job names into ???? for good) and Slurm's database user.

    --force: the host's own name need not resolve.
    """
    data, sock = folder / "mysql", folder / "run" / "mysqld.sock"
    checked(
        "mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={data}", "--skip-test-db",
        "--auth-root-authentication-method=socket", "--force",
    )  # fmt: skip
    stack.enter_context(
        _daemon(
            folder, "mariadbd", "mariadbd", "--no-defaults", "--user=mysql", f"--datadir={data}", f"--socket={sock}",
            "--bind-address=127.0.0.1", f"--port={port}", "--skip-name-resolve",
            "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci",
            "--innodb-lock-wait-timeout=900", "--loose-innodb-snapshot-isolation=OFF",
            "--innodb-flush-log-at-trx-commit=0", f"--pid-file={folder}/run/mysqld.pid",
        )
    )  # fmt: skip
    client = ("mariadb", "--no-defaults", "-S", str(sock), "-u", "root", "-e")
    wait_for("MariaDB", lambda: _succeeds(lambda: checked(*client, "select 1")))
    for sql in (
        "create database slurm_acct",
        "create user slurm@'127.0.0.1' identified by 'slurm'",
        "grant all on slurm_acct.* to slurm@'127.0.0.1'",
    ):
        checked(*client, sql)


def _add_accounts(host: SlurmHost) -> None:
    """The account tree: lab over physics and chem, and ai, each with its user."""
    add = ("sacctmgr", "-i", "add")
    host.run(*add, "account", "lab", "Description=lab", "Organization=science")
    host.run(*add, "account", "physics", "parent=lab", "Description=physics", "Organization=science")
    host.run(*add, "account", "chem", "parent=lab", "Description=chem", "Organization=science")
    host.run(*add, "account", "ai", "Description=ai", "Organization=engineering")
    for account, user in ACCOUNT_USERS.items():
        host.run(*add, "user", user, f"account={account}", f"defaultaccount={account}")


@contextmanager
def slurm_host() -> Iterator[SlurmHost]:
    """Start Slurm, give it, stop it and remove its folder."""
    install_packages()
    for user in ACCOUNT_USERS.values():
        pwd.getpwnam(user)
    folder = Path(tempfile.mkdtemp(prefix="hesuan-slurm-"))
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SACCT_", "SBATCH_"))},
        "SLURM_CONF": str(folder / "etc" / "slurm.conf"),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
    }
    host = SlurmHost(folder, env)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        ports = free_ports(3 + len(NODES))
        configure(folder, ports)
        _start_database(stack, folder, ports[0])
        munge = folder / "run" / "munge.socket"
        stack.enter_context(
            _daemon(
                folder, "munged", "munged", "--foreground", "--force", f"--socket={munge}",
                f"--key-file={folder}/munge/munge.key", f"--pid-file={folder}/run/munged.pid",
                f"--seed-file={folder}/munge/munge.seed",
            )
        )  # fmt: skip
        wait_for("munge", munge.exists)
        stack.enter_context(
            _daemon(
                folder, "slurmdbd", "slurmdbd", "-D",
                env={**env, "SLURM_CONF": str(folder / "etc" / "slurmdbd.conf")},
            )
        )  # fmt: skip
        wait_for("slurmdbd", lambda: _succeeds(lambda: host.run("sacctmgr", "-n", "show", "stats")))
        host.run("sacctmgr", "-i", "add", "cluster", CLUSTER)
        stack.enter_context(_daemon(folder, "slurmctld", "slurmctld", "-D", env=env))
        wait_for("slurmctld", lambda: _succeeds(lambda: host.run("scontrol", "ping")))
        stack.callback(_kill_steps, folder)
        for node in NODES:
            stack.enter_context(_daemon(folder, f"slurmd.{node}", "slurmd", "-D", "-N", node, env=env))
        wait_for(
            "all nodes idle",
            lambda: host.run("sinfo", "-h", "-N", "-o", "%N %t").count(" idle") == len(NODES),
        )
        _add_accounts(host)
        yield host
