"""`hesuan tariff simulate`: the sample's September under a book whose A100 hours cost half as much again."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from hesuan.cli import run


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    assert run(["--quiet", "demo", "--out", str(out)]) == 0
    return out / "site"


def simulated(
    site: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, tuple[Decimal, Decimal]]:
    capsys.readouterr()
    assert run(["--site", str(site), "tariff", "simulate", "2026-09", "--book", str(book), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {each["tenant"]: (Decimal(each["now"]), Decimal(each["then"])) for each in found}


def test_the_same_book_changes_nothing(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = simulated(site, site / "tariffs.toml", capsys)
    assert len(found) == 8
    assert all(now == then for now, then in found.values())


def test_dearer_cards_cost_those_who_use_them(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All prices doubled: every bill doubles, but for the rounding of its lines; the site's own mart stays as it was."""
    said = (site / "tariffs.toml").read_text(encoding="utf-8")
    doubled = re.sub(
        r'((?:list_)?price = )"([0-9.]+)"', lambda found: f'{found[1]}"{Decimal(found[2]) * 2}"', said
    )
    book = tmp_path / "other.toml"
    book.write_text(doubled, encoding="utf-8")
    before = (site / "mart" / "manifest.json").read_bytes()
    found = simulated(site, book, capsys)
    for now, then in found.values():
        assert abs(then - 2 * now) < Decimal("0.20")
    assert sum(then for _, then in found.values()) > sum(now for now, _ in found.values())
    assert (site / "mart" / "manifest.json").read_bytes() == before
