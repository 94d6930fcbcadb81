"""Everything that a rule of tariffs.toml is refused for: the line, counted from the rule's own first, and the words.

Each case is a sound rule with a piece replaced, or a line or a second rule added, below a sound version.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from models.tariff_file import read_price_book
from models.toml_file import TomlError

# Three items of two units; its lines are the first 28 of the file.
VERSION = """\
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
mode = "none"
[[version]]
id = "2026a"
valid_from = 2026-01-01
approved_by = "x"
[[version.price]]
item = "CPU-STD"
name = "核时"
qos = "normal"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
[[version.price]]
item = "CPU-FAT"
name = "胖节点核时"
qos = "fat"
resource = "cpu"
unit = "core-hour"
list_price = "0.20"
[[version.price]]
item = "GPU"
name = "卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "6.00"
"""
ABOVE = 28
TENANTS = ("chem", "ai")

BAND = '[[version.band]]\nname = "b"\nitems = ["CPU-*"]\nfactor = "2"\n'
METER = '[[version.meter]]\nname = "m"\nresource = "cpu"\n'
POOL = '[[version.pool]]\nname = "p"\nitems = ["CPU-*"]\nowner = "user"\nreset = "month"\nsteps = [{ above = "1", list_price = "2" }]\n'
LAST = '[[version.last_month]]\nname = "l"\nitems = ["GPU"]\nowner = "user"\nallotment = "10"\nsteps = [{ from = "0", factor = "1" }]\n'
QUOTA = '[[version.quota]]\nname = "q"\nitems = ["GPU"]\nowner = "user"\namount = "10"\nreset = "month"\n'
CREDIT = '[[version.credit]]\nname = "c"\ntenant = "chem"\namount = "10"\nvalid_from = 2026-01-01\n'
PART = '[[version.contribution]]\nname = "n"\ntenant = "chem"\ncluster = "cpu1"\nnodes = "cn[01-04]"\nresource = "cpu"\nrate = "0.03"\n'
FACTOR = '[[version.factor]]\nname = "f"\nfactor = "1.5"\n'

# fmt: off
CASES: list[tuple[str, list[tuple[int, str]]]] = [
    (BAND.replace("factor", "faktor"), [(4, "不认识“faktor”。是否应为“factor”？请改正或删除。")]),
    (BAND.replace('"2"', "2"), [(4, '“factor”是没有加引号的 2。为保证分毫不差，请加引号写成 "2"。')]),
    (BAND.replace('"2"', '"-2"'), [(4, '“factor”不能是负数，现为 "-2"。请写零或正数。')]),
    (BAND.replace('"2"', '"1.23456"'), [(4, '“factor”最多 4 位小数，现为 "1.23456"。请减少位数。')]),
    (BAND.replace('"2"', '"50%"'), [(4, '“factor”不是十进制数："50%"。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    (BAND.replace('["CPU-*"]', '["CPU_*"]'), [(3, '本版价格中没有编码 "CPU_*"。现有：CPU-STD、CPU-FAT、GPU。请改正，可用 * 代表任意字符。')]),
    (BAND.replace('["CPU-*"]', '["XPU"]'), [(3, '本版价格中没有编码 "XPU"。是否应为“GPU”？请改正。')]),
    (BAND.replace('["CPU-*"]', '["*", "Tape"]'), [(3, '本版价格中没有编码 "Tape"。现有：CPU-STD、CPU-FAT、GPU。请改正，可用 * 代表任意字符。')]),
    (BAND.replace('["CPU-*"]', "[]"), [(3, '“items”是空的列表。请至少写一项；要指全部，请写 ["*"]。')]),
    (BAND.replace('["CPU-*"]', '"CPU-*"'), [(3, '“items”应为列表，现为 "CPU-*"。请写成 ["甲", "乙"] 的形式。')]),
    (BAND + "weekdays = [0, 8]\n", [(5, "“weekdays[1]”应在 1 到 7 之间，现为 0。请改正。"), (5, "“weekdays[2]”应在 1 到 7 之间，现为 8。请改正。")]),
    (BAND + "weekdays = []\n", [(5, "“weekdays”是空的列表。请写 1（周一）至 7（周日），如 [6, 7]；不分星期请删去这一行。")]),
    (BAND + 'weekdays = ["Mon"]\n', [(5, '“weekdays[1]”应为整数，现为 "Mon"。请写不带引号和小数点的数字。')]),
    (BAND + 'from = "23:00"\n', [(1, "缺少“to”：from 与 to 须成对。请补上；全天有效就把两个都删去。")]),
    (BAND + 'to = "23:00"\n', [(1, "缺少“from”：from 与 to 须成对。请补上；全天有效就把两个都删去。")]),
    (BAND + 'from = "23:10"\nto = "24:00"\n', [(5, '“from”的 "23:10" 不在整刻上。时段只能从 00、15、30、45 分开始或结束，请改正。')]),
    (BAND + 'from = "24:00"\nto = "07:00"\n', [(5, '“from”不能是 "24:00"。请写 "00:00"，即当天的起点。')]),
    (BAND + 'from = "7:00"\nto = "25:00"\n', [(5, '“from”不能是 "7:00"。请写加引号的 24 小时制时刻，如 "23:00"；一天的终点写 "24:00"。'), (6, '“to”不能是 "25:00"。请写加引号的 24 小时制时刻，如 "23:00"；一天的终点写 "24:00"。')]),
    (BAND + 'from = 23:00:00\nto = "07:60"\n', [(5, '“from”不能是 23:00:00。请写加引号的 24 小时制时刻，如 "23:00"；一天的终点写 "24:00"。'), (6, '“to”不能是 "07:60"。请写加引号的 24 小时制时刻，如 "23:00"；一天的终点写 "24:00"。')]),
    (BAND + 'from = "08:00"\nto = "08:00"\n', [(6, "from 与 to 相同，时段长度为零。要指全天，请把两者都删去；否则请改正。")]),
    (BAND + "first_day = 2026-03-01\n", [(1, "缺少“last_day”：first_day 与 last_day 须成对。请补上；不限日期就把两个都删去。")]),
    (BAND + "last_day = 2026-03-01\n", [(1, "缺少“first_day”：first_day 与 last_day 须成对。请补上；不限日期就把两个都删去。")]),
    (BAND + "first_day = 2026-03-02\nlast_day = 2026-03-01\n", [(6, "last_day（2026-03-01）早于 first_day（2026-03-02）。两天都含在内，请改正。")]),
    (BAND + "first_day = 2025-03-02\nlast_day = 2025-12-31\n", [(1, "[[version.band]]“b”永远用不上：它到期时“2026a”版尚未开始（2026-01-01）。请改正日期，或移到相应的版本。")]),
    (BAND + "first_day = 2026-03-02\nlast_day = 2026-03-02\nweekdays = [2]\n", [(1, "时段“b”不含任何时刻：first_day 至 last_day 之间没有 weekdays 所列的星期。请改正日期或星期。")]),
    (BAND + 'by = "start"\n', [(5, '“by”不能是 "start"。可用：slot、end。')]),
    (BAND + BAND, [(5, "[[version.band]] 的名称“b”已在第 29 行用过。同一版中同类规则不能重名，请另取名称。"), (5, "时段“b”永远用不上：第 29 行的“b”先占了它的全部时间和编码。请把范围窄的移到前面，或删去一个。")]),
    (BAND + BAND.replace('"b"', '"x"'), [(5, "时段“x”永远用不上：第 29 行的“b”先占了它的全部时间和编码。请把范围窄的移到前面，或删去一个。")]),
    (METER.replace("cpu", "gpu"), [(3, '不认识资源 "gpu"。是否应为“gpu:*”？请改正。')]),
    (METER + "minimum = 300\n", [(4, "不认识“minimum”。是否应为“minimum_seconds”？请改正或删除。")]),
    (METER + "minimum_seconds = -1\n", [(4, "“minimum_seconds”应在 0 到 2678400 之间，现为 -1。请改正。")]),
    (METER + "granularity_seconds = 0\n", [(4, "“granularity_seconds”应在 1 到 2678400 之间，现为 0。请改正。")]),
    (METER + "granularity_seconds = 2678401\n", [(4, "“granularity_seconds”应在 1 到 2678400 之间，现为 2678401。请改正。")]),
    (METER + 'minimum_seconds = "300"\n', [(4, '“minimum_seconds”应为整数，现为 "300"。请写不带引号和小数点的数字。')]),
    (METER + "max_of = { cpu = 1 }\n", [(4, '“max_of.cpu”是没有加引号的 1。为保证分毫不差，请加引号写成 "1"。')]),
    (METER + 'max_of = { cpus = "1" }\n', [(4, '不认识资源 "cpus"。是否应为“cpu”？请改正。')]),
    (METER + "max_of = {}\n", [(4, 'max_of 中没有任何资源。请写成 { cpu = "1", mem = "0.25" } 的形式，或删去这一行。')]),
    (METER + 'max_of = "cpu"\n', [(4, '“max_of”应写成花括号表，现为 "cpu"。请写成 { cpu = "1", mem = "0.25" } 的形式。')]),
    (METER + 'max_of = { cpu = "1" }\nsum_of = { cpu = "1" }\n', [(5, "max_of（取最大）与 sum_of（相加）只能写一种。请删去其中一个。")]),
    (METER.replace("cpu", "gpu:*") + 'max_of = { cpu = "1" }\n', [(3, '有 max_of 或 sum_of 时，resource 应为确切的一种资源，现为“gpu:*”。请写如 "cpu" 或 "gpu:a100"，折算结果计入它。')]),
    (METER.replace("cpu", "mem") + 'max_of = { mem = "1" }\n', [(3, "max_of 和 sum_of 不能折算成 mem。请将 resource 改为可按千分之一计的资源，如 cpu、billing、gpu:a100。")]),
    (METER + "board_share = true\n", [(4, 'board_share 在这里不起作用：它只用于加速卡，且不能与 max_of、sum_of 同用。请删去这一行，或将 resource 改为加速卡，如 "gpu:*"。')]),
    (METER + 'board_share = "yes"\n', [(4, '“board_share”只能是 true 或 false，现为 "yes"。请改正，不加引号。')]),
    (METER + METER.replace('"m"', '"x"') + 'qos = "high"\n', [(4, "计量规则“x”永远用不上：第 29 行的“m”先匹配了它的全部范围。请把范围窄的移到前面，或删去一个。")]),
    (POOL.replace('"1"', '"0"'), [(6, "第一级的 above 应大于零：在它以下按价格行的单价收费。请删去这一级，并把它的价格写进 [[version.price]]。")]),
    (POOL.replace("}]", '}, { above = "1", list_price = "1" }]'), [(6, "各级的“above”应从小到大：1 不大于上一级的 1。请调整顺序或数值。")]),
    (POOL.replace("}]", '}, { above = "2", price = "1" }]'), [(6, "缺少“list_price”。请补上，写法见 hesuan init 生成的样例。")]),
    (POOL.replace('steps = [{ above = "1", list_price = "2" }]\n', ""), [(1, "没有写任何一级。请补上 steps，写法见 hesuan init 生成的样例。")]),
    (POOL.replace('steps = [{ above = "1", list_price = "2" }]\n', "steps = []\n"), [(1, "没有写任何一级。请补上 steps，写法见 hesuan init 生成的样例。")]),
    (POOL.replace('steps = [{ above = "1", list_price = "2" }]\n', 'steps = "1"\n'), [(6, "“version.pool.steps”应为表的列表。请每一项各写一个双方括号标题 [[version.pool.steps]]。")]),
    (POOL.replace("above", "abov"), [(6, "不认识“abov”。是否应为“above”？请改正或删除。")]),
    (POOL.replace('"user"', '"group"'), [(4, '“owner”不能是 "group"。可用：tenant、project、user。')]),
    (POOL.replace('"month"', '"weekly"'), [(5, '“reset”不能是 "weekly"。可用：month、year、contract。')]),
    (POOL.replace('"month"', '"contract"'), [(5, 'reset = "contract" 时须写明合同年度的第一天。请加 contract_from = 2026-09-01（按实际日期）。')]),
    (POOL + "contract_from = 2026-01-01\n", [(7, 'reset = "month" 时 contract_from 不起作用。请删去 contract_from，或改写 reset = "contract"。')]),
    (POOL.replace('"CPU-*"', '"*"'), [(1, "[[version.pool]]“p”的编码单位不同，不能相加：CPU-STD (core-hour)、GPU (device-hour)。请按单位分成几个规则。")]),
    (POOL + POOL.replace('"p"', '"x"').replace("CPU-*", "*-FAT"), [(7, "CPU-FAT 同时在两个 [[version.pool]] 中：“x”和第 29 行的“p”，不知以哪个为准。请从其中一个的 items 中去掉。")]),
    (LAST.replace('"0"', '"0.1"'), [(6, '第一级应从 "0" 开始，现为 "0.1"。请补上从 "0" 开始的一级。')]),
    (LAST.replace('"10"', '"0"'), [(5, '“allotment”应大于零，现为 "0"。请改正，或删去整项。')]),
    (LAST.replace('"10"', '"0.1234567"'), [(5, '“allotment”最多 6 位小数，现为 "0.1234567"。请减少位数，或换用更大的计价单位。')]),
    (LAST.replace('"GPU"', '"*"'), [(1, "[[version.last_month]]“l”的编码单位不同，不能相加：CPU-STD (core-hour)、GPU (device-hour)。请按单位分成几个规则。")]),
    (LAST + LAST.replace('"l"', '"x"'), [(7, "GPU 同时在两个 [[version.last_month]] 中：“x”和第 29 行的“l”，不知以哪个为准。请从其中一个的 items 中去掉。")]),
    (LAST.replace("}]", '}, { from = "0", factor = "1" }]'), [(6, "各级的“from”应从小到大：0 不大于上一级的 0。请调整顺序或数值。")]),
    (QUOTA.replace('"GPU"', '"*"'), [(1, "[[version.quota]]“q”的编码单位不同，不能相加：CPU-STD (core-hour)、GPU (device-hour)。请按单位分成几个规则。")]),
    (QUOTA + "valid_from = 2026-02-01\nvalid_to = 2026-02-01\n", [(8, "valid_to（2026-02-01）应晚于 valid_from（2026-02-01）。valid_to 当天已不在期内，请写最后一天的次日。")]),
    (QUOTA + "valid_to = 2026-01-01\n", [(1, "[[version.quota]]“q”永远用不上：它到期时“2026a”版尚未开始（2026-01-01）。请改正日期，或移到相应的版本。")]),
    (QUOTA + "tenants = []\n", [(7, '“tenants”是空的列表。请至少写一项；要指全部，请写 ["*"]。')]),
    (QUOTA.replace('"month"', '"contract"'), [(6, 'reset = "contract" 时须写明合同年度的第一天。请加 contract_from = 2026-09-01（按实际日期）。')]),
    (QUOTA.replace("reset", "resets"), [(6, "不认识“resets”。是否应为“reset”？请改正或删除。")]),
    (CREDIT.replace('"10"', '"10.001"'), [(4, '“amount”是金额，最多 2 位小数，现为 "10.001"。请精确到分。')]),
    (CREDIT.replace('"10"', '"0.00"'), [(4, '“amount”应大于零，现为 "0.00"。请改正，或删去整项。')]),
    (CREDIT.replace("valid_from = 2026-01-01\n", ""), [(1, "缺少“valid_from”。请补上，写法见 hesuan init 生成的样例。")]),
    (CREDIT + "valid_to = 2025-01-01\n", [(6, "valid_to（2025-01-01）应晚于 valid_from（2026-01-01）。valid_to 当天已不在期内，请写最后一天的次日。")]),
    (CREDIT.replace('"chem"', '"chmе"'), [(3, '“tenant”不能是 "chmе"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。')]),
    (CREDIT.replace('"chem"', '"cehm"'), [(3, "site.toml 中没有租户“cehm”。是否应为“chem”？请改正。")]),
    (CREDIT.replace('"chem"', '"bio"'), [(3, "site.toml 中没有租户“bio”。请改正，或先在 site.toml 中添加这个租户。")]),
    (PART.replace("cn[01-04]", "cn[04-01]"), [(5, '“nodes”的 "cn[04-01]" 展不开：有的范围前大后小，或节点太多。请核对方括号中的数字。')]),
    (PART.replace("cn[01-04]", "cn[01-04"), [(5, '“nodes”不能是 "cn[01-04"。请按 Slurm 的写法列出节点，如 "cn[01-04,07],gn01"。')]),
    (PART.replace("cn[01-04]", "cn1, cn2"), [(5, '“nodes”不能是 "cn1, cn2"。请按 Slurm 的写法列出节点，如 "cn[01-04,07],gn01"。')]),
    (PART.replace('"cpu1"', '"*"'), [(4, '“cluster”不能是 "*"。代号只用小写字母、数字和 . _ -，以字母或数字开头。请改正。')]),
    (PART.replace('"cpu"', '"cpus"'), [(6, '不认识资源 "cpus"。是否应为“cpu”？请改正。')]),
    (PART.replace('"0.03"', "0.03"), [(7, '“rate”是没有加引号的 0.03。为保证分毫不差，请加引号写成 "0.03"。')]),
    (PART + "valid_from = 2026-02-01\nvalid_to = 2026-01-01\n", [(9, "valid_to（2026-01-01）应晚于 valid_from（2026-02-01）。valid_to 当天已不在期内，请写最后一天的次日。")]),
    (PART.replace('"chem"', '"bio"'), [(3, "site.toml 中没有租户“bio”。请改正，或先在 site.toml 中添加这个租户。")]),
    (FACTOR.replace("[[version.factor]]", "[version.factor]"), [(1, "“version.factor”应为表的列表。请每一项各写一个双方括号标题 [[version.factor]]。")]),
    (FACTOR.replace("[[version.factor]]", "[[version.factors]]"), [(1, "不认识“factors”。是否应为“factor”？请改正或删除。")]),
    (FACTOR.replace("[[version.factor]]", "[[version.discount]]"), [(1, "不认识“discount”。此处可用：id、valid_from、valid_to、approved_by、quantity_decimals、not_priced、runs、suspended、price、meter、band、factor、last_month、pool、quota、credit、contribution。请改正或删除。")]),
    (FACTOR + 'on = "list"\n', [(4, '“on”不能是 "list"。可用：both、price。')]),
    (FACTOR + 'off = "20%"\n', [(4, "不认识“off”。此处可用：name、name_en、items、cluster、partition、qos、user_class、tenants、factor、on。请改正或删除。")]),
    (FACTOR + "steps = []\n", [(4, "不认识“steps”。是否应为“items”？请改正或删除。")]),
    (FACTOR + FACTOR, [(4, "[[version.factor]] 的名称“f”已在第 29 行用过。同一版中同类规则不能重名，请另取名称。")]),
]
# fmt: on


def refused(tmp_path: Path, content: str, **more: object) -> TomlError:
    file = tmp_path / "tariffs.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(TomlError) as caught:
        read_price_book(file, tenants=TENANTS, **more)  # type: ignore[arg-type] # one of its options
    return caught.value


def test_the_sound_rules_are_sound(tmp_path):
    file = tmp_path / "tariffs.toml"
    file.write_text(VERSION + BAND + METER + POOL + LAST + QUOTA + CREDIT + PART + FACTOR, encoding="utf-8")
    assert read_price_book(file, tenants=TENANTS).versions[0].rules.credits
    assert VERSION.count("\n") == ABOVE


@pytest.mark.parametrize(("rule", "faults"), CASES)
def test_refused_with_line_and_words(tmp_path, rule, faults):
    error = refused(tmp_path, VERSION + rule)
    file = tmp_path / "tariffs.toml"
    assert error.text("zh").splitlines() == [
        f"{file} 第 {ABOVE + line} 行：{words}" for line, words in faults
    ]
    english = error.text("en").splitlines()
    assert [text.rsplit(f"{file}:")[1].split(":")[0] for text in english] == [
        str(ABOVE + line) for line, _ in faults
    ]


def test_faults_of_many_rules_are_shown_together(tmp_path):
    content = (
        VERSION + BAND.replace('"2"', "2") + METER + "minimum_seconds = -1\n" + CREDIT.replace("chem", "bio")
    )
    assert [(fault.line - ABOVE, fault.key) for fault in refused(tmp_path, content).faults] == [
        (4, "toml.decimal_unquoted"),
        (8, "toml.range"),
        (11, "tariff.tenant_unknown"),
    ]


def test_the_sixty_fourth_factor_is_one_too_many(tmp_path):
    """A bill line has 63 bits for the factors that act on it."""
    factors = [FACTOR.replace('"f"', f'"f{n}"') for n in range(64)]
    (tmp_path / "tariffs.toml").write_text(VERSION + "".join(factors[:63]), encoding="utf-8")
    assert len(read_price_book(tmp_path / "tariffs.toml").versions[0].rules.factors) == 63
    (fault,) = refused(tmp_path, VERSION + "".join(factors)).faults
    assert (fault.line, fault.key) == (ABOVE + 63 * 3 + 1, "tariff.too_many_factors")


@pytest.mark.parametrize(
    ("changed", "is_shared"),
    [
        (PART.replace("cn[01-04]", "cn[04-06]"), True),
        (PART.replace("cn[01-04]", "cn[05-06]"), False),
        (PART.replace("cpu1", "cpu2"), False),
        (PART.replace('"cpu"', '"mem"'), False),
        (PART + "valid_to = 2027-01-01\n", True),
    ],
)
def test_a_node_earns_once(tmp_path, changed, is_shared):
    file = tmp_path / "tariffs.toml"
    content = VERSION + PART + changed.replace('"n"', '"other"')
    if not is_shared:
        file.write_text(content, encoding="utf-8")
        assert len(read_price_book(file).versions[0].rules.contributions) == 2
        return
    (fault,) = refused(tmp_path, content).faults
    assert (fault.line, fault.key) == (ABOVE + PART.count("\n") + 1, "tariff.node_shared")
    assert "cn04" in fault.text("zh") or "cn01" in fault.text("zh")


def test_nodes_that_change_hands_earn_for_one_after_the_other(tmp_path):
    file = tmp_path / "tariffs.toml"
    before = PART + "valid_to = 2027-01-01\n"
    after = PART.replace('"n"', '"other"').replace("chem", "ai") + "valid_from = 2027-01-01\n"
    file.write_text(VERSION + before + after, encoding="utf-8")
    assert [part.tenant for part in read_price_book(file).versions[0].rules.contributions] == ["chem", "ai"]


def test_rules_are_not_blamed_for_a_faulty_price(tmp_path):
    """Without the row of GPU its items are not known, so nothing is said of the quota that names it."""
    content = VERSION.replace('list_price = "6.00"', "list_price = 6.00") + QUOTA
    assert [fault.key for fault in refused(tmp_path, content).faults] == ["toml.decimal_unquoted"]


def test_tenants_are_checked_only_where_they_are_known(tmp_path):
    file = tmp_path / "tariffs.toml"
    file.write_text(VERSION + CREDIT.replace("chem", "bio"), encoding="utf-8")
    assert read_price_book(file).versions[0].rules.credits[0].tenant == "bio"


NEXT = VERSION[VERSION.index("[[version]]") :].replace("2026a", "2027a").replace("2026-01-01", "2027-01-01")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (QUOTA, QUOTA.replace("GPU", "CPU-*"), "user、core-hour，在“2026a”版（第 29 行）算的是 user、device-hour"),
        (QUOTA, QUOTA.replace("user", "tenant"), "tenant、device-hour，在“2026a”版（第 29 行）算的是 user、device-hour"),
        (POOL, POOL.replace("user", "tenant"), "tenant、core-hour，在“2026a”版（第 29 行）算的是 user、core-hour"),
        (CREDIT, CREDIT.replace("chem", "ai"), "ai，在“2026a”版（第 29 行）算的是 chem"),
    ],
)  # fmt: skip
def test_a_name_is_not_taken_over_by_another_count(tmp_path, first, second, words):
    """What was used of a rule is carried on under its name, so the next version may not count another thing by it."""
    (fault,) = refused(tmp_path, VERSION + first + NEXT + second).faults
    assert fault.key == "tariff.rule_differs"
    assert fault.line == ABOVE + first.count("\n") + NEXT.count("\n") + 1
    assert words in fault.text("zh")


def test_an_amount_may_change_with_the_version(tmp_path):
    file = tmp_path / "tariffs.toml"
    changed = (
        QUOTA.replace('"10"', '"20"') + POOL.replace("CPU-*", "CPU-STD") + CREDIT.replace('"10"', '"20"')
    )
    file.write_text(VERSION + QUOTA + POOL + CREDIT + NEXT + changed, encoding="utf-8")
    assert [version.rules.quotas[0].amount for version in read_price_book(file).versions] == [10, 20]


def test_days_after_the_version_has_ended(tmp_path):
    """2026a is open and so ends where 2027a begins."""
    late = BAND + "first_day = 2027-01-01\nlast_day = 2027-01-31\n"
    (fault,) = refused(tmp_path, VERSION + late + NEXT).faults
    assert (fault.line, fault.key) == (ABOVE + 1, "tariff.rule_after")
    assert "（2027-01-01，不含当天）" in fault.text("zh")
    last_minute = late.replace("first_day = 2027-01-01", "first_day = 2026-12-31")
    (tmp_path / "tariffs.toml").write_text(VERSION + last_minute + NEXT, encoding="utf-8")
    assert read_price_book(tmp_path / "tariffs.toml").versions[0].rules.bands


def test_a_key_of_a_rule_in_another_table_is_sent_home(tmp_path):
    content = VERSION + FACTOR + 'amount = "1"\nreset = "month"\n'
    assert [(fault.key, dict(fault.values)["home"]) for fault in refused(tmp_path, content).faults] == [
        ("toml.misplaced", "[[version.quota]]"),
        ("toml.misplaced", "[[version.pool]]"),
    ]
