"""Invented bills with right sums, made from a table of uses (a user's day in a project).

Every use has whole core-hours and whole device-hours, so its amount is exact to the fen and lines, projects, users
and days add up without rounding. All names are invented.

The small bill by hand (prices per hour: CPU list 0.08 / contracted 0.06 until the 15th, 0.10 / 0.07 from the 16th;
GPU list 6.00 / contracted 4.00):

    CPU 2026a  1,200 + 800 + 15,000 + 32,000 + 4,100 = 53,100 x 0.06 = 3,186.00   list 4,248.00
    CPU 2026b  640 + 9,876                           = 10,516 x 0.07 =   736.12   list 1,051.60
    GPU        24 + 96 + 192                         =    312 x 4.00 = 1,248.00   list 1,872.00
                                                               total   5,170.12   list 7,171.60, discount 2,001.48
    VAT 6 % on top 310.2072 -> 310.21, gross 5,480.33; prices that hold it: net 4,877.47, tax 292.65
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from models.site import Issuer
from reports.bill import Bill, BillLine, DayUse, Facts, NotCharged, Payer, RunRow, Share, Tax

FEN = Decimal("0.01")
FIRST = date(2026, 9, 1)
CHANGE = date(2026, 9, 16)
# 2026-09-01T00:00 in Asia/Shanghai, UTC seconds.
FIRST_S = 1_788_192_000
CPU_BEFORE = (Decimal("0.08"), Decimal("0.06"))
CPU_AFTER = (Decimal("0.10"), Decimal("0.07"))
GPU = (Decimal("6.00"), Decimal("4.00"))


class Use(NamedTuple):
    """One user's day in one project, whole hours."""

    day: date
    user: str
    project: str
    core_hours: int
    device_hours: int


ISSUER = Issuer(
    name="示例大学计算中心",
    name_en="Computing Centre, Example University",
    department="高性能计算部",
    address="示例市学院路 1 号信息楼 302 室",
    phone="010-00000000",
    email="hpc-billing@example.edu.cn",
    payee_account="示例大学　项目号 J-2026-0001",
    dispute_days=10,
)
PAYER = Payer(
    tenant="ai-zhao",
    name="智能计算课题组",
    name_en="Intelligent Computing Group",
    unit="人工智能学院",
    unit_en="School of Artificial Intelligence",
    user_class="internal",
    cost_card="KY-2026-0417",
    contact="赵敏 zhaomin@example.edu.cn",
)
PROJECTS = {"p-ai": ("大模型训练平台", "KY-2026-0417"), "p-cfd": ("湍流数值模拟", "KY-2026-0688")}
USERS = {"zhaomin": "赵敏", "liyan": "李䶮", "wangzhe": "王喆", "chenxi": "陈犇"}
SMALL_USES = (
    Use(date(2026, 9, 1), "zhaomin", "p-ai", 1200, 24),
    Use(date(2026, 9, 2), "zhaomin", "p-ai", 800, 96),
    Use(date(2026, 9, 2), "liyan", "p-cfd", 15000, 0),
    Use(date(2026, 9, 10), "wangzhe", "p-cfd", 32000, 0),
    Use(date(2026, 9, 15), "liyan", "p-cfd", 4100, 0),
    Use(date(2026, 9, 21), "chenxi", "p-ai", 640, 192),
    Use(date(2026, 9, 30), "wangzhe", "p-cfd", 9876, 0),
)


def tax_of(billed: Decimal, mode: str, rate: Decimal) -> Tax:
    """VAT of the sum of lines, half up: `exclusive` on top, `inclusive` out of it."""
    if mode == "exclusive":
        tax = (billed * rate).quantize(FEN, ROUND_HALF_UP)
        return Tax(mode, rate, billed, tax, billed + tax)
    if mode == "inclusive":
        net = (billed / (1 + rate)).quantize(FEN, ROUND_HALF_UP)
        return Tax(mode, rate, net, billed - net, billed)
    return Tax("none", Decimal(0), billed, Decimal(0), billed)


def with_tax(bill: Bill, mode: str, rate: Decimal = Decimal("0.06")) -> Bill:
    """The same bill with VAT of another kind."""
    return replace(bill, tax=tax_of(bill.billed_total, mode, rate))


def _amount(use: Use) -> Decimal:
    cpu = (CPU_BEFORE if use.day < CHANGE else CPU_AFTER)[1]
    return (use.core_hours * cpu + use.device_hours * GPU[1]).quantize(FEN)


def _line(
    number: int, uses: Sequence[Use], resource: str, prices: tuple[Decimal, Decimal], version: str
) -> BillLine:
    gpu = resource != "cpu"
    hours = Decimal(sum(u.device_hours if gpu else u.core_hours for u in uses)).quantize(Decimal("0.0001"))
    # What a minimum per run adds to the GPU line: consumed is a little less than priced.
    consumed = hours - (Decimal("1.2500") if gpu and hours > 2 else 0)
    return BillLine(
        line=f"{number:03d}",
        item="GPU-A100" if gpu else "CPU-NORMAL",
        name="A100 加速卡" if gpu else "通用 CPU",
        name_en="A100 accelerator" if gpu else "General CPU",
        cluster="gpu1" if gpu else "cpu1",
        resource=resource,
        unit="device-hour" if gpu else "core-hour",
        consumed=consumed,
        quantity=hours,
        list_price=prices[0],
        unit_price=prices[1],
        list_cost=(hours * prices[0]).quantize(FEN),
        billed_cost=(hours * prices[1]).quantize(FEN),
        tariff_version=version,
    )


def _lines(uses: Sequence[Use]) -> tuple[BillLine, ...]:
    before = [u for u in uses if u.day < CHANGE]
    after = [u for u in uses if u.day >= CHANGE]
    parts = (
        (before, "cpu", CPU_BEFORE, "2026a"),
        (after, "cpu", CPU_AFTER, "2026b"),
        (uses, "gpu:a100", GPU, "2026a"),
    )
    lines = [_line(n, *part) for n, part in enumerate(parts, 1)]
    return tuple(line for line in lines if line.quantity)


def _shares(
    uses: Sequence[Use], key: Callable[[Use], str], names: dict[str, tuple[str, str]]
) -> tuple[Share, ...]:
    groups: dict[str, list[Use]] = defaultdict(list)
    for use in uses:
        groups[key(use)].append(use)
    return tuple(
        Share(
            key=name,
            name=names.get(name, ("", ""))[0],
            cost_card=names.get(name, ("", ""))[1],
            runs=len(group),
            core_hours=Decimal(sum(u.core_hours for u in group)),
            device_hours=Decimal(sum(u.device_hours for u in group)),
            billed_cost=sum((_amount(u) for u in group), Decimal("0.00")),
        )
        for name, group in sorted(groups.items())
    )


def _run(number: int, use: Use) -> RunRow:
    start = FIRST_S + (use.day - FIRST).days * 86_400 + 9 * 3600 + 17 * 60
    return RunRow(
        cluster="gpu1" if use.device_hours else "cpu1",
        job_id=str(480_000 + number),
        job_name=f"train-{use.project}-{number}",
        project=use.project,
        account=use.project,
        user=use.user,
        partition="a100" if use.device_hours else "normal",
        qos="normal",
        state="COMPLETED" if number % 5 else "TIMEOUT",
        submit_s=start - 600,
        start_s=start,
        end_s=start + 13 * 3600,
        core_hours=Decimal(use.core_hours),
        device_hours=Decimal(use.device_hours),
        devices="gpu:a100" if use.device_hours else "",
        billed_cost=_amount(use),
        treatment="bill",
    )


def bill_of(uses: Sequence[Use], users: dict[str, str], projects: dict[str, tuple[str, str]]) -> Bill:
    """A final bill of these uses, VAT on top, compared with a smaller month before."""
    lines = _lines(uses)
    billed = sum((line.billed_cost for line in lines), Decimal("0.00"))
    runs = sorted((_run(n, use) for n, use in enumerate(uses, 1)), key=lambda r: (-r.billed_cost, r.job_id))
    return Bill(
        number="HS-2026-09-ai-zhao-01",
        period="2026-09",
        first_day=FIRST,
        last_day=date(2026, 9, 30),
        timezone="Asia/Shanghai",
        currency="CNY",
        draft=False,
        issuer=ISSUER,
        payer=PAYER,
        lines=lines,
        tax=tax_of(billed, "exclusive", Decimal("0.06")),
        previous_net=(billed * Decimal("0.8")).quantize(FEN, ROUND_HALF_UP),
        by_project=_shares(uses, lambda u: u.project, projects),
        by_user=_shares(uses, lambda u: u.user, {user: (name, "") for user, name in users.items()}),
        by_day=_shares(uses, lambda u: u.day.isoformat(), {}),
        day_users=tuple(
            DayUse(u.day, u.user, u.project, 1, Decimal(u.core_hours), Decimal(u.device_hours), _amount(u))
            for u in sorted(uses)
        ),
        largest_runs=tuple(runs[:20]),
        runs_count=len(uses),
        not_charged=(
            NotCharged("refund", "cpu", 3, Decimal("128.5000"), "core-hour"),
            NotCharged("included", "mem", len(uses), Decimal("20480.0000"), "GiB-hour"),
        ),
        facts=Facts(
            tariff_versions=(("2026a", "5f" * 32), ("2026b", "a1" * 32)),
            input_hash="3c9e1b7a4d20" + "0" * 52,
            program_version="0.1.0",
            read_to_s=FIRST_S + 30 * 86_400 + 3 * 3600,
        ),
    )


def small_bill() -> Bill:
    """Seven uses, four users with rare characters in their names, two projects: net 5,170.12, gross 5,480.33."""
    return bill_of(SMALL_USES, USERS, PROJECTS)


def draft_bill() -> Bill:
    """The small bill before the close."""
    return replace(small_bill(), draft=True)


def one_line_bill() -> Bill:
    """One use of 1,000 core-hours: 60.00, no tax, no month before, nothing left uncharged."""
    bill = bill_of((Use(FIRST, "zhaomin", "p-ai", 1000, 0),), USERS, PROJECTS)
    return with_tax(replace(bill, previous_net=None, not_charged=()), "none")


def zero_bill() -> Bill:
    """The small bill at prices of 0: use is shown, nothing is to pay."""
    bill = small_bill()
    nil = Decimal("0.00")
    return replace(
        bill,
        lines=tuple(
            replace(line, list_price=nil, unit_price=nil, list_cost=nil, billed_cost=nil)
            for line in bill.lines
        ),
        tax=Tax("none", Decimal(0), nil, nil, nil),
        previous_net=nil,
        by_project=tuple(replace(share, billed_cost=nil) for share in bill.by_project),
        by_user=tuple(replace(share, billed_cost=nil) for share in bill.by_user),
        by_day=tuple(replace(share, billed_cost=nil) for share in bill.by_day),
        day_users=tuple(replace(use, billed_cost=nil) for use in bill.day_users),
        largest_runs=tuple(replace(run, billed_cost=nil) for run in bill.largest_runs),
    )


def negative_bill() -> Bill:
    """A month of one use (60.00) and a correction of -1,234.56 for the month before: -1,174.56, no tax."""
    bill = one_line_bill()
    credit = Decimal("-1234.56")
    line = replace(
        bill.lines[0],
        line="002",
        item="ADJ-2026-08",
        name="2026-08 更正：故障退费",
        name_en="Correction of 2026-08: refund of a fault",
        consumed=Decimal("-20576.0000"),
        quantity=Decimal("-20576.0000"),
        list_price=Decimal("0.06"),
        list_cost=credit,
        billed_cost=credit,
    )

    def less(shares: tuple[Share, ...]) -> tuple[Share, ...]:
        return (*shares[:-1], replace(shares[-1], billed_cost=shares[-1].billed_cost + credit))

    adjusted = replace(
        bill,
        lines=(*bill.lines, line),
        by_project=less(bill.by_project),
        by_user=less(bill.by_user),
        by_day=less(bill.by_day),
        day_users=(replace(bill.day_users[0], billed_cost=bill.day_users[0].billed_cost + credit),),
        previous_net=Decimal("9876.50"),
    )
    return with_tax(adjusted, "none")


def many_users_bill(users: int = 200) -> Bill:
    """`users` users, three days each, ten projects: about 20 pages for 200."""
    names = {f"user{n:03d}": f"同学{n:03d}" for n in range(users)}
    projects = {f"p-{n:02d}": (f"重点研发计划课题 {n:02d}", f"ZD-2026-{n:04d}") for n in range(10)}
    uses = [
        Use(
            FIRST + timedelta(days=(n * 7 + k * 11) % 30),
            user,
            f"p-{n % 10:02d}",
            100 + n * 13 % 900,
            n % 3 * 4,
        )
        for n, user in enumerate(names)
        for k in range(3)
    ]
    return bill_of(uses, names, projects)


def large_bill() -> Bill:
    """60 users on most days of the month, 1,200 rows of details: about 30 pages."""
    names = {f"user{n:03d}": f"用户{n:03d}" for n in range(60)}
    projects = {f"p-{n:02d}": (f"专项课题 {n:02d}", f"ZX-2026-{n:04d}") for n in range(12)}
    uses = [
        Use(
            FIRST + timedelta(days=day),
            user,
            f"p-{n % 12:02d}",
            40 + (n * 37 + day * 101) % 4000,
            (n + day) % 4 * 2,
        )
        for n, user in enumerate(names)
        for day in range(30)
        if (n + day) % 3
    ]
    return bill_of(uses, names, projects)


def hostile_bill() -> Bill:
    """The small bill with names that are very long, hold markup, quotes, rare characters, ids of 60 characters."""
    bill = small_bill()
    long_zh = "面向国家重大需求的多物理场耦合高性能数值模拟与人工智能交叉融合关键技术研究及其工程应用示范课题组（第二期）"
    long_id = "llm-pretrain_v2.3.1-7b-seq8192-lr3e-4-bs2048-warmup2000-seed42<b>&amp;"
    return replace(
        bill,
        payer=replace(
            bill.payer,
            name=long_zh,
            name_en="Group for " + "Very Long and Winding Names " * 4,
            unit="𬱟字学院",
        ),
        lines=tuple(
            replace(line, name=line.name + "（含共享存储与高速互连网络的全部公共费用分摊）")
            for line in bill.lines
        ),
        by_project=tuple(
            replace(s, name=f"{long_zh}<b>&\"'", cost_card=f"{s.cost_card}-0123456789-ABCDEFGH")
            for s in bill.by_project
        ),
        by_user=tuple(replace(s, key=f"{s.key}.{'x' * 50}", name="喆犇堃䶮㛃𬱟" * 3) for s in bill.by_user),
        largest_runs=tuple(
            replace(
                run,
                job_name=long_id,
                user=f"{run.user}.{'x' * 50}",
                job_id=f"{run.job_id}_[1-999%20]_0123456789",
            )
            for run in bill.largest_runs
        ),
        day_users=tuple(replace(use, user=f"{use.user}.{'x' * 50}") for use in bill.day_users),
    )
