"""Help in both languages: every command has examples, and every example is one that the command understands."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

import pytest
from command import PROGRAM, environment, hesuan

# Every command's help in the language of HESUAN_LANG, which is fixed when the command is loaded: a process a language.
WALK = """
import contextlib, io, json
from typer.main import get_command
from hesuan.cli import app, run

def leaves(command, path=()):
    inside = getattr(command, "commands", None)
    if inside is None:
        yield path
    for name, child in (inside or {}).items():
        yield from leaves(child, (*path, name))

found = {}
for path in [(), *leaves(get_command(app))]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run([*path, "--help"]) == 0
    found[" ".join(path)] = out.getvalue()
print(json.dumps(found))
"""
COMMANDS = (
    "init",
    "ingest slurm",
    "build",
    "check",
    "report bill",
    "report reconciliation",
    "export",
    "explain",
    "demo",
)


@pytest.fixture(scope="module")
def helps() -> dict[str, dict[str, str]]:
    """Language -> command -> its help."""
    return {
        lang: json.loads(
            subprocess.run(
                [sys.executable, "-c", WALK],
                env=environment(HESUAN_LANG=lang, COLUMNS="200"),
                check=True,
                capture_output=True,
            ).stdout
        )
        for lang in ("zh", "en")
    }


def _examples(said: str) -> list[str]:
    return [line.strip() for line in said.splitlines() if re.match(r"\s+hesuan [a-z-]", line)]


def test_both_languages_know_the_same_commands(helps):
    assert set(helps["zh"]) == set(helps["en"]) >= {*COMMANDS, ""}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_command_has_an_example_that_it_understands(helps, lang):
    for command, said in helps[lang].items():
        examples = _examples(said)
        assert any(f"hesuan {command}" in re.sub(r"--(lang|site) \S+ ", "", line) for line in examples), (
            command
        )
        for line in examples:
            words = shlex.split(re.split(r"  +| && ", line)[0])[
                1:
            ]  # a remark, or a second command, may follow
            # An option that is not known is refused before --help is looked at.
            assert hesuan(*words, "--help").code == 0, line


@pytest.mark.parametrize(("lang", "mark"), [("zh", r"[一-鿿]"), ("en", r"[A-Za-z]")])
def test_help_speaks_the_language_that_was_asked_for(helps, lang, mark):
    for command, said in helps[lang].items():
        told = [
            line
            for line in said.splitlines()
            if line.startswith("  ") and not line.strip().startswith(("hesuan", "--help"))
        ]
        prose = [line for line in told if re.search(r"[A-Za-z一-鿿]{2}", line) and "--" not in line]
        assert prose, command
        assert re.search(mark, prose[0]), (command, prose[0])
        if lang == "en":
            assert not re.search(r"[一-鿿]", said.replace("示例", "")), command


def test_help_shows_what_every_option_is_for(helps):
    for said in helps["zh"].values():
        for line in said.splitlines():
            if re.match(r"  (-\w, )?--(?!help)\w", line):
                assert re.search(r"[一-鿿]", line), line


def test_no_command_at_all_shows_the_help():
    alone = subprocess.run([*PROGRAM], env=environment(), check=False, capture_output=True)
    assert alone.returncode == 2
    assert "hesuan build 2026-09" in (alone.stdout + alone.stderr).decode()
    assert hesuan("report").code == 2


def test_an_option_that_no_command_has_is_misuse():
    for words in (
        ("nonsense",),
        ("--nope",),
        ("build",),
        ("build", "2026-09", "--nope"),
        ("explain", "2026-09", "x", "--runs", "-1"),
    ):
        said = hesuan(*words)
        assert (said.code, said.out) == (2, "")
        assert said.err
        assert "Traceback" not in said.err
