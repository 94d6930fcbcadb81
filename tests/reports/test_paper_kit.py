"""The kit: text that fits, pages that break well, fonts that hold every character of the catalogue."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from models.catalogue import entries
from reports.paper.kit.block import LAST_PAGE, Block, height, paginate
from reports.paper.kit.chart import Bars, bars
from reports.paper.kit.document import Furniture, render
from reports.paper.kit.fonts import BOLD, REGULAR, widths
from reports.paper.kit.parts import figures, heading, note, noted, pairs, paragraph, title
from reports.paper.kit.style import BODY_HEIGHT, MARGIN, WIDTH
from reports.paper.kit.table import Column, Row, table
from reports.paper.kit.text import cut, width, wrap

TEXTS = st.text(st.sampled_from("计算中心，。（）a1.-_/:@ <&>𬱟"), max_size=80)
CLOSING = "，。）"


def nothing(*_: object) -> None:
    """A block that shows nothing."""


@pytest.mark.parametrize("name", [REGULAR, BOLD])
def test_every_character_of_the_catalogue_is_in_the_fonts(name: str) -> None:
    said = {letter for languages in entries().values() for text in languages.values() for letter in text}
    rare = set("喆犇堃䶮㛃𬱟¥￥−—…<>×")
    missing = {letter for letter in said | rare if letter.isprintable() and ord(letter) not in widths(name)}
    assert not missing


def test_widths_are_the_fonts() -> None:
    # Noto Sans SC has 1,000 units to the em, Chinese characters as wide as high and figures of one width, 555.
    assert width("核算", 10) == 20
    assert width("0", 10) == width("1", 10) == pytest.approx(5.55)


@given(TEXTS, st.floats(30, 300))
def test_wrapping_loses_nothing_and_fits(text: str, limit: float) -> None:
    lines = wrap(text, 9.5, limit)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line, 9.5) <= limit + 0.02 for line in lines)


@given(TEXTS)
def test_closing_punctuation_does_not_begin_a_line(text: str) -> None:
    # Runs of punctuation longer than a line have to break somewhere, and at a blank any text may.
    text = text.replace(" ", "")
    calm = "".join(
        letter for n, letter in enumerate(text) if letter not in CLOSING or text[n - 1 : n] not in CLOSING
    )
    lines = wrap(calm.lstrip(CLOSING), 9.5, 60)
    assert all(line[:1] not in CLOSING or not line for line in lines[1:])


def test_breaks_where_a_reader_would() -> None:
    assert wrap("hpc-billing@example.edu.cn", 10, 200) == ["hpc-billing@example.edu.cn"]
    assert wrap("请联系 hpc-billing@example.edu.cn", 10, 150) == ["请联系", "hpc-billing@example.edu.cn"]
    assert wrap("较上月多 ¥1,034.02 元", 10, 80) == ["较上月多", "¥1,034.02 元"]
    assert wrap("very-long_identifier.of/many:parts", 10, 80) == [
        "very-long_",
        "identifier.of/",
        "many:parts",
    ]
    assert wrap("a\nb\tc\x00d", 10, 500) == ["a b c d"]
    assert wrap("", 10, 50) == [""]


@given(st.text(st.sampled_from("abcdef0123456789_[]"), min_size=1, max_size=100), st.floats(20, 200))
def test_cut_keeps_both_ends(text: str, limit: float) -> None:
    said = cut(text, 8.5, limit)
    if width(text, 8.5) <= limit:
        assert said == text
    else:
        head, _, tail = said.partition("…")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1
        assert width(said, 8.5) <= limit + 0.02


@given(st.lists(st.tuples(st.floats(5, 200), st.booleans(), st.booleans()), min_size=1, max_size=80))
def test_pages_hold_every_block_once_in_order(shapes: list[tuple[float, bool, bool]]) -> None:
    head = Block(15.0, nothing)
    blocks = [
        Block(high, nothing, space=5.0, keep_next=keep, head=head if headed else None)
        for high, keep, headed in shapes
    ]
    pages = paginate(blocks)
    assert [id(block) for page in pages for block in page if block is not head] == [
        id(block) for block in blocks
    ]
    for number, page in enumerate(pages):
        own = [block for block in page if block is not head]
        assert height(own) <= BODY_HEIGHT + 1e-6
        if number < len(pages) - 1 and any(not block.keep_next for block in own):
            # A page ends where a block may part from the next.
            assert not own[-1].keep_next
        if number and own[0].head:
            assert page[0] is head
    if len(pages) > 1 and not any(keep for _, keep, _ in shapes):
        assert height([block for block in pages[-1] if block is not head]) >= LAST_PAGE


def test_a_part_begins_a_page() -> None:
    pages = paginate([Block(10, nothing), Block(10, nothing, new_page=True), Block(10, nothing)])
    assert [len(page) for page in pages] == [1, 2]


def test_tables_keep_header_and_totals_with_rows() -> None:
    columns = [Column("项目"), Column("金额", number=True)]
    rows = [Row((f"项目 {n}", f"{n}.00")) for n in range(200)]
    blocks = table(columns, [*rows, Row(("合计", "19900.00"), "total")])
    pages = paginate(blocks)
    header = blocks[0]
    assert len(pages) > 3
    assert all(page[0] is header for page in pages)
    assert blocks[-1] in pages[-1]
    assert blocks[-2] in pages[-1]
    assert table(columns, []) == []


def furniture(mark: str = "") -> Furniture:
    return Furniture(
        title="对账",
        author="示例",
        subject="2026-09",
        creator="hesuan",
        lang="zh",
        letterhead=("示例大学计算中心", "左"),
        head=("示例", "续页"),
        foot="HS-1",
        page="第 {page} 页 / 共 {pages} 页",
        mark=mark,
    )


def test_a_document_of_all_parts() -> None:
    """What another report needs of the kit: title, key figures, pairs, tables with notes, a chart."""
    chart = Bars("1日最高", "单位", [1, 3, -1], [(0, "1")], str)  # type: ignore[list-item]
    content, pages = render(
        furniture("草稿"),
        [
            title("对账报告", "2026-09"),
            figures([("核时", "1,234.50", "实际"), ("卡时", "—", "未计量")]),
            heading("记录"),
            *noted(
                table([Column("去向"), Column("记录数", number=True)], [Row(("计费", "12"))]),
                "全部记录都有去向。",
            ),
            *pairs([("账期", "2026-09"), ("空", ""), ("时区", "Asia/Shanghai")]),
            bars(chart, x=MARGIN, wide=WIDTH, high=100),
            paragraph("喆犇堃䶮㛃𬱟 & <b>原样</b>"),
            note("注"),
            title("附页", "", new_page=True),
        ],
    )
    assert pages == 2
    reader = PdfReader(BytesIO(content))
    first, second = (page.extract_text() for page in reader.pages)
    for said in (
        "对账报告",
        "1,234.50",
        "全部记录都有去向。",
        "喆犇堃䶮㛃𬱟 & <b>原样</b>",
        "第 1 页 / 共 2 页",
    ):
        assert said in first
    assert "空" not in first
    assert "草稿" in first
    assert "草稿" in second
    assert "第 2 页 / 共 2 页" in second
    assert "续页" in second
    assert "续页" not in first
    assert [entry["/Title"] for entry in reader.outline if isinstance(entry, dict)] == ["对账报告", "附页"]


def test_characters_beyond_the_basic_plane_are_found_again() -> None:
    # More than 256 characters: two subsets, in both the character above U+FFFF.
    many = "".join(chr(0x4E00 + n) for n in range(300))
    content, _ = render(furniture(), [paragraph(many), paragraph("𬱟一𬱟"), paragraph("𬱟", bold=True)])
    text = PdfReader(BytesIO(content)).pages[0].extract_text()
    assert many in text.replace("\n", "")
    assert "𬱟一𬱟" in text
