"""From the use behind each line to charge lines and bills: reads out_usage_line, fills out_charge_line and out_bill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

import duckdb
import pyarrow as pa

from models.calendar import Period
from models.catalogue import LANGUAGES
from models.credits import take, usable
from models.line_prices import LinePrices, UnitPrice, described
from models.pricing import BillTotal, ChargeLine, UsageLine, line_amount, price_tenant, vat_on
from models.tariff import PriceBook
from models.units import ITEM, unit_of

MONEY = pa.decimal128(18, 2)
QUANTITY = pa.decimal128(28, 6)
PRICE = pa.decimal128(18, 8)

Lines = Sequence[UsageLine]


def _usage_lines(con: duckdb.DuckDBPyConnection) -> list[tuple[UsageLine, UnitPrice]]:
    """out_usage_line with its unit prices, tenant by tenant in the order of lines."""
    prices = LinePrices(con)
    rows = con.execute(
        """
        SELECT u.line, u.tenant, u.resource, u.consumed_base, u.priced_base, t.quantity_decimals, u.tariff_no, u.price_no,
               u.factor_bits, u.band_no, u.pool_no, u.step_no, u.last_no, u.last_step_no
        FROM out_usage_line AS u
        JOIN ref_tariff AS t ON t.tariff_no = u.tariff_no
        ORDER BY u.tenant, u.line
        """
    ).fetchall()
    found = []
    for (
        line,
        tenant,
        resource,
        consumed,
        priced,
        places,
        tariff,
        row,
        bits,
        band,
        pool,
        step,
        last,
        last_step,
    ) in rows:
        unit_price = prices.of(
            tariff, row, factor_bits=bits, band=band, pool=pool, step=step, last=last, last_step=last_step
        )
        usage = UsageLine(
            line,
            tenant,
            unit_of(resource),
            int(consumed),
            int(priced),
            unit_price.list_price,
            unit_price.price,
            places,
        )
        found.append((usage, unit_price))
    return found


def _charge_table(charges: list[ChargeLine], prices: dict[str, UnitPrice]) -> pa.Table:
    def column(name: str, kind: pa.DataType) -> pa.Array:
        return pa.array([getattr(charge, name) for charge in charges], kind)

    return pa.table(
        {
            "line": column("line", pa.string()),
            "consumed": column("consumed", QUANTITY),
            "quantity": column("quantity", QUANTITY),
            "list_amount": column("list_amount", MONEY),
            "billed_amount": column("billed_amount", MONEY),
            "list_cost": column("list_cost", MONEY),
            "billed_cost": column("billed_cost", MONEY),
            "list_price": pa.array([prices[charge.line].list_price for charge in charges], PRICE),
            "price": pa.array([prices[charge.line].price for charge in charges], PRICE),
            **{
                f"acting_{lang}": pa.array(
                    [described(prices[charge.line].acting, lang) for charge in charges], pa.string()
                )
                for lang in LANGUAGES
            },
            "list_fen": pa.array([int(charge.list_amount.scaleb(2)) for charge in charges], pa.int64()),
            "billed_fen": pa.array([int(charge.billed_amount.scaleb(2)) for charge in charges], pa.int64()),
        }
    )


def _bill_table(bills: list[BillTotal]) -> pa.Table:
    def money(name: str) -> pa.Array:
        return pa.array([getattr(bill, name) for bill in bills], MONEY)

    return pa.table(
        {
            "tenant": pa.array([bill.tenant for bill in bills], pa.string()),
            "tax_mode": pa.array([bill.mode for bill in bills], pa.string()),
            "tax_rate": pa.array([bill.rate for bill in bills], pa.decimal128(8, 6)),
            **{name: money(name) for name in ("list_amount", "billed_amount", "net", "tax", "gross")},
        }
    )


@dataclass(frozen=True)
class ExtraLine:
    """A line that no use of the tenant's own stands behind: a credit (one item at a negative price), an earning."""

    usage: UsageLine
    kind: str
    item: str
    name: str
    name_en: str
    resource: str


def _extra_table(extras: Sequence[ExtraLine]) -> pa.Table:
    words = ("kind", "item", "name", "name_en", "resource")
    return pa.table(
        {
            "line": pa.array([extra.usage.line for extra in extras], pa.string()),
            "tenant": pa.array([extra.usage.tenant for extra in extras], pa.string()),
            "base": pa.array([extra.usage.priced_base for extra in extras], pa.int64()),
            "places": pa.array([extra.usage.quantity_decimals for extra in extras], pa.int32()),
            **{word: pa.array([getattr(extra, word) for extra in extras], pa.string()) for word in words},
        }
    )


def _earnings(con: duckdb.DuckDBPyConnection) -> dict[str, list[ExtraLine]]:
    """What tenants earn with nodes that they have put in: lines at a negative price, by tenant."""
    found: dict[str, list[ExtraLine]] = {}
    rows = con.execute(
        """
        SELECT e.tenant, e.resource, e.earned_base, c.rate, c.name, c.name_en, t.quantity_decimals
        FROM core_earning AS e
        JOIN ref_contribution AS c ON c.tariff_no = e.tariff_no AND c.contribution_no = e.contribution_no
        JOIN ref_tariff AS t ON t.tariff_no = e.tariff_no
        WHERE e.earned_base > 0
        ORDER BY e.tenant, e.tariff_no, e.contribution_no, e.resource
        """
    ).fetchall()
    for tenant, resource, base, rate, name, name_en, places in rows:
        own = found.setdefault(tenant, [])
        line = f"{tenant}-earning-{len(own) + 1}"
        usage = UsageLine(line, tenant, unit_of(resource), int(base), int(base), -rate, -rate, places)
        own.append(ExtraLine(usage, "earning", "EARNING", name, name_en, resource))
    return found


def _credits_used(
    con: duckdb.DuckDBPyConnection, book: PriceBook, span: Period
) -> Callable[[str, Lines], tuple[ExtraLine, ...]]:
    """A function that takes a tenant's credits off its priced lines; what it takes stands in core_credit."""
    known = usable(book, span)
    before: dict[str, dict[str, Decimal]] = {}
    for name, owner, fen in con.execute(
        "SELECT name, owner, used_base FROM carry_in WHERE kind = 'credit'"
    ).fetchall():
        before.setdefault(owner, {})[name] = Decimal(int(fen)).scaleb(-2)
    items = dict(
        con.execute(
            "SELECT u.line, p.item FROM out_usage_line AS u "
            "JOIN ref_price AS p ON p.tariff_no = u.tariff_no AND p.price_no = u.price_no"
        ).fetchall()
    )
    con.execute("CREATE TABLE core_credit (name VARCHAR, owner VARCHAR, used_fen BIGINT)")

    def off(tenant: str, lines: Lines) -> tuple[ExtraLine, ...]:
        own = [credit for credit in known if credit.tenant == tenant]
        used = (
            take([(items[line.line], line_amount(line)) for line in lines], own, before.get(tenant, {}))
            if own
            else ()
        )
        for each in used:
            con.execute(
                "INSERT INTO core_credit VALUES (?, ?, ?)",
                [each.credit.name, tenant, int(each.amount.scaleb(2))],
            )
        return tuple(
            ExtraLine(
                UsageLine(f"{tenant}-credit-{n}", tenant, ITEM, 1, 1, -each.amount, -each.amount, 0),
                "credit",
                "CREDIT",
                each.credit.name,
                each.credit.name_en,
                "",
            )
            for n, each in enumerate(used, 1)
        )

    return off


def price_lines(con: duckdb.DuckDBPyConnection, book: PriceBook, span: Period, currency: str) -> None:
    """Fill out_charge_line and out_bill of the period `span`: the one place where quantities meet prices."""
    mode, rate = vat_on(book.vat, span.last_day)
    charges: list[ChargeLine] = []
    bills: list[BillTotal] = []
    extras: list[ExtraLine] = []
    usage = _usage_lines(con)
    prices = {line.line: price for line, price in usage}
    credits_off = _credits_used(con, book, span)
    earned = _earnings(con)
    own_lines = {
        tenant: [line for line, _ in pairs]
        for tenant, pairs in groupby(usage, key=lambda pair: pair[0].tenant)
    }
    for tenant in sorted(own_lines.keys() | earned.keys()):
        lines = own_lines.get(tenant, [])
        off = [*earned.get(tenant, ()), *credits_off(tenant, lines)]
        extras += off
        prices |= {
            extra.usage.line: UnitPrice(extra.usage.list_price, extra.usage.price, ()) for extra in off
        }
        priced, bill = price_tenant([*lines, *(extra.usage for extra in off)], mode, rate)
        charges.extend(priced)
        bills.append(bill)
    _fill_lines(con, charges, prices, extras, currency)
    _fill_bills(con, bills, span, mode, rate)


def _fill_lines(
    con: duckdb.DuckDBPyConnection,
    charges: list[ChargeLine],
    prices: dict[str, UnitPrice],
    extras: Sequence[ExtraLine],
    currency: str,
) -> None:
    """Fill out_charge_line: the priced lines beside the use and the rows of the book that they stand for."""
    con.register("priced_lines", _charge_table(charges, prices))
    con.register("extra_lines", _extra_table(extras))
    con.execute(
        """
        CREATE TABLE out_charge_line AS
        SELECT
            u.line, u.tenant, 'usage' AS kind, u.tariff_no, u.price_no, p.item, p.name, p.name_en, u.cluster, u.resource,
            u.consumed_base, u.priced_base, c.consumed, c.quantity, t.quantity_decimals, c.list_price, c.price,
            c.acting_zh, c.acting_en, u.band_no, u.step_no, u.factor_bits,
            c.list_amount, c.billed_amount, c.list_cost, c.billed_cost, c.list_fen, c.billed_fen,
            CAST($currency AS VARCHAR) AS currency, t.version AS tariff_version, t.sha256 AS tariff_sha256
        FROM out_usage_line AS u
        JOIN priced_lines AS c ON c.line = u.line
        JOIN ref_price AS p ON p.tariff_no = u.tariff_no AND p.price_no = u.price_no
        JOIN ref_tariff AS t ON t.tariff_no = u.tariff_no
        UNION ALL
        SELECT
            e.line, e.tenant, e.kind, t.tariff_no, NULL AS price_no, e.item, e.name, e.name_en, '' AS cluster, e.resource,
            e.base AS consumed_base, e.base AS priced_base, c.consumed, c.quantity, e.places AS quantity_decimals, c.list_price, c.price,
            '' AS acting_zh, '' AS acting_en, 0 AS band_no, 0 AS step_no, 0 AS factor_bits,
            c.list_amount, c.billed_amount, c.list_cost, c.billed_cost, c.list_fen, c.billed_fen,
            CAST($currency AS VARCHAR) AS currency, t.version AS tariff_version, t.sha256 AS tariff_sha256
        FROM extra_lines AS e
        JOIN priced_lines AS c ON c.line = e.line
        JOIN cal_span AS s ON s.span_no = (SELECT MAX(span_no) FROM cal_span)
        JOIN ref_tariff AS t ON t.tariff_no = s.tariff_no
        ORDER BY 1
        """,
        {"currency": currency},
    )


def _fill_bills(
    con: duckdb.DuckDBPyConnection, bills: list[BillTotal], span: Period, mode: str, rate: Decimal
) -> None:
    """Fill out_bill: one for each tenant with use or with a line, at nothing where it has no line."""
    con.register("priced_bills", _bill_table(bills))
    con.execute(
        """
        CREATE TABLE out_bill AS
        SELECT
            u.tenant, 'JS-' || REPLACE(CAST($period AS VARCHAR), '-', '') || '-' || u.tenant AS number,
            COALESCE(b.tax_mode, CAST($mode AS VARCHAR)) AS tax_mode,
            COALESCE(b.tax_rate, CAST($rate AS DECIMAL(8, 6))) AS tax_rate,
            COALESCE(b.list_amount, 0) AS list_amount, COALESCE(b.billed_amount, 0) AS billed_amount,
            COALESCE(b.net, 0) AS net, COALESCE(b.tax, 0) AS tax, COALESCE(b.gross, 0) AS gross
        FROM (SELECT tenant FROM out_usage UNION SELECT tenant FROM priced_bills) AS u
        LEFT JOIN priced_bills AS b ON b.tenant = u.tenant
        ORDER BY u.tenant
        """,
        {"period": span.name, "mode": mode, "rate": rate},
    )
