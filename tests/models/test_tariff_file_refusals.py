"""Everything that tariffs.toml is refused for: the line and the words that a person reads.

Each case replaces a piece of a sound file; the lines were counted by hand in the changed text, the first line is 1.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from models.errors import HesuanError
from models.tariff_file import read_price_book
from models.toml_file import TomlError

SOUND = """\
currency = "CNY"

[[vat]]
valid_from = 2026-01-01
mode = "inclusive"
rate = "0.06"

[[version]]
id = "2026a"
valid_from = 2026-01-01
valid_to = 2027-01-01
approved_by = "校长办公会"
quantity_decimals = 4
not_priced = ["mem", "node", "billing"]

[version.runs]
node_fail = "refund"

[version.suspended]
"gpu:*" = "free"

[[version.price]]
item = "CPU-STD"
name = "CPU 核时"
partition = "cpu"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
price = "0.08"

[[version.price]]
item = "GPU"
name = "卡时"
resource = "gpu:*"
unit = "device-hour"
list_price = "6.00"

[[version]]
id = "2027a"
valid_from = 2027-01-01
approved_by = "校长办公会"

[[version.price]]
item = "CPU-STD"
name = "CPU 核时"
resource = "cpu"
unit = "core-hour"
list_price = "0.10"
"""

VERSIONS = SOUND[SOUND.index("[[version]]") :]

# (what is replaced, by what, [(line, words)])
# fmt: off
CASES: list[tuple[str, str, list[tuple[int, str]]]] = [
    ('currency = "CNY"', 'currency = "cny"', [(1, '“currency”不能是 "cny"。请写三个大写字母的币种代码，如 "CNY"。')]),
    ('currency = "CNY"\n', "", [(1, "缺少“currency”。请补上，写法见 hesuan init 生成的样例。")]),
    ('currency = "CNY"', 'curency = "CNY"', [(1, "不认识“curency”。是否应为“currency”？请改正或删除。")]),
    ('currency = "CNY"', "currency = CNY", [(1, "“currency = CNY”不符合 TOML 语法（Invalid value）。请检查等号、引号、括号和逗号；文字要加引号，数字和日期不能缺位。")]),
    ('currency = "CNY"', "currency = “CNY”", [(1, "出现全角符号 “ 。请改用半角（英文输入法）的引号、等号、逗号和括号。")]),
    ('"卡时"', '"卡时', [(33, '“name = "卡时”的引号没有关闭。请在这一行补上右引号。')]),
    ('["mem", "node", "billing"]', '["mem", "node", "billing"', [(16, "到这里仍有引号或括号没有关闭。请往前找到它并补上。")]),
    ('id = "2026a"', 'id = "2026a"\nid = "2026b"', [(10, '“id = "2026b"”：同一个键或同一张表写了两次。请删去其中一处；要写多张表，请用双方括号，如 [[version]]。')]),
    ("[version.runs]", '[version.runs]\nfailed = """never closed', [(49, "到这里仍有引号或括号没有关闭。请往前找到它并补上。")]),
    ('id = "2026a"', 'id = "2026a"\ncolour = "red"', [(10, "不认识“colour”。此处可用：id、valid_from、valid_to、approved_by、quantity_decimals、not_priced、runs、suspended、price、meter、band、factor、last_month、pool、quota、credit、contribution。请改正或删除。")]),
    ('node_fail = "refund"', 'node_fail = "refund"\nquantity_decimals = 2', [(18, "“quantity_decimals”写错了位置，它属于 [[version]]。请移到 [[version]] 之下、下一个方括号标题之前。")]),
    ('node_fail = "refund"', 'node_fail = "refund"\ncurrency = "CNY"', [(18, "“currency”写错了位置，它属于整个文件。请移到文件开头、第一个方括号标题之前。")]),
    ('list_price = "6.00"', "list_price = 6.00", [(36, '“list_price”是没有加引号的 6.00。为保证分毫不差，请加引号写成 "6.00"。')]),
    ('list_price = "6.00"', "list_price = 6", [(36, '“list_price”是没有加引号的 6。为保证分毫不差，请加引号写成 "6"。')]),
    ('rate = "0.06"', "rate = 0.06", [(6, '“rate”是没有加引号的 0.06。为保证分毫不差，请加引号写成 "0.06"。')]),
    ('list_price = "6.00"', 'list_price = "￥6.00"', [(36, '“list_price”不是十进制数："￥6.00"。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ('list_price = "6.00"', 'list_price = "6,000.00"', [(36, '“list_price”不是十进制数："6,000.00"。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ('list_price = "6.00"', 'list_price = "NaN"', [(36, '“list_price”不是十进制数："NaN"。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ('list_price = "6.00"', "list_price = nan", [(36, '“list_price”不是十进制数：NaN。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ('list_price = "6.00"', "list_price = true", [(36, '“list_price”不是十进制数：true。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ('list_price = "6.00"', 'list_price = "-6.00"', [(36, '“list_price”不能是负数，现为 "-6.00"。请写零或正数。')]),
    ('list_price = "6.00"', "list_price = -6.00", [(36, "“list_price”不能是负数，现为 -6.00。请写零或正数。")]),
    ('list_price = "6.00"', 'list_price = "0.123456789"', [(36, '“list_price”最多 8 位小数，现为 "0.123456789"。请减少位数，或换用更大的计价单位。')]),
    ('list_price = "6.00"', 'list_price = "1234567890"', [(36, '“list_price”的整数部分最多 9 位，现为 "1234567890"。请核对。')]),
    ('list_price = "6.00"', 'list_price = "６.00"', [(36, '“list_price”不是十进制数："６.00"。请只写半角数字和小数点并加引号，如 "0.08"，不带货币符号、百分号和千分位。')]),
    ("valid_from = 2027-01-01", "valid_from = 2026-12-01", [(38, "“2027a”版自 2026-12-01 起，与“2026a”版（第 8 行，到 2027-01-01 止，不含当天）重叠。请使前一版的 valid_to 等于后一版的 valid_from。")]),
    ("valid_from = 2027-01-01", "valid_from = 2027-02-01", [(38, "“2026a”版（第 8 行）到 2027-01-01 止（不含当天），“2027a”版自 2027-02-01 起，其间没有价格。请将前一版的 valid_to 改为 2027-02-01，或补一版。")]),
    ("valid_to = 2027-01-01", "valid_to = 2026-01-01", [(11, "valid_to（2026-01-01）应晚于 valid_from（2026-01-01）。valid_to 当天已不在期内，请写最后一天的次日。")]),
    ("valid_to = 2027-01-01", "valid_to = 2027-01-01T00:00:00+08:00", [(11, "“valid_to”应为日期，不带时刻，现为 2027-01-01T00:00:00+08:00。请写成 2027-01-01；一天从当地零点开始。")]),
    ("valid_to = 2027-01-01", 'valid_to = "2027-01-01"', [(11, '“valid_to”是加了引号的 "2027-01-01"。日期不加引号，请写成 2027-01-01。')]),
    ("valid_to = 2027-01-01", "valid_to = 2027", [(11, "“valid_to”应为日期，现为 2027。请写成 2026-01-01，不加引号。")]),
    ('id = "2027a"', 'id = "2026a"', [(38, "版本号“2026a”已在第 8 行用过。请换一个未用过的版本号。")]),
    ('id = "2027a"', 'id = "2027 甲"', [(39, '“id”不能是 "2027 甲"。编码只用英文字母、数字和 . _ -，以字母或数字开头。请改正。')]),
    ('approved_by = "校长办公会"\nq', 'approved_by = ""\nq', [(12, "“approved_by”是空的。请填写内容。")]),
    ("quantity_decimals = 4", 'quantity_decimals = "4"', [(13, '“quantity_decimals”应为整数，现为 "4"。请写不带引号和小数点的数字。')]),
    ("quantity_decimals = 4", "quantity_decimals = 9", [(13, "“quantity_decimals”应在 0 到 6 之间，现为 9。请改正。")]),
    ('["mem", "node", "billing"]', '"mem"', [(14, '“not_priced”应为列表，现为 "mem"。请写成 ["甲", "乙"] 的形式。')]),
    ('["mem", "node", "billing"]', '["mem", "nodes"]', [(14, '不认识资源 "nodes"。是否应为“node”？请改正。')]),
    ('["mem", "node", "billing"]', '["mem", 3]', [(14, "“not_priced[2]”应为文字，现为 3。请加上引号。")]),
    ('item = "GPU"\nname = "卡时"\n', 'item = "CPU-STD"\nname = "卡时"\n', [(31, "“CPU-STD”的 name 是“卡时”，与第 22 行的“CPU 核时”不同。同一编码在一版中只有一个名称和单位，请统一或另取编码。")]),
    ('resource = "gpu:*"\n', 'resource = "gpu:*"\n[[version.price]]\nitem = "GPU-A"\nname = "A 卡时"\nresource = "gpu:a100"\nqos = "high"\nlist_price = "9"\nunit = "device-hour"\n[[version.price]]\nitem = "X"\nname = "x"\nresource = "node"\n', [(31, "缺少“unit”。请补上，写法见 hesuan init 生成的样例。"), (31, "缺少“list_price”。请补上，写法见 hesuan init 生成的样例。"), (46, '资源 node 的计价单位是“node-hour”，现为 "device-hour"。请改为“node-hour”，并确认价格按此单位计。')]),
    ('unit = "device-hour"', 'unit = "卡时"', [(35, '资源 gpu:* 的计价单位是“device-hour”，现为 "卡时"。请改为“device-hour”，并确认价格按此单位计。')]),
    ('resource = "gpu:*"', 'resource = "gpu"', [(34, '不认识资源 "gpu"。是否应为“gpu:*”？请改正。')]),
    ('resource = "gpu:*"', 'resource = "gres/gpu:a100"', [(34, '不认识资源 "gres/gpu:a100"。是否应为“gpu:a100”？请改正。')]),
    ('resource = "gpu:*"', 'resource = "GPU:a100"', [(34, '不认识资源 "GPU:a100"。是否应为“gpu:a100”？请改正。')]),
    ('resource = "gpu:*"', 'resource = "memory"', [(34, '不认识资源 "memory"。是否应为“mem”？请改正。')]),
    ('resource = "gpu:*"', 'resource = "license"', [(34, '不认识资源 "license"。可用：cpu、mem、node、billing，或加速卡 gpu:*、npu:*、dcu:*、mlu:*、gcu:*、xpu:*、ppu:*、vpu:*、hpu:*、fpga:*（* 处可写型号）。其他加速卡请先列入 site.toml 的 accelerators。')]),
    ('resource = "gpu:*"', 'resource = ""', [(34, '“resource”不能是 ""。请写确切的名称，或用半角 * 代表任意字符；不能为空，不能含空格和 ? [ ] { }。')]),
    ('resource = "gpu:*"', 'resource = "gpu:[ab]100"', [(34, '“resource”不能是 "gpu:[ab]100"。请写确切的名称，或用半角 * 代表任意字符；不能为空，不能含空格和 ? [ ] { }。')]),
    ('resource = "gpu:*"\n', "", [(31, "缺少“resource”。请补上，写法见 hesuan init 生成的样例。")]),
    ('unit = "device-hour"\n', "", [(31, "缺少“unit”。请补上，写法见 hesuan init 生成的样例。")]),
    ('node_fail = "refund"', 'NODE_FAIL = "refund"', [(17, "不认识“NODE_FAIL”。是否应为“node_fail”？请改正或删除。")]),
    ('node_fail = "refund"', 'exploded = "refund"', [(17, "不认识“exploded”。此处可用：boot_fail、cancelled、completed、deadline、failed、node_fail、out_of_memory、preempted、requeued、resizing、revoked、running、suspended、timeout、unknown。请改正或删除。")]),
    ('node_fail = "refund"', 'node_fail = "refunded"', [(17, '“node_fail”不能是 "refunded"。可用：bill、refund、free。')]),
    ('node_fail = "refund"', "node_fail = true", [(17, "“node_fail”不能是 true。可用：bill、refund、free。")]),
    ('"gpu:*" = "free"', '"gpu:*" = "refund"', [(20, '“gpu:*”不能是 "refund"。可用：bill、free。')]),
    ('"gpu:*" = "free"', 'cpu = "free"', [(20, "挂起期间不消耗 CPU，此处不必也不能规定 cpu。请删除这一行。")]),
    ('"gpu:*" = "free"', '"gpus:*" = "free"', [(20, '不认识资源 "gpus:*"。是否应为“gpu:*”？请改正。')]),
    ('"gpu:*" = "free"', 'not_priced = ["gpu:*"]', [(20, "“not_priced”写错了位置，它属于 [[version]]。请移到 [[version]] 之下、下一个方括号标题之前。")]),
    ('[[version]]\nid = "2027a"', '[[version]]\nid = "2027b"\nvalid_from = 2028-01-01\napproved_by = "校长办公会"\n[[version]]\nid = "2027a"', [(38, '本版没有任何价格。请至少写一行 [[version.price]]；不收费的资源写明价格 "0"。')]),
    ('rate = "0.06"', 'rate = "6"', [(6, '“rate”应为 0 到 1 之间的小数，现为 "6"。若为百分之几，请写成 "0.06"。')]),
    ('rate = "0.06"\n', "", [(3, "缺少“rate”。请补上，写法见 hesuan init 生成的样例。")]),
    ('mode = "inclusive"', 'mode = "none"', [(6, 'mode 为 none（不计税）时不能有税率 "0.06"。请删除 rate，或改 mode。')]),
    ('mode = "inclusive"', 'mode = "included"', [(5, '“mode”不能是 "included"。可用：inclusive、exclusive、none。')]),
    ('rate = "0.06"', 'rate = "0.06"\n[[vat]]\nvalid_from = 2026-01-01\nmode = "none"', [(8, "税率应按日期先后排列：2026-01-01 不晚于上一项的 2026-01-01。请调整顺序或日期。")]),
    ('[[vat]]\nvalid_from = 2026-01-01\nmode = "inclusive"\nrate = "0.06"\n', "", [(1, '没有写税率。请至少写一个 [[vat]]；不计税请写 mode = "none"。')]),
    ("[[vat]]\nvalid_from = 2026-01-01", "[[vat]]\nvalid_from = 2026-02-01", [(4, "税率自 2026-02-01 起，晚于最早的“2026a”版（2026-01-01）。请将首项税率的 valid_from 改为 2026-01-01 或更早。")]),
    ("[[vat]]", "[vat]", [(3, "“vat”应为表的列表。请每一项各写一个双方括号标题 [[vat]]。")]),
    ('[version.runs]\nnode_fail = "refund"', 'runs = "refund"', [(16, "“version.runs”应为一张表。请写成单方括号标题 [version.runs]，其下逐行写键和值。")]),
    (VERSIONS, "", [(1, "价目中没有任何版本。请至少写一个 [[version]] 及其 [[version.price]]。")]),
    ('currency = "CNY"', 'currency = "CNY"\nversions = []', [(2, "不认识“versions”。是否应为“version”？请改正或删除。")]),
    ('resource = "gpu:*"\nunit = "device-hour"\nlist_price = "6.00"\n', 'resource = "gpu:*"\nunit = "device-hour"\nlist_price = "6.00"\n\n[[version.price]]\nitem = "GPU-A100"\nname = "A100 卡时"\nqos = "high"\nresource = "gpu:a100"\nunit = "device-hour"\nlist_price = "9.00"\n', [(38, "“GPU-A100”这一行永远用不上：第 31 行的“GPU”先匹配了它的全部范围。请把范围窄的一行移到前面，或删去一行。")]),
    ('name = "卡时"', 'name = "卡时"\ncluster = "gpu 1"', [(34, '“cluster”不能是 "gpu 1"。请写确切的名称，或用半角 * 代表任意字符；不能为空，不能含空格和 ? [ ] { }。')]),
    ('price = "0.08"', "price = 0.08", [(29, '“price”是没有加引号的 0.08。为保证分毫不差，请加引号写成 "0.08"。')]),
]
# fmt: on


def refused(tmp_path: Path, content: str | bytes) -> TomlError:
    file = tmp_path / "tariffs.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TomlError) as caught:
        read_price_book(file)
    return caught.value


def test_the_sound_file_is_sound(tmp_path):
    file = tmp_path / "tariffs.toml"
    file.write_text(SOUND, encoding="utf-8")
    assert [version.version for version in read_price_book(file).versions] == ["2026a", "2027a"]


@pytest.mark.parametrize(("old", "new", "faults"), CASES)
def test_refused_with_line_and_words(tmp_path, old, new, faults):
    assert old in SOUND
    error = refused(tmp_path, SOUND.replace(old, new, 1))
    file = tmp_path / "tariffs.toml"
    assert error.text("zh").splitlines() == [f"{file} 第 {line} 行：{words}" for line, words in faults]
    english = error.text("en").splitlines()
    assert [text.rsplit(f"{file}:")[1].split(":")[0] for text in english] == [str(line) for line, _ in faults]
    assert str(error) == error.text("en")


def test_all_faults_are_shown_together(tmp_path):
    content = (
        SOUND.replace('"CNY"', '"cny"')
        .replace('"0.06"', "0.06")
        .replace("2026a", "2027a")
        .replace('"cpu"', '"gpu"', 2)
    )
    assert [(fault.line, fault.key) for fault in refused(tmp_path, content).faults] == [
        (1, "toml.currency_form"),
        (6, "toml.decimal_unquoted"),
        (26, "tariff.resource_near"),
        (38, "tariff.version_twice"),
    ]


def test_a_faulty_version_leaves_no_gap(tmp_path):
    content = SOUND.replace(
        '[[version]]\nid = "2027a"\nvalid_from = 2027-01-01', '[[version]]\nid = "2027a"\nvalid_from = 2027'
    ) + (
        '[[version]]\nid = "2028a"\nvalid_from = 2028-01-01\napproved_by = "x"\n[[version.price]]\n'
        'item = "N"\nname = "n"\nresource = "node"\nunit = "node-hour"\nlist_price = "1"\n'
    )
    assert [(fault.line, fault.key) for fault in refused(tmp_path, content).faults] == [(40, "toml.not_day")]


def test_an_overlap_fills_what_looks_like_a_gap(tmp_path):
    """2026a lasts over 2026b, 2027a follows on 2026a: one overlap, no gap."""
    extra = (
        '[[version]]\nid = "2026b"\nvalid_from = 2026-03-01\nvalid_to = 2026-04-01\napproved_by = "x"\n'
        '[[version.price]]\nitem = "N"\nname = "n"\nresource = "node"\nunit = "node-hour"\nlist_price = "1"\n'
    )
    assert [fault.key for fault in refused(tmp_path, SOUND + extra).faults] == ["tariff.overlap"]


def test_a_gbk_file_is_named_as_such(tmp_path):
    error = refused(tmp_path, SOUND.encode("gbk"))
    # The first Chinese characters stand on line 12.
    assert [(fault.line, fault.key) for fault in error.faults] == [(12, "toml.not_utf8")]
    assert "UTF-8" in error.text("zh")


def test_nested_beyond_reason(tmp_path):
    assert refused(tmp_path, "x = " + "[" * 100_000).faults[0].key == "toml.syntax"


def test_no_file_and_no_access(tmp_path):
    with pytest.raises(HesuanError) as caught:
        read_price_book(tmp_path / "tariffs.toml")
    assert caught.value.key == "tariff.no_file"
    assert f"hesuan init {tmp_path}" in caught.value.text("zh")
    (tmp_path / "tariffs.toml").mkdir()
    with pytest.raises(HesuanError) as caught:
        read_price_book(tmp_path / "tariffs.toml")
    assert caught.value.key == "toml.unreadable"
