"""hesuan init: templates that read without a fault, name every key, and never replace a file."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from hesuan import site_tables
from hesuan.init import init_site
from hesuan.site import read_site
from models import tariff_tables
from models.errors import HesuanError
from models.tariff import RUN_STATES
from models.tariff_file import read_price_book


def test_the_templates_are_a_sound_site(tmp_path):
    directory = tmp_path / "new" / "site"
    assert init_site(directory) == (directory / "site.toml", directory / "tariffs.toml")
    site = read_site(directory)
    book = read_price_book(directory / "tariffs.toml", site.accelerators)
    assert (site.timezone, site.currency, book.currency) == ("Asia/Shanghai", "CNY", "CNY")
    assert {tenant.user_class for tenant in site.tenants} == {"internal", "partner", "external"}
    assert {price.resource for price in book.versions[0].prices} == {"cpu", "gpu:a100", "gpu:h800"}
    classes = {tenant.user_class for tenant in site.tenants}
    assert {price.user_class for price in book.versions[0].prices} <= {*classes, "*"}
    assert {price.cluster for price in book.versions[0].prices} <= {*site.clusters, "*"}
    assert all(Decimal(0) <= price.price <= price.list_price for price in book.versions[0].prices)


@pytest.mark.parametrize(
    ("name", "homes"), [("site.toml", site_tables.HOMES), ("tariffs.toml", tariff_tables.HOMES)]
)
def test_the_templates_name_every_key(tmp_path, name, homes):
    init_site(tmp_path)
    content = (tmp_path / name).read_text(encoding="utf-8")
    for header, keys in homes.items():
        assert header in content
        for key in keys:
            assert re.search(rf"^(# .*)?\b{key}\b", content, re.MULTILINE), key


def test_the_price_template_names_every_state(tmp_path):
    init_site(tmp_path)
    content = (tmp_path / "tariffs.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{state}\b", content) for state in RUN_STATES)


@pytest.mark.parametrize("name", ["site.toml", "tariffs.toml"])
def test_a_file_that_is_there_is_left_alone(tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(HesuanError) as caught:
        init_site(tmp_path)
    assert caught.value.key == "site.exists"
    assert str(tmp_path / name) in caught.value.text("zh")
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_a_dangling_link_is_left_alone(tmp_path):
    (tmp_path / "site.toml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HesuanError) as caught:
        init_site(tmp_path)
    assert caught.value.key == "site.exists"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("inside", ["", "below"])
def test_a_place_that_is_no_directory(tmp_path, inside):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(HesuanError) as caught:
        init_site(tmp_path / "file" / inside)
    assert caught.value.key == "site.not_writable"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
