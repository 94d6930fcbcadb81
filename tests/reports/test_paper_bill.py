"""The bill as a PDF: what is printed, that it adds up, that nothing overlaps or leaves the page, the same bytes."""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path

import pytest
import samples
from pypdf import PdfReader

from reports.bill import Bill
from reports.paper.bill import write_bill
from reports.paper.bill_details import details
from reports.paper.bill_front import front
from reports.paper.bill_lines import charges
from reports.paper.bill_shares import shares
from reports.paper.bill_sign import signatures
from reports.paper.kit.block import paginate
from reports.paper.kit.pen import Pen
from reports.paper.kit.style import BODY_BOTTOM, BODY_TOP, MARGIN, WIDTH
from reports.paper.kit.table import Column, Row, table
from reports.paper.kit.text import width
from reports.paper.say import Say


def huge_bill() -> Bill:
    """Amounts of fourteen digits and prices of eight decimals."""
    bill = samples.small_bill()
    wide = Decimal("98765432109876.54")
    return replace(
        bill,
        lines=tuple(
            replace(
                line,
                quantity=Decimal("1234567890123.123456"),
                unit_price=Decimal("79.99999999"),
                list_price=Decimal("80.5"),
                list_cost=wide,
                billed_cost=wide,
            )
            for line in bill.lines
        ),
        tax=samples.tax_of(wide, "exclusive", Decimal("0.06")),
        by_project=tuple(replace(share, billed_cost=wide, core_hours=wide) for share in bill.by_project),
        by_user=tuple(replace(share, billed_cost=wide, core_hours=wide) for share in bill.by_user),
        by_day=tuple(replace(share, billed_cost=wide) for share in bill.by_day),
        day_users=tuple(replace(use, billed_cost=wide, core_hours=wide) for use in bill.day_users),
        largest_runs=tuple(replace(run, billed_cost=wide, core_hours=wide) for run in bill.largest_runs),
    )


def empty_bill() -> Bill:
    """A month without any use."""
    bill = samples.with_tax(replace(samples.zero_bill(), lines=()), "none")
    return replace(
        bill,
        by_project=(),
        by_user=(),
        by_day=(),
        day_users=(),
        largest_runs=(),
        runs_count=0,
        not_charged=(),
    )


def long_bill() -> Bill:
    """Eighteen items whose quantities and prices have different decimals, half of them at the list price."""
    bill = samples.small_bill()
    places = (Decimal("0.0001"), Decimal("0.01"), Decimal(1))
    lines = [
        replace(
            bill.lines[n % 3],
            item=f"ITEM-{n:02d}",
            name=f"第 {n} 类资源",
            name_en=f"Resource {n}",
            quantity=Decimal(1000 + n * 377).quantize(places[n % 3]),
            consumed=Decimal(1000 + n * 377).quantize(places[n % 3]),
            list_price=Decimal("0.1000"),
            unit_price=Decimal("0.1") if n % 2 else Decimal("0.0855"),
        )
        for n in range(18)
    ]
    priced = tuple(
        replace(
            line,
            list_cost=(line.quantity * line.list_price).quantize(samples.FEN, ROUND_HALF_UP),
            billed_cost=(line.quantity * line.unit_price).quantize(samples.FEN, ROUND_HALF_UP),
        )
        for line in lines
    )
    return samples.with_tax(replace(bill, lines=priced), "inclusive")


def wordy_bill() -> Bill:
    """An issuer, a number and contacts far longer than their places."""
    bill = samples.draft_bill()
    long = "国家超级计算与人工智能融合创新公共服务平台运营管理中心（示例）" * 3
    issuer = replace(
        bill.issuer, name=long, name_en="Very Long Name of a Centre " * 6, address=long, payee_account=long
    )
    payer = replace(bill.payer, cost_card="KY-" * 40, contact=long, user_class="internal-" * 20)
    return replace(bill, number=f"HS-2026-09-{'x' * 120}-01", issuer=issuer, payer=payer)


def dollar_bill() -> Bill:
    """The small bill in another currency."""
    return replace(samples.small_bill(), currency="USD")


BILLS: list[Callable[[], Bill]] = [
    samples.small_bill,
    samples.draft_bill,
    samples.one_line_bill,
    samples.zero_bill,
    samples.negative_bill,
    samples.hostile_bill,
    samples.many_users_bill,
    huge_bill,
    long_bill,
    wordy_bill,
    empty_bill,
    dollar_bill,
]


def pages(bill: Bill, lang: str, path: Path) -> list[str]:
    """The text of each page, read by another program."""
    count = write_bill(bill, path, lang)
    texts = [page.extract_text() for page in PdfReader(path).pages]
    assert len(texts) == count
    return texts


def rows(bill: Bill, lang: str, path: Path) -> list[str]:
    """All lines of the document as they stand on its pages."""
    write_bill(bill, path, lang)
    reader = PdfReader(path)
    return [
        line.strip()
        for page in reader.pages
        for line in page.extract_text(extraction_mode="layout").splitlines()
    ]


def amount(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))


def test_the_first_page_answers(tmp_path: Path) -> None:
    first = pages(samples.small_bill(), "zh", tmp_path / "bill.pdf")[0]
    said = [
        "人工智能学院 智能计算课题组应向示例大学计算中心支付2026年9月的算力费用",
        "¥5,480.33",
        "大写：人民币伍仟肆佰捌拾元叁角叁分",
        "其中不含税金额 ¥5,170.12，增值税 ¥310.21（税率 6%）",
        # 3,186.00 + 736.12 of 5,170.12 is 75.86 %.
        "通用 CPU\n3,922.12\n75.9",
        # 2026-09-10: 32,000 core-hours at 0.06; of 5,170.12 it is 37.14 %.
        "9月10日最高：¥1,920.00，占全月 37.1%",
        # 5,170.12 x 0.8 = 4,136.10 the month before.
        "+25.0%",
        "请在收到本单之日起 10 日内提出",
        "KY-2026-0417",
        "赵敏 zhaomin@example.edu.cn",
    ]
    places = [first.find(text) for text in said]
    assert -1 not in places
    assert places == sorted(places)


def test_lines_show_what_was_used_and_priced(tmp_path: Path) -> None:
    found = rows(samples.small_bill(), "zh", tmp_path / "bill.pdf")
    line = next(row for row in found if row.startswith("A100 加速卡") and "gpu1" in row)
    assert line.split()[2:] == ["gpu1", "卡时", "310.7500", "312.0000", "6.00", "4.00", "1,248.00"]
    totals = [re.split(r"\s{2,}", row) for row in found]
    assert ["按目录价合计", "7,171.60"] in totals
    assert ["协议价与目录价之差", "−2,001.48"] in totals
    assert ["不含税金额", "5,170.12"] in totals
    assert ["增值税（6%）", "310.21"] in totals
    assert ["价税合计", "5,480.33"] in totals


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("inclusive", ["合计（含税） 5,170.12", "其中：不含税金额 4,877.47", "其中：增值税（6%） 292.65"]),
        ("none", ["合计 5,170.12", "本单不计增值税"]),
    ],
)
def test_tax(mode: str, said: list[str], tmp_path: Path) -> None:
    bill = samples.with_tax(samples.small_bill(), mode)
    found = [re.sub(r"\s+", " ", row) for row in rows(bill, "zh", tmp_path / "bill.pdf")]
    assert set(said) <= set(found)
    assert "¥5,170.12" in found


@pytest.mark.parametrize("make", [samples.small_bill, samples.negative_bill, samples.many_users_bill])
def test_printed_rows_add_up_to_printed_totals(make: Callable[[], Bill], tmp_path: Path) -> None:
    bill = make()
    found = rows(bill, "zh", tmp_path / "bill.pdf")
    total = bill.billed_total
    charged = [row.split() for row in found if re.search(r"\scpu1\s|\sgpu1\s", row)]
    assert sum(amount(cells[-1]) for cells in charged) == total
    days = [re.split(r"\s{2,}", row) for row in found if re.search(r"\s2026-09-\d\d\s+p-", row)]
    assert len(days) == len(bill.day_users)
    assert sum(amount(cells[-1]) for cells in days) == total
    by_user: dict[str, Decimal] = defaultdict(Decimal)
    for cells in days:
        by_user[cells[0]] += amount(cells[-1])
    subtotals = dict(re.findall(r"^(\S+) 小计 .*?(\S+)$", "\n".join(found), re.MULTILINE))
    assert {user: amount(text) for user, text in subtotals.items()} == {
        user: by_user[user] for user in subtotals
    }
    shared = [row.split() for row in found if row.startswith("合计 ") and len(row.split()) > 2]
    # Projects, users, perhaps all users, and the details: each table ends in the same total.
    amounts = {next(cell for cell in cells if cell.endswith(f"{abs(total):,.2f}")) for cells in shared}
    assert amounts == {f"{total:,.2f}".replace("-", "−")}


def test_many_users_are_named_in_the_details_only(tmp_path: Path) -> None:
    bill = samples.many_users_bill()
    texts = pages(bill, "zh", tmp_path / "bill.pdf")
    cover = next(n for n, text in enumerate(texts) if "全部用户" in text)
    assert "其余 180 位用户（见费用明细）" in "".join(texts[:cover])
    after = "".join(texts[cover:])
    assert all(share.key in after for share in bill.by_user)


def test_pages_are_numbered_and_footed(tmp_path: Path) -> None:
    texts = pages(samples.large_bill(), "zh", tmp_path / "bill.pdf")
    assert len(texts) >= 30
    for number, text in enumerate(texts, 1):
        assert f"第 {number} 页 / 共 {len(texts)} 页" in text
        assert "HS-2026-09-ai-zhao-01　价格版本 2026a、2026b　输入 3c9e1b7a4d20　hesuan 0.1.0" in text


@pytest.mark.parametrize(("lang", "mark"), [("zh", "草稿"), ("en", "DRAFT")])
def test_a_draft_is_marked_on_every_page(lang: str, mark: str, tmp_path: Path) -> None:
    drafts = pages(samples.draft_bill(), lang, tmp_path / "draft.pdf")
    # Across the page and in its head.
    assert all(text.count(mark) >= 2 for text in drafts)
    assert not any(mark in text for text in pages(samples.small_bill(), lang, tmp_path / "final.pdf"))


def test_nothing_to_pay_shows_the_use(tmp_path: Path) -> None:
    first = pages(samples.zero_bill(), "zh", tmp_path / "bill.pdf")[0]
    assert "无需付款" in first
    assert "人民币零元整" in first
    assert "9月10日最高：32,000 核时，占全月 50.3%" in first


def test_a_credit_is_refunded(tmp_path: Path) -> None:
    first = pages(samples.negative_bill(), "zh", tmp_path / "bill.pdf")[0]
    assert "示例大学计算中心应向人工智能学院 智能计算课题组退还2026年9月的算力费用 ¥1,174.56" in first
    assert "−¥1,174.56" in first
    assert "人民币负壹仟壹佰柒拾肆元伍角陆分" in first
    # -1,174.56 against 9,876.50 is 11,051.06 less: said in money, for a percentage says nothing of a credit.
    assert "−¥11,051.06" in first
    assert "比2026年8月的 ¥9,876.50 少" in first


def test_a_month_without_use(tmp_path: Path) -> None:
    texts = pages(empty_bill(), "zh", tmp_path / "bill.pdf")
    assert "本月没有用量，也没有费用。" in texts[0]
    assert "本月共 0 次运行" in texts[-1]


def test_english_and_other_currencies(tmp_path: Path) -> None:
    texts = pages(dollar_bill(), "en", tmp_path / "bill.pdf")
    assert "USD 5,480.33" in texts[0]
    assert "Amount (USD)" in texts[0]
    assert "capitals" not in texts[0]
    assert "¥" not in "".join(texts)
    assert "Page 1 of 3" in texts[0]
    assert "timed out" in texts[-1]


def test_what_users_write_is_shown_as_it_is(tmp_path: Path) -> None:
    text = "".join(pages(samples.hostile_bill(), "zh", tmp_path / "bill.pdf")).replace("\n", "")
    assert "（第二期）<b>&\"'" in text
    assert "<b>&amp;" in text
    assert "喆犇堃䶮㛃𬱟喆犇" in text
    assert "𬱟字学院" in text


class Recorder(Pen):
    """A pen that also remembers where its text stands."""

    def __init__(self) -> None:
        super().__init__(title="", author="", subject="", creator="", lang="zh")
        self.spans: list[tuple[float, float, float, str]] = []

    def text(
        self, x: float, y: float, text: str, size: float, *, bold: bool = False, color: str = "#000000"
    ) -> None:
        super().text(x, y, text, size, bold=bold, color=color)
        if text:
            self.spans.append((x, x + width(text, size, bold=bold), y, text))


def test_the_five_largest_items_and_the_rest_are_the_whole(tmp_path: Path) -> None:
    found = rows(long_bill(), "zh", tmp_path / "bill.pdf")
    lines = [row.split() for row in found if re.search(r"类资源.*\s(cpu1|gpu1)\s", row)]
    assert len(lines) == 18
    assert {cells[-3] for cells in lines} == {"0.10"}
    assert {cells[-2] for cells in lines} == {"0.10", "0.0855"}
    items = [
        row for row in found if re.match(r"(第 \d+ 类资源|其余 13 个项目)\s+[\d,.]+\s+[\d.]+(\s|$)", row)
    ]
    assert len(items) == 6
    shown = [re.split(r"\s{2,}", row)[1] for row in items]
    assert sum(map(amount, shown)) == long_bill().billed_total


def test_decimal_points_stand_in_line() -> None:
    cells = ("1,000.0000", "2.5", "−7", "0.10")
    pen = Recorder()
    for block in table([Column("数", number=True), Column("文")], [Row((cell, "a")) for cell in cells]):
        block.paint(pen, 500.0)
    points = [left + width(text.partition(".")[0], 8.5) for left, _, _, text in pen.spans if text in cells]
    assert len(points) == len(cells)
    assert max(points) - min(points) < 0.01


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("make", BILLS)
def test_nothing_leaves_the_page_or_overlaps(make: Callable[[], Bill], lang: str) -> None:
    say = Say(make(), lang)
    blocks = [*front(say), *charges(say), *shares(say), *signatures(say), *details(say)]
    pen = Recorder()
    for page in paginate(blocks):
        pen.spans.clear()
        y = BODY_TOP
        for n, block in enumerate(page):
            y -= block.space if n else 0
            block.paint(pen, y)
            y -= block.height
        assert y >= BODY_BOTTOM - 0.1
        lines: dict[float, list[tuple[float, float, str]]] = defaultdict(list)
        for left, right, base, text in pen.spans:
            assert left >= MARGIN - 0.1, text
            assert right <= MARGIN + WIDTH + 0.1, text
            assert BODY_BOTTOM - 0.1 <= base <= BODY_TOP, text
            lines[round(base, 1)].append((left, right, text))
        for spans in lines.values():
            ordered = sorted(spans)
            for (_, end, one), (begin, _, other) in pairwise(ordered):
                assert end <= begin + 0.1, (one, other)


def test_the_same_bill_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import samples;"
        "from reports.paper.bill import write_bill; write_bill(samples.draft_bill(), Path(sys.argv[2]), 'zh')"
    )
    written = []
    for seed, zone in (("1", "UTC"), ("2", "Asia/Shanghai")):
        path = tmp_path / f"{seed}.pdf"
        subprocess.run(
            [sys.executable, "-c", script, str(Path(__file__).parent), str(path)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        )
        written.append(path.read_bytes())
    again = tmp_path / "again.pdf"
    # After another document in this process.
    write_bill(samples.one_line_bill(), again, "en")
    write_bill(samples.draft_bill(), again, "zh")
    assert written[0] == written[1] == again.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.pdf", "2.pdf", "again.pdf"]
