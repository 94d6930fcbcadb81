"""Sites for tests of the command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sample_data.sources import folder


@pytest.fixture
def site(demo_en, tmp_path) -> Path:
    """A copy of the sample site."""
    return Path(shutil.copytree(demo_en.site, tmp_path / "site"))


@pytest.fixture
def new_site(tmp_path) -> Path:
    """The sample's configuration, nothing ingested."""
    place = tmp_path / "new"
    place.mkdir()
    for name in ("site.toml", "tariffs.toml"):
        shutil.copyfile(folder() / name, place / name)
    return place
