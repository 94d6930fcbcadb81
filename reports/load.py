"""Bills out of a mart: one query a kind for all tenants asked for, then cut tenant by tenant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

import duckdb

from models.calendar import period as period_of
from models.mart import MartFacts, read_facts
from models.site import Issuer
from models.store import first_row
from models.units import CORE, DEVICE, ITEM, in_units, unit_of
from reports.bill import Bill, BillLine, DayUse, Facts, NotCharged, Payer, RunRow, Share, Tax

T = TypeVar("T")
Row = Any

LARGEST_RUNS = 20
_RUN_WORDS = (
    "cluster", "job_id", "job_name", "project", "account", "user", "partition", "qos", "state", "submit_s", "start_s", "end_s",
)  # fmt: skip
HOURS_PLACES = 6


@dataclass(frozen=True)
class Frame:
    """What all bills of a mart share."""

    facts: MartFacts
    issuer: Issuer
    draft: bool


def _hours(core_ms: int, device_ms: int) -> tuple[Decimal, Decimal]:
    return in_units(int(core_ms), CORE, HOURS_PLACES), in_units(int(device_ms), DEVICE, HOURS_PLACES)


def _fen(fen: int) -> Decimal:
    return Decimal(int(fen)).scaleb(-2)


def _plain(price: Decimal) -> Decimal:
    """The price without the zeros that its column adds, never in powers of ten."""
    short = price.normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral_value() else short


def _by_tenant(rows: Sequence[Row], make: Callable[[Row], T]) -> dict[str, tuple[T, ...]]:
    found: dict[str, list[T]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(make(row[1:]))
    return {tenant: tuple(made) for tenant, made in found.items()}


def _line(row: Row) -> BillLine:
    (
        line,
        item,
        name,
        name_en,
        cluster,
        resource,
        consumed,
        quantity,
        places,
        list_price,
        price,
        listed,
        billed,
        version,
        acting,
        acting_en,
    ) = row
    step = Decimal(1).scaleb(-places)
    return BillLine(
        line=line,
        item=item,
        name=name,
        name_en=name_en,
        cluster=cluster,
        resource=resource,
        unit=(unit_of(resource) if resource else ITEM).unit,
        consumed=consumed.quantize(step),
        quantity=quantity.quantize(step),
        list_price=_plain(list_price),
        unit_price=_plain(price),
        list_cost=listed,
        billed_cost=billed,
        tariff_version=version,
        acting=acting,
        acting_en=acting_en,
    )


def _share(row: Row) -> Share:
    key, name, card, runs, core_ms, device_ms, fen = row
    core, device = _hours(core_ms, device_ms)
    return Share(str(key), name or "", card or "", int(runs), core, device, _fen(fen))


def _day_use(row: Row) -> DayUse:
    day, user, project, runs, core_ms, device_ms, fen = row
    core, device = _hours(core_ms, device_ms)
    return DayUse(day, user, project, int(runs), core, device, _fen(fen))


def _run(row: Row) -> RunRow:
    core, device = _hours(row[12], row[13])
    said = dict(zip(_RUN_WORDS, row, strict=False))
    return RunRow(
        **said,
        core_hours=core,
        device_hours=device,
        devices=row[14],
        billed_cost=_fen(row[15]),
        treatment=row[16],
    )


def _not_charged(row: Row) -> NotCharged:
    reason, resource, runs, base = row
    unit = unit_of(resource)
    return NotCharged(reason, resource, int(runs), in_units(int(base), unit, HOURS_PLACES), unit.unit)


_LINES = """
    SELECT tenant, line, item, name, name_en, cluster, resource, consumed, quantity, quantity_decimals, list_price, price,
           list_amount, billed_amount, tariff_version, acting_zh, acting_en
    FROM out_charge_line WHERE list_contains(?, tenant) ORDER BY tenant, line
"""
_PROJECTS = """
    SELECT r.tenant, r.project, p.name, COALESCE(NULLIF(p.cost_card, ''), t.cost_card), COUNT(*), SUM(r.cpu_core_ms), SUM(r.device_ms),
           SUM(r.billed_fen)
    FROM out_run AS r
    JOIN ref_tenant AS t ON t.tenant = r.tenant
    LEFT JOIN ref_project AS p ON p.tenant = r.tenant AND p.project = r.project
    WHERE list_contains(?, r.tenant)
    GROUP BY r.tenant, r.project, p.name, p.cost_card, t.cost_card
    ORDER BY r.tenant, SUM(r.billed_fen) DESC, r.project
"""
_USERS = """
    SELECT tenant, user_name, '', '', COUNT(*), SUM(cpu_core_ms), SUM(device_ms), SUM(billed_fen)
    FROM out_run WHERE list_contains(?, tenant)
    GROUP BY tenant, user_name ORDER BY tenant, SUM(billed_fen) DESC, user_name
"""
_DAYS = """
    SELECT tenant, day, '', '', SUM(runs_count), SUM(cpu_core_ms), SUM(device_ms), SUM(billed_fen)
    FROM out_user_day WHERE list_contains(?, tenant)
    GROUP BY tenant, day ORDER BY tenant, day
"""
_DAY_USERS = """
    SELECT tenant, day, user_name, project, runs_count, cpu_core_ms, device_ms, billed_fen
    FROM out_user_day WHERE list_contains(?, tenant) ORDER BY tenant, day, user_name, project
"""
_LARGEST = f"""
    SELECT tenant, cluster, job_id, job_name, project, account, user_name, partition, qos, state, submit_s, start_s, end_s,
           cpu_core_ms, device_ms, devices, billed_fen, treatment
    FROM out_run WHERE list_contains(?, tenant)
    QUALIFY ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY billed_fen DESC, cpu_core_ms DESC, run_no) <= {LARGEST_RUNS}
    ORDER BY tenant, billed_fen DESC, cpu_core_ms DESC, run_no
"""
_NOT_CHARGED = """
    SELECT tenant, reason, resource, runs_count, consumed_base
    FROM out_not_charged WHERE list_contains(?, tenant) ORDER BY tenant, reason, resource
"""
_BILLS = """
    SELECT b.tenant, b.number, b.tax_mode, b.tax_rate, b.net, b.tax, b.gross,
           t.name, t.name_en, t.unit, t.unit_en, t.user_class, t.cost_card, t.contact,
           (SELECT COUNT(DISTINCT run_no) FROM out_run AS r WHERE r.tenant = b.tenant)
    FROM out_bill AS b JOIN ref_tenant AS t ON t.tenant = b.tenant
    WHERE list_contains(?, b.tenant) ORDER BY b.tenant
"""


def tenants(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """All tenants with a bill in the mart, in order."""
    return tuple(
        tenant for (tenant,) in con.execute("SELECT tenant FROM out_bill ORDER BY tenant").fetchall()
    )


def net_amounts(con: duckdb.DuckDBPyConnection) -> dict[str, Decimal]:
    """Tenant -> net amount of its bill: what the next month is compared with."""
    return dict(con.execute("SELECT tenant, net FROM out_bill").fetchall())


def read_frame(con: duckdb.DuckDBPyConnection, *, draft: bool) -> Frame:
    """What all bills of the opened mart share."""
    row = first_row(
        con,
        "SELECT name, name_en, department, address, phone, email, payee_account, dispute_days FROM ref_issuer",
    )
    return Frame(read_facts(con), Issuer(*row), draft)


def load_bills(
    con: duckdb.DuckDBPyConnection,
    asked: Sequence[str],
    *,
    draft: bool,
    previous: Mapping[str, Decimal] | None,
) -> Iterator[Bill]:
    """The bills of the tenants `asked` for, in order of tenant.

    Args:
        con: an opened mart.
        asked: tenant ids; those without a bill give none.
        draft: the period is not closed.
        previous: net amounts of the month before; None where that month was never built. A tenant that had none
            then has no amount to compare with.
    """
    frame = read_frame(con, draft=draft)
    span = period_of(frame.facts.period, frame.facts.timezone)
    names = [list(asked)]

    def read(query: str, make: Callable[[Row], T]) -> dict[str, tuple[T, ...]]:
        return _by_tenant(con.execute(query, names).fetchall(), make)

    lines, projects, users = read(_LINES, _line), read(_PROJECTS, _share), read(_USERS, _share)
    by_day, day_users = read(_DAYS, _share), read(_DAY_USERS, _day_use)
    largest, not_charged = read(_LARGEST, _run), read(_NOT_CHARGED, _not_charged)
    hashes = dict(con.execute("SELECT version, sha256 FROM ref_tariff").fetchall())
    for tenant, number, mode, rate, net, tax, gross, *payer, runs in con.execute(_BILLS, names).fetchall():
        used = sorted({line.tariff_version for line in lines.get(tenant, ())})
        yield Bill(
            number=number,
            period=span.name,
            first_day=span.first_day,
            last_day=span.last_day,
            timezone=frame.facts.timezone,
            currency=frame.facts.currency,
            draft=frame.draft,
            issuer=frame.issuer,
            payer=Payer(tenant, *payer),
            lines=lines.get(tenant, ()),
            tax=Tax(mode, _plain(rate), net, tax, gross),
            previous_net=(previous or {}).get(tenant),
            by_project=projects.get(tenant, ()),
            by_user=users.get(tenant, ()),
            by_day=by_day.get(tenant, ()),
            day_users=day_users.get(tenant, ()),
            largest_runs=largest.get(tenant, ()),
            runs_count=int(runs),
            not_charged=not_charged.get(tenant, ()),
            facts=Facts(
                tuple((version, hashes[version]) for version in used),
                frame.facts.input_hash,
                frame.facts.program_version,
                frame.facts.read_to_s,
            ),
        )
