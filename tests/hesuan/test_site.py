"""site.toml read: every key arrives, and what is left out has its default."""

from __future__ import annotations

from datetime import date

from hesuan.site import read_site
from hesuan.site_tables import nearest_zone
from models.site import ACCELERATORS, Issuer, Project, Tenant, TenantRule

FULL = """\
name = "示例中心"
name_en = "Sample"
timezone = "Asia/Urumqi"
currency = "HKD"
slot_minutes = 15
accelerators = ["gpu", "tpu"]
[runaway]
grace_hours = 1
days = 2
[issuer]
name = "计费处"
name_en = "Billing"
department = "运行部"
address = "学府路 1 号"
phone = "010"
email = "a@example.cn"
payee_account = "6222"
dispute_days = 5
[[clusters]]
name = "c1"
[[clusters]]
name = "c2"
[[tenants]]
id = "chem-li.2"
name = "李组"
name_en = "Li"
unit = "化学学院"
unit_en = "Chemistry"
user_class = "partner"
cost_card = "K1"
contact = "李"
[[tenants.projects]]
id = "p1"
name = "项目一"
cost_card = "K2"
[[tenants.projects]]
id = "p2"
[[tenants]]
id = "met"
name = "气象所"
[[rules]]
tenant = "chem-li.2"
project = "p1"
cluster = "c1"
account = "chem*"
wckey = "w"
partition = "gpu"
user = "li_*"
valid_from = 2026-01-01
valid_to = 2026-09-01
[[rules]]
tenant = "met"
"""


def test_every_key_arrives(tmp_path):
    (tmp_path / "site.toml").write_text(FULL, encoding="utf-8")
    site = read_site(tmp_path)
    assert (site.name, site.name_en, site.timezone, site.currency) == (
        "示例中心",
        "Sample",
        "Asia/Urumqi",
        "HKD",
    )
    assert (site.slot_minutes, site.accelerators, site.clusters) == (15, ("gpu", "tpu"), ("c1", "c2"))
    assert (site.runaway_grace_hours, site.runaway_days) == (1, 2)
    assert site.issuer == Issuer(
        "计费处", "Billing", "运行部", "学府路 1 号", "010", "a@example.cn", "6222", 5
    )
    assert site.tenants == (
        Tenant("chem-li.2", "李组", "Li", "化学学院", "Chemistry", "partner", "K1", "李"),
        Tenant("met", "气象所", "", "", "", "internal", "", ""),
    )
    assert site.projects == (Project("chem-li.2", "p1", "项目一", "K2"), Project("chem-li.2", "p2", "p2", ""))
    assert site.rules == (
        TenantRule(
            0, "chem-li.2", "p1", "c1", "chem*", "w", "gpu", "li_*", date(2026, 1, 1), date(2026, 9, 1)
        ),
        TenantRule(1, "met", "", "*", "*", "*", "*", "*", None, None),
    )


def test_what_is_left_out(tmp_path):
    (tmp_path / "site.toml").write_text(
        'name = "中心"\nname_en = "C"\n[[clusters]]\nname = "c"\n', encoding="utf-8"
    )
    site = read_site(tmp_path)
    assert (site.timezone, site.currency, site.slot_minutes) == ("Asia/Shanghai", "CNY", 60)
    assert (site.accelerators, site.runaway_grace_hours, site.runaway_days) == (ACCELERATORS, 24, 60)
    assert site.issuer == Issuer("中心", "C", "", "", "", "", "", 10)
    assert (site.tenants, site.projects, site.rules) == ((), (), ())


def test_an_issuer_of_its_own_does_not_borrow_the_sites_english_name(tmp_path):
    (tmp_path / "site.toml").write_text(
        'name = "中心"\nname_en = "C"\n[issuer]\nname = "处"\n[[clusters]]\nname = "c"\n', encoding="utf-8"
    )
    assert (read_site(tmp_path).issuer.name, read_site(tmp_path).issuer.name_en) == ("处", "")


def test_a_later_rule_may_take_what_an_earlier_one_leaves_in_time(tmp_path):
    """The earlier rule has the same patterns but ends in September: the later one has the days after."""
    content = FULL + '[[rules]]\ntenant = "chem-li.2"\ncluster = "c2"\n'
    early = content.replace(
        '[[rules]]\ntenant = "met"\n', '[[rules]]\ntenant = "met"\nvalid_to = 2026-09-01\n'
    )
    (tmp_path / "site.toml").write_text(early, encoding="utf-8")
    assert [rule.tenant for rule in read_site(tmp_path).rules] == ["chem-li.2", "met", "chem-li.2"]


def test_zones_as_people_write_them():
    assert [nearest_zone(name) for name in ("北京", "CST", "GMT+8", "Asia/Tokio", "urumqi", "Hong_Kong")] == [
        "Asia/Shanghai",
        "Asia/Shanghai",
        "Asia/Shanghai",
        "Asia/Tokyo",
        "Asia/Urumqi",
        "Asia/Hong_Kong",
    ]
