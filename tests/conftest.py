"""What many tests share: the sample site, gone through once by the demo in each language."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Said, hesuan
from sample import PERIODS, Rows, rows_of

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


def _demo(folder: Path, lang: str, *options: str) -> Demo:
    out = folder / "demo"
    said = hesuan(*options, "demo", "--out", out, lang=lang)
    assert said.code == 0, said.err
    return Demo(out, said)


@pytest.fixture(scope="session")
def demo_zh(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo in Chinese. Read only: tests that change anything copy it."""
    return _demo(tmp_path_factory.mktemp("demo-zh"), "zh")


@pytest.fixture(scope="session")
def demo_again(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo in Chinese once more, in another folder, asked to be quiet."""
    return _demo(tmp_path_factory.mktemp("demo-again"), "zh", "--quiet")


@pytest.fixture(scope="session")
def demo_en(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The same in English, in another folder, where a terminal would be narrow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "30")
        return _demo(tmp_path_factory.mktemp("demo-en"), "en")


@pytest.fixture(scope="session")
def exports(demo_zh, tmp_path_factory) -> dict[tuple[str, str], Rows]:
    """(kind, period) -> rows of the CSV."""
    out = tmp_path_factory.mktemp("exports")
    found = {}
    for kind in ("usage", "charges", "findings"):
        for period in PERIODS:
            path = out / f"{kind}-{period}.csv"
            said = hesuan("export", kind, period, "--out", path, site=demo_zh.site)
            assert said.code == 0, said.err
            found[kind, period] = rows_of(path)
            assert f"{len(found[kind, period])} rows in {path}\n" == said.out
    return found


@pytest.fixture(scope="session")
def all_bills(demo_zh, tmp_path_factory) -> dict[str, Path]:
    """Period -> folder of its bills in every format."""
    out = tmp_path_factory.mktemp("bills")
    for period in PERIODS:
        said = hesuan(
            "report",
            "bill",
            period,
            "--out",
            out / period,
            "--format",
            "pdf,xlsx,csv,parquet",
            site=demo_zh.site,
            lang="zh",
        )
        assert said.code == 0, said.err
    return {period: out / period for period in PERIODS}
