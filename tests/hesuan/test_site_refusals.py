"""Everything that site.toml is refused for: the line and the words that a person reads.

Each case replaces a piece of a sound file; the lines were counted by hand in the changed text, the first line is 1.
"""

from __future__ import annotations

import pytest

from hesuan.site import read_site
from models.errors import HesuanError
from models.toml_file import TomlError

SOUND = """\
name = "示例中心"
timezone = "Asia/Shanghai"
slot_minutes = 60
accelerators = ["gpu", "npu"]

[runaway]
days = 60

[issuer]
dispute_days = 10

[[clusters]]
name = "cpu1"

[[tenants]]
id = "chem"
name = "化学组"

[[tenants.projects]]
id = "battery"

[[tenants]]
id = "met"
name = "气象所"

[[rules]]
tenant = "chem"
project = "battery"
account = "chem*"

[[rules]]
tenant = "met"
cluster = "cpu*"
valid_from = 2026-01-01
valid_to = 2026-07-01
"""

# (what is replaced, by what, [(line, words)])
# fmt: off
CASES: list[tuple[str, str, list[tuple[int, str]]]] = [
    ('name = "示例中心"\n', "", [(1, "缺少“name”。请补上，写法见 hesuan init 生成的样例。")]),
    ('name = "示例中心"', 'name = " "', [(1, "“name”是空的。请填写内容。")]),
    ('name = "示例中心"', 'name = "示例中心"\nclusters = ["cpu1"]', [(13, "“[[clusters]]”：同一个键或同一张表写了两次。请删去其中一处；要写多张表，请用双方括号，如 [[version]]。")]),
    ("days = 60", 'days = 60\ncurrency = "CNY"', [(8, "“currency”写错了位置，它属于整个文件。请移到文件开头、第一个方括号标题之前。")]),
    ("days = 60", "days = 0", [(7, "“days”应在 1 到 3660 之间，现为 0。请改正。")]),
    ("days = 60", "days = 60.5", [(7, "“days”应为整数，现为 60.5。请写不带引号和小数点的数字。")]),
    ("days = 60", "day = 60", [(7, "不认识“day”。是否应为“days”？请改正或删除。")]),
    ("dispute_days = 10", 'dispute_days = "10"', [(10, '“dispute_days”应为整数，现为 "10"。请写不带引号和小数点的数字。')]),
    ("dispute_days = 10", 'fax = "010"', [(10, "不认识“fax”。此处可用：name、name_en、department、address、phone、email、payee_account、dispute_days。请改正或删除。")]),
    ("Asia/Shanghai", "Asia/Beijing", [(2, '“timezone”不是时区："Asia/Beijing"。是否应为 "Asia/Shanghai"？请写 IANA 时区名。')]),
    ("Asia/Shanghai", "Asia/Shangai", [(2, '“timezone”不是时区："Asia/Shangai"。是否应为 "Asia/Shanghai"？请写 IANA 时区名。')]),
    ("Asia/Shanghai", "UTC+8", [(2, '“timezone”不是时区："UTC+8"。是否应为 "Asia/Shanghai"？请写 IANA 时区名。')]),
    ("Asia/Shanghai", "Tokyo", [(2, '“timezone”不是时区："Tokyo"。是否应为 "Asia/Tokyo"？请写 IANA 时区名。')]),
    ("Asia/Shanghai", "asia/tokyo", [(2, '“timezone”不是时区："asia/tokyo"。是否应为 "Asia/Tokyo"？请写 IANA 时区名。')]),
    ("Asia/Shanghai", "../etc/passwd", [(2, '“timezone”不是时区："../etc/passwd"。请写 IANA 时区名，如 "Asia/Shanghai"。')]),
    ("Asia/Shanghai", "qqq", [(2, '“timezone”不是时区："qqq"。请写 IANA 时区名，如 "Asia/Shanghai"。')]),
    ("slot_minutes = 60", "slot_minutes = 20", [(3, "“slot_minutes”不能是 20。可用：60、30、15。")]),
    ("slot_minutes = 60", "slot_minutes = true", [(3, "“slot_minutes”不能是 true。可用：60、30、15。")]),
    ("slot_minutes = 60", 'currency = "RMB¥"', [(3, '“currency”不能是 "RMB¥"。请写三个大写字母的币种代码，如 "CNY"。')]),
    ('["gpu", "npu"]', '["gpu", "GRES/npu"]', [(4, '“accelerators[2]”不能是 "GRES/npu"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。')]),
    ('[[clusters]]\nname = "cpu1"\n', "", [(1, "没有集群。请至少写一个 [[clusters]]，name 与 Slurm 的 ClusterName 一致。")]),
    ("[[clusters]]", "[[cluster]]", [(12, "不认识“cluster”。是否应为“clusters”？请改正或删除。")]),
    ('[[clusters]]\nname = "cpu1"', '[[clusters]]\nname = "CPU1"', [(13, '“name”不能是 "CPU1"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。')]),
    ('[[clusters]]\nname = "cpu1"', '[[clusters]]\nname = "cpu1"\n[[clusters]]\nname = "cpu1"', [(15, '代号 "cpu1" 已在第 13 行用过。请换一个，或合并两处。')]),
    ('id = "met"', 'id = "气象"', [(23, '“id”不能是 "气象"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。'), (32, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
    ('id = "met"', 'id = "chem"', [(23, '代号 "chem" 已在第 16 行用过。请换一个，或合并两处。'), (32, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
    ('id = "met"', 'id = "Chem"', [(23, '“id”不能是 "Chem"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。'), (23, '代号 "Chem" 与第 16 行的 "chem" 只有大小写不同，容易混淆。请换一个。'), (32, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
    ('id = "met"', 'id = "unassigned"', [(23, '"unassigned" 是保留的代号，用于没有规则认领的用量。请换一个。'), (32, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
    ('id = "battery"', 'id = "battery"\n[[tenants.projects]]\nid = "battery"', [(22, '代号 "battery" 已在第 20 行用过。请换一个，或合并两处。')]),
    ('id = "battery"', 'id = "battery"\nuser = "li"', [(21, "“user”写错了位置，它属于 [[rules]]。请移到 [[rules]] 之下、下一个方括号标题之前。")]),
    ('tenant = "chem"', 'tenant = "chemistry"', [(27, '规则指向不存在的租户 "chemistry"。是否应为“chem”？请改正 tenant，或先写 [[tenants]]。')]),
    ('tenant = "chem"', 'tenant = "physics"', [(27, '规则指向不存在的租户 "physics"。请先写 [[tenants]]，或改正 tenant。')]),
    ('project = "battery"', 'project = "batery"', [(28, '租户“chem”没有项目 "batery"。是否应为“battery”？请改正 project，或在其 [[tenants.projects]] 中补上。')]),
    ('project = "battery"', 'project = "solar"', [(28, '租户“chem”没有项目 "solar"。请在其 [[tenants.projects]] 中补上，或改正 project。')]),
    ('cluster = "cpu*"', 'cluster = "cpu2"', [(33, '规则的 cluster 为 "cpu2"，没有这样的集群。是否应为“cpu1”？请改正，或先写 [[clusters]]。')]),
    ('cluster = "cpu*"', 'cluster = "gpu*"', [(33, '规则的 cluster 为 "gpu*"，没有这样的集群。请改正，或先写 [[clusters]]。')]),
    ('cluster = "cpu*"', 'cluster = "cpu 1"', [(33, '“cluster”不能是 "cpu 1"。请写确切的名称，或用半角 * 代表任意字符；不能为空，不能含空格和 ? [ ] { }。')]),
    ('account = "chem*"\n', "", [(30, "这条规则永远用不上：第 26 行的规则（租户“chem”）先匹配了它的全部范围。请把范围窄的一条移到前面，或删去一条。")]),
    ("valid_to = 2026-07-01", "valid_to = 2026-01-01", [(35, "valid_to（2026-01-01）应晚于 valid_from（2026-01-01）。valid_to 当天已不在期内，请写最后一天的次日。")]),
    ("valid_to = 2026-07-01", "valid_to = 2026-07-01 08:00:00", [(35, "“valid_to”应为日期，不带时刻，现为 2026-07-01T08:00:00。请写成 2026-07-01；一天从当地零点开始。")]),
    ("valid_to = 2026-07-01", 'valid_to = "2026-07-01"', [(35, '“valid_to”是加了引号的 "2026-07-01"。日期不加引号，请写成 2026-07-01。')]),
    ('[[tenants]]\nid = "met"\nname = "气象所"', '[[tenants]]\nid = "met"\nname = 7', [(24, "“name”应为文字，现为 7。请加上引号。")]),
    ('[[tenants]]\nid = "met"\nname = "气象所"', '[[tenants]]\nname = "气象所"', [(22, "缺少“id”。请补上，写法见 hesuan init 生成的样例。"), (31, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
    ("slot_minutes = 60", 'slot_minutes = 60\ncolour = "red"', [(4, "不认识“colour”。此处可用：name、name_en、timezone、currency、slot_minutes、accelerators、runaway、issuer、clusters、tenants、rules。请改正或删除。")]),
    ("[issuer]", '[issuer]\ntimezone = "UTC"', [(10, "“timezone”写错了位置，它属于整个文件。请移到文件开头、第一个方括号标题之前。")]),
    ("[runaway]\ndays = 60", "runaway = 60", [(6, "“runaway”应为一张表。请写成单方括号标题 [runaway]，其下逐行写键和值。")]),
    ('[[tenants]]\nid = "met"', '[[tenant]]\nid = "met"', [(22, "不认识“tenant”。是否应为“tenants”？请改正或删除。"), (32, '规则指向不存在的租户 "met"。请先写 [[tenants]]，或改正 tenant。')]),
]
# fmt: on


def test_the_sound_file_is_sound(tmp_path):
    (tmp_path / "site.toml").write_text(SOUND, encoding="utf-8")
    assert read_site(tmp_path).clusters == ("cpu1",)


@pytest.mark.parametrize(("old", "new", "faults"), CASES)
def test_refused_with_line_and_words(tmp_path, old, new, faults):
    assert old in SOUND
    file = tmp_path / "site.toml"
    file.write_text(SOUND.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TomlError) as caught:
        read_site(tmp_path)
    error = caught.value
    assert error.text("zh").splitlines() == [f"{file} 第 {line} 行：{words}" for line, words in faults]
    english = error.text("en").splitlines()
    assert [text.rsplit(f"{file}:")[1].split(":")[0] for text in english] == [str(line) for line, _ in faults]


def test_all_faults_are_shown_together(tmp_path):
    content = SOUND.replace("60\nacc", "45\nacc").replace('"met"', '"Met"', 1).replace("cpu*", "gpu*")
    (tmp_path / "site.toml").write_text(content, encoding="utf-8")
    with pytest.raises(TomlError) as caught:
        read_site(tmp_path)
    assert [(fault.line, fault.key) for fault in caught.value.faults] == [
        (3, "toml.choice"),
        (23, "toml.id_form"),
        (32, "site.rule_tenant_near"),
        (33, "site.rule_cluster"),
    ]


def test_no_site_in_the_directory(tmp_path):
    with pytest.raises(HesuanError) as caught:
        read_site(tmp_path)
    assert caught.value.text("zh") == (
        f"{tmp_path}：没有 site.toml。请运行 hesuan init {tmp_path} 生成样例，或用 --site 指定站点目录。"
    )
    assert f"hesuan init {tmp_path}" in caught.value.text("en")
    assert "--site" in caught.value.text("en")
