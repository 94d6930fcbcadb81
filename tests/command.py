"""The command as a user calls it, in this process or in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hesuan.cli import run

PROGRAM = (sys.executable, "-c", "from hesuan.cli import main; main()")


@dataclass(frozen=True)
class Said:
    """What a call printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def hesuan(*words: object, site: Path | None = None, lang: str = "en") -> Said:
    """Call the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    place = ["--site", str(site)] if site else []
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["--lang", lang, *place, *map(str, words)])
    return Said(code, out.getvalue(), err.getvalue())


def environment(**more: str) -> dict[str, str]:
    """The environment of a child without what a developer may have set."""
    return {name: word for name, word in os.environ.items() if not name.startswith("HESUAN_")} | more


def start(*words: object, site: Path | None = None, lang: str = "en", **more: str) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    place = ["--site", str(site)] if site else []
    return subprocess.Popen(
        [*PROGRAM, "--lang", lang, *place, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**more),
    )


def hesuan_alone(*words: object, site: Path | None = None, lang: str = "en", **more: str) -> Said:
    """Call the command in a process of its own and wait for its end."""
    process = start(*words, site=site, lang=lang, **more)
    out, err = process.communicate(timeout=120)
    return Said(process.returncode, out.decode(), err.decode())
