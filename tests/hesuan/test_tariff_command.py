"""hesuan tariff check, show, diff: what they answer, in both languages and as JSON, with their exit codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import hesuan

from hesuan.init import init_site

RULES = """
[[version.band]]
name = "夜间"
name_en = "Night"
items = ["CPU-*"]
factor = "0.5"
from = "23:00"
to = "07:00"
[[version.quota]]
name = "免费"
name_en = "Free hours"
items = ["CPU-STD"]
owner = "tenant"
tenants = ["chem-li"]
amount = "12345.5"
reset = "month"
[[version.credit]]
name = "赠送"
name_en = "Bonus"
tenant = "chem-li"
amount = "500.00"
valid_from = 2026-09-01
[[version.meter]]
name = "核当量"
resource = "cpu"
max_of = { cpu = "1", mem = "0.25" }
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The site of hesuan init."""
    init_site(tmp_path / "site")
    return tmp_path / "site"


def change(file: Path, old: str, new: str, count: int = 1) -> None:
    content = file.read_text(encoding="utf-8")
    assert old in content
    file.write_text(content.replace(old, new, count), encoding="utf-8")


def add(site: Path, rules: str = RULES) -> None:
    file = site / "tariffs.toml"
    file.write_text(file.read_text(encoding="utf-8") + rules, encoding="utf-8")


# --- check


def test_the_site_of_init_is_sound(site):
    said = hesuan("tariff", "check", site=site, lang="zh")
    assert (said.code, said.err) == (0, "")
    first, last = said.out.splitlines()
    assert first.startswith(
        "2026a：2026-01-01 起；批准：示例大学校长办公会 2025-12-18；价格 14 行；规则：无；指纹 "
    )
    assert last == "没有错误：1 个版本，0 条提醒。"
    assert hesuan("-q", "tariff", "check", site=site).out == ""


def test_check_counts_rules_by_kind(site):
    add(site)
    said = hesuan("tariff", "check", site=site, lang="en")
    assert said.code == 0
    assert "14 price rows; rules: meter 1, quota 1, band 1, credit 1; hash " in said.out


def test_check_as_json(site):
    add(site)
    change(site / "site.toml", 'currency = "CNY"', 'currency = "HKD"')
    said = hesuan("tariff", "check", "--json", site=site)
    assert said.code == 1
    (version,) = said.json["versions"]
    assert (said.json["currency"], version["id"], version["valid_to"], version["rows"]) == (
        "CNY",
        "2026a",
        None,
        14,
    )
    assert version["rules"] == {"meter": 1, "quota": 1, "band": 1, "credit": 1}
    assert re.fullmatch(r"[0-9a-f]{64}", version["sha256"])
    assert [(each["line"], each["key"]) for each in said.json["warnings"]] == [(1, "tariff.site_currency")]


def test_faults_of_both_files_are_said_together(site):
    change(site / "site.toml", "slot_minutes = 60", "slot_minutes = 45")
    change(site / "tariffs.toml", 'list_price = "0.15"', "list_price = 0.15")
    said = hesuan("tariff", "check", site=site, lang="en")
    assert (said.code, said.out) == (2, "")
    first, second = said.err.splitlines()
    assert "site.toml:" in first
    assert '"slot_minutes" cannot be 45' in first
    assert "tariffs.toml:" in second
    assert "0.15 without quotes" in second


def test_faults_of_the_book_alone(site):
    add(
        site,
        RULES.replace("23:00", "23:30")
        .replace("chem-li", "chem-lee", 2)
        .replace('"chem-lee"]', '"chem-li"]'),
    )
    said = hesuan("tariff", "check", site=site, lang="zh")
    assert said.code == 2
    band, credit = said.err.splitlines()
    assert "在 23:30 开始或结束，落在 60 分钟的核算时段之内。请在 site.toml 中写 slot_minutes = 30" in band
    assert "没有租户“chem-lee”。是否应为“chem-li”？" in credit


def test_a_slot_that_fits_makes_the_band_sound(site):
    add(site, RULES.replace("23:00", "23:30"))
    change(site / "site.toml", "slot_minutes = 60", "slot_minutes = 30")
    assert hesuan("tariff", "check", site=site).code == 0


def test_every_command_refuses_a_band_within_a_slot(site):
    add(site, RULES.replace("23:00", "23:30"))
    said = hesuan("build", "2026-09", site=site, lang="en")
    assert (said.code, said.out) == (2, "")
    assert "Set slot_minutes = 30 in site.toml" in said.err


@pytest.mark.parametrize(
    ("old", "new", "word", "words"),
    [
        ('cluster = "gpu1"', 'cluster = "gpu2"', "gpu2", 'cluster of "CPU-INCL" is "gpu2", which is no cluster of site.toml'),
        ('user_class = "partner"', 'user_class = "mates"', "mates", 'user_class of "CPU-STD" is "mates", which no tenant has'),
        ('tenants = ["chem-li"]', 'tenants = ["chem-li", "bio-*"]', "bio-*", '"bio-*" among the tenants of "免费" is no tenant'),
        ('resource = "cpu"\nmax_of', 'resource = "cpu"\ncluster = "old*"\nmax_of', "old*", 'cluster of "核当量" is "old*"'),
    ],
)  # fmt: skip
def test_words_that_nothing_in_the_site_matches_are_warnings(site, old, new, word, words):
    add(site)
    change(site / "tariffs.toml", old, new)
    said = hesuan("tariff", "check", site=site, lang="en")
    assert said.code == 1
    (warning,) = [text for text in said.out.splitlines() if text.startswith("warning: ")]
    assert words in warning
    # The line is that of the header of the table that holds the word.
    lines = (site / "tariffs.toml").read_text(encoding="utf-8").splitlines()
    told = int(re.search(r"tariffs\.toml:(\d+):", warning)[1])
    table = "\n".join(lines[told - 1 :]).split("\n[[")[0]
    assert table.startswith("[[version.")
    assert f'"{word}"' in table
    assert said.out.splitlines()[-1] == "no faults: 1 versions, 1 warnings."


def test_a_directory_that_is_no_site(tmp_path):
    said = hesuan("tariff", "check", site=tmp_path, lang="en")
    assert said.code == 2
    assert len(said.err.splitlines()) == 2


# --- show


def test_show_prices_then_rules_in_the_order_in_which_they_act(site):
    add(site)
    said = hesuan("tariff", "show", site=site, lang="zh")
    assert said.code == 0
    lines = [re.split(r"  +", line.strip()) for line in said.out.splitlines()]
    assert [
        "CPU-STD",
        "CPU 核时（普通）",
        "cpu",
        "核时",
        "集群 cpu1；用户类别 partner",
        "¥0.10",
        "¥0.08",
    ] in lines
    rules = lines[lines.index(["规则，按起作用的次序："]) + 2 : -1]
    assert rules == [
        ["计量", "核当量", "cpu", "取最大：cpu ×1、mem ×0.25"],
        ["免费额度", "免费", "CPU-STD；租户 chem-li", "每租户每月免费 12,345.5"],
        ["时段", "夜间", "CPU-*", "×0.5；23:00–07:00；按使用时刻"],
        ["代金", "赠送", "*；租户 chem-li", "¥500.00；2026-09-01 起"],
    ]


def test_show_in_english(site):
    add(site)
    said = hesuan("tariff", "show", "2026a", site=site, lang="en")
    lines = [re.split(r"  +", line.strip()) for line in said.out.splitlines()]
    assert [
        "quota",
        "Free hours",
        "CPU-STD; tenant chem-li",
        "12,345.5 free for each tenant a month",
    ] in lines
    assert ["band", "Night", "CPU-*", "×0.5; 23:00–07:00; by time of use"] in lines
    assert ["approved by: 示例大学校长办公会 2025-12-18"] in lines


def test_show_as_json_is_what_is_hashed(site):
    add(site)
    (version,) = hesuan("tariff", "show", "2026a", "--json", site=site).json
    assert (version["id"], version["currency"], len(version["price"])) == ("2026a", "CNY", 14)
    assert version["band"][0]["from_minute"] == 23 * 60
    assert version["meter"][0]["weights"] == [["cpu", "1"], ["mem", "0.25"]]
    (checked,) = hesuan("tariff", "check", "--json", site=site).json["versions"]
    assert version["sha256"] == checked["sha256"]


def test_show_a_version_that_is_not_there(site):
    said = hesuan("tariff", "show", "2025a", site=site, lang="en")
    assert (said.code, said.out) == (2, "")
    assert 'has no version "2025a". There are: 2026a.' in said.err


# --- diff


@pytest.fixture
def next_year(site: Path) -> Path:
    """The site with a second version: GPU-H800 for 13.20 instead of 12.00 list and 9.90 for 9.00, no band, a quota of 500."""
    file = site / "tariffs.toml"
    content = file.read_text(encoding="utf-8")
    begin, end = content.index("[[version]]"), content.index("# ----")
    first = content[begin:end] + RULES
    second = (
        first.replace('id = "2026a"\u0020', 'id = "2027a"\u0020')
        .replace("valid_from = 2026-01-01", "valid_from = 2027-01-01")
        .replace('list_price = "12.00"\nprice = "9.00"', 'list_price = "13.20"\nprice = "9.90"')
        .replace('amount = "12345.5"', 'amount = "500"')
        .replace('node_fail = "refund"', 'node_fail = "free"')
    )
    second = second[: second.index("[[version.band]]")] + second[second.index("[[version.quota]]") :]
    file.write_text(content[:begin] + first + second, encoding="utf-8")
    return site


def test_diff_of_two_versions(next_year):
    """13.20 for 12.00 and 9.90 for 9.00 are +10.0 %."""
    said = hesuan("tariff", "diff", "2026a", "2027a", site=next_year, lang="en")
    assert (said.code, said.err) == (0, "")
    lines = [re.split(r"  +", line.strip()) for line in said.out.splitlines()]
    assert lines[0][0].startswith("version 2026a: 2026-01-01 to 2027-01-01 (exclusive); hash ")
    assert lines[1][0].startswith("version 2027a: from 2027-01-01; hash ")
    assert lines[lines.index(["Terms:"]) + 2 :][:1] == [["runs.node_fail", "refund", "free"]]
    row = ["changed", "GPU-H800", "H800 device-hours", "gpu:h800", "user class internal"]
    assert lines[lines.index(["Prices:"]) + 2 :][:2] == [
        [*row, "¥12.00", "¥13.20", "¥9.00", "¥9.90", "+10.0%", "list_price, price"],
        [""],
    ]
    kinds = [line[:3] for line in lines[lines.index(["Rules:"]) + 2 :]]
    assert kinds == [["changed", "quota", "免费"], ["removed", "band", "夜间"]]


def test_diff_as_json(next_year):
    said = hesuan("tariff", "diff", "2026a", "2027a", "--json", site=next_year).json
    assert [said["old"]["id"], said["new"]["id"]] == ["2026a", "2027a"]
    assert said["terms"] == [{"term": "runs.node_fail", "old": "refund", "new": "free"}]
    (price,) = said["prices"]
    assert (price["old"]["list_price"], price["new"]["list_price"]) == ("12", "13.2")
    assert [(rule["kind"], rule["new"] is None) for rule in said["rules"]] == [
        ("quota", False),
        ("band", True),
    ]
    assert said["reordered"] == []


def test_diff_with_another_book(next_year, tmp_path):
    """Without B the other book's version of the same id; only a price row stands elsewhere and one has gone."""
    other = tmp_path / "other.toml"
    other.write_text((next_year / "tariffs.toml").read_text(encoding="utf-8"), encoding="utf-8")
    same = hesuan("tariff", "diff", "2027a", "--book", other, site=next_year, lang="zh")
    assert (same.code, same.out.splitlines()[-1]) == (0, "两版内容相同。")
    content = other.read_text(encoding="utf-8")
    last = content.rindex("[[version.price]]")
    end = content.index("[[version.quota]]", last)
    other.write_text(content[:last] + content[end:], encoding="utf-8")
    said = hesuan("tariff", "diff", "2027a", "--book", other, site=next_year, lang="zh")
    lines = [re.split(r"  +", line.strip()) for line in said.out.splitlines()]
    assert lines[-1] == [
        "取消",
        "GPU-H800",
        "H800 卡时",
        "gpu:h800",
        "—",
        "¥12.00",
        "—",
        "¥12.00",
        "—",
        "—",
        "—",
    ]


def test_diff_says_that_only_the_order_changed(site, tmp_path):
    other = tmp_path / "other.toml"
    content = (site / "tariffs.toml").read_text(encoding="utf-8")
    parts = content.split("[[version.price]]")
    parts[3], parts[4] = parts[4], parts[3]
    other.write_text("[[version.price]]".join(parts), encoding="utf-8")
    said = hesuan("tariff", "diff", "2026a", "--book", other, site=site, lang="zh")
    assert said.out.splitlines()[-1] == "次序有变（自上而下第一个匹配的生效，或依次起作用）：价格"


def test_diff_needs_two(site):
    said = hesuan("tariff", "diff", "2026a", site=site, lang="en")
    assert (said.code, said.out) == (2, "")
    assert "Name a second version" in said.err


def test_diff_in_two_currencies(site, tmp_path):
    other = tmp_path / "other.toml"
    content = (site / "tariffs.toml").read_text(encoding="utf-8")
    other.write_text(content.replace('currency = "CNY"', 'currency = "HKD"'), encoding="utf-8")
    said = hesuan("tariff", "diff", "2026a", "--book", other, site=site, lang="en")
    assert said.code == 2
    assert "is in HKD, the site's book in CNY" in said.err


def test_diff_reads_the_other_book_as_strictly(site, tmp_path):
    other = tmp_path / "other.toml"
    content = (site / "tariffs.toml").read_text(encoding="utf-8")
    other.write_text(content + RULES.replace("23:00", "23:30"), encoding="utf-8")
    said = hesuan("tariff", "diff", "2026a", "--book", other, site=site, lang="en")
    assert said.code == 2
    assert f"{other}:" in said.err
    assert "slot_minutes = 30" in said.err
