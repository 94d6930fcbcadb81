"""What many tests share: the sample site, gone through once by the demo in each language."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Said, hesuan

for _name in [name for name in os.environ if name.startswith("HESUAN_")]:
    del os.environ[_name]  # a developer's own site is no business of the tests


@dataclass(frozen=True)
class Demo:
    """What a demo left: its folder, and what it said."""

    out: Path
    said: Said

    @property
    def site(self) -> Path:
        return self.out / "site"

    @property
    def bills(self) -> Path:
        return self.out / "bills"


def _demo(folder: Path, lang: str) -> Demo:
    out = folder / "demo"
    said = hesuan("demo", "--out", out, lang=lang)
    assert said.code == 0, said.err
    return Demo(out, said)


@pytest.fixture(scope="session")
def demo_zh(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo in Chinese. Read only: tests that change anything copy it."""
    return _demo(tmp_path_factory.mktemp("demo-zh"), "zh")


@pytest.fixture(scope="session")
def demo_again(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo in Chinese once more, in another folder."""
    return _demo(tmp_path_factory.mktemp("demo-again"), "zh")


@pytest.fixture(scope="session")
def demo_en(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The same in English, in another folder."""
    return _demo(tmp_path_factory.mktemp("demo-en"), "en")
