"""Building a mart: one period from the raw store, the site and its price book, into a new file, then published."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

import duckdb
import pyarrow as pa

from models.calendar import Period, month_before, period
from models.carry import create_carry_in, needs_month_before, use_up
from models.catalogue import LANGUAGES
from models.engine import create_table
from models.errors import HesuanError
from models.ledger import edited_versions, ledger_reader
from models.line_prices import LinePrices, UnitPrice, described
from models.mart import next_build_no, publish
from models.pipeline import SCAFFOLD, TABLES
from models.pricing import BillTotal, ChargeLine, UsageLine, price_tenant, vat_on
from models.reference import create_reference
from models.site import Site
from models.store import attach_raw, connect
from models.tariff import PriceBook
from models.units import unit_of

MONEY = pa.decimal128(18, 2)
QUANTITY = pa.decimal128(28, 6)
PRICE = pa.decimal128(18, 8)


@dataclass(frozen=True)
class SitePaths:
    """Where a site keeps its things."""

    directory: Path

    @property
    def raw(self) -> Path:
        """What the sources said."""
        return self.directory / "raw.duckdb"

    @property
    def ledger(self) -> Path:
        """What was decided and issued."""
        return self.directory / "ledger.duckdb"

    @property
    def marts(self) -> Path:
        """The folder of marts and their manifest."""
        return self.directory / "mart"


@dataclass(frozen=True)
class Built:
    """A published mart: its file, its number, and the hash of all that went into it."""

    path: Path
    build_no: int
    input_hash: str


@contextmanager
def _only_builder(marts: Path, name: str) -> Iterator[None]:
    """Hold the right to build `name`; the lock goes with the process, however it ends.

    Raises:
        HesuanError: another process is building it.
    """
    marts.mkdir(parents=True, exist_ok=True)
    lock = marts / f".{name}.lock"
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HesuanError("mart.busy", path=lock.with_name(name)) from error
        yield


def site_hash(site: Site) -> str:
    """SHA-256 of all that site.toml says."""
    return hashlib.sha256(json.dumps(asdict(site), sort_keys=True, default=str).encode()).hexdigest()


def _input_hash(
    con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, name: str, program_version: str
) -> str:
    """SHA-256 of the sources' hashes, the site, the versions and the program: the same inputs, the same hash."""
    batches = con.execute(
        "SELECT DISTINCT cluster, sha256 FROM core_batch ORDER BY cluster, sha256"
    ).fetchall()
    parts = {
        "batches": batches,
        "period": name,
        "program": program_version,
        "site": site_hash(site),
        "tariffs": [version.sha256 for version in book.versions],
        "vat": [asdict(row) for row in book.vat],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


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


def _units(con: duckdb.DuckDBPyConnection) -> None:
    """Fill ref_unit: the unit of each resource that is used."""
    found = [
        resource
        for (resource,) in con.execute("SELECT DISTINCT resource FROM core_rate ORDER BY 1").fetchall()
    ]
    units = [unit_of(resource) for resource in found]
    rows = pa.table(
        {
            "resource": pa.array(found, pa.string()),
            "unit": pa.array([unit.unit for unit in units], pa.string()),
            "base_unit": pa.array([unit.base_unit for unit in units], pa.string()),
            "base_per_unit": pa.array([unit.base_per_unit for unit in units], pa.int64()),
        }
    )
    con.register("rows_of_units", rows)
    con.execute("CREATE TABLE ref_unit AS SELECT * FROM rows_of_units")
    con.unregister("rows_of_units")


def _price(con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, span: Period) -> None:
    """Fill out_charge_line and out_bill: the one place where quantities meet prices."""
    mode, rate = vat_on(book.vat, span.last_day)
    charges: list[ChargeLine] = []
    bills: list[BillTotal] = []
    usage = _usage_lines(con)
    for _, lines in groupby(usage, key=lambda pair: pair[0].tenant):
        priced, bill = price_tenant([line for line, _ in lines], mode, rate)
        charges.extend(priced)
        bills.append(bill)
    con.register("priced_lines", _charge_table(charges, {line.line: price for line, price in usage}))
    con.execute(
        """
        CREATE TABLE out_charge_line AS
        SELECT
            u.line, u.tenant, u.tariff_no, u.price_no, p.item, p.name, p.name_en, u.cluster, u.resource,
            u.consumed_base, u.priced_base, c.consumed, c.quantity, t.quantity_decimals, c.list_price, c.price,
            c.acting_zh, c.acting_en, u.band_no, u.step_no, u.factor_bits,
            c.list_amount, c.billed_amount, c.list_cost, c.billed_cost, c.list_fen, c.billed_fen,
            CAST(? AS VARCHAR) AS currency, t.version AS tariff_version, t.sha256 AS tariff_sha256
        FROM out_usage_line AS u
        JOIN priced_lines AS c ON c.line = u.line
        JOIN ref_price AS p ON p.tariff_no = u.tariff_no AND p.price_no = u.price_no
        JOIN ref_tariff AS t ON t.tariff_no = u.tariff_no
        ORDER BY u.line
        """,
        [site.currency],
    )
    con.register("priced_bills", _bill_table(bills))
    con.execute(
        """
        CREATE TABLE out_bill AS
        SELECT
            u.tenant, 'JS-' || REPLACE(CAST(? AS VARCHAR), '-', '') || '-' || u.tenant AS number,
            COALESCE(b.tax_mode, CAST(? AS VARCHAR)) AS tax_mode,
            COALESCE(b.tax_rate, CAST(? AS DECIMAL(8, 6))) AS tax_rate,
            COALESCE(b.list_amount, 0) AS list_amount, COALESCE(b.billed_amount, 0) AS billed_amount,
            COALESCE(b.net, 0) AS net, COALESCE(b.tax, 0) AS tax, COALESCE(b.gross, 0) AS gross
        FROM (SELECT DISTINCT tenant FROM out_usage) AS u
        LEFT JOIN priced_bills AS b ON b.tenant = u.tenant
        ORDER BY u.tenant
        """,
        [span.name, mode, rate],
    )


def _facts(
    con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, name: str, build_no: int, version: str
) -> str:
    """Write what the mart says of itself; gives its input hash."""
    digest = _input_hash(con, site, book, name, version)
    con.execute(
        """
        CREATE TABLE mart_fact AS
        SELECT
            CAST(? AS VARCHAR) AS period, CAST(? AS INTEGER) AS build_no, CAST(? AS VARCHAR) AS input_hash,
            CAST(? AS VARCHAR) AS site_hash, CAST(? AS VARCHAR) AS program_version, CAST(? AS VARCHAR) AS timezone,
            CAST(? AS VARCHAR) AS currency, CAST(? AS VARCHAR) AS site_name, CAST(? AS VARCHAR) AS site_name_en,
            GREATEST((SELECT MAX(COALESCE(reach_s, end_s, submit_s)) FROM core_version),
                     (SELECT MAX(read_at_s) FROM core_batch)) AS read_to_s
        """,
        [
            name,
            build_no,
            digest,
            site_hash(site),
            version,
            site.timezone,
            site.currency,
            site.name,
            site.name_en,
        ],
    )
    return digest


def _note_missing_month(con: duckdb.DuckDBPyConnection, span: Period) -> None:
    """Add a finding that a rule looks at the month before, which was never built."""
    con.execute(
        "INSERT INTO out_finding VALUES ('tariffs', ?, 'month-before-missing', ?, 'error')",
        [span.name, month_before(span.name)],
    )


def _note_edited(con: duckdb.DuckDBPyConnection, ledger: Path, book: PriceBook) -> None:
    """Add a finding for each version that a closed bill used and that says something else now."""
    with ledger_reader(ledger) as opened:
        edited = edited_versions(opened, book.versions)
    for version, closed in edited:
        con.execute(
            "INSERT INTO out_finding VALUES ('tariffs', ?, 'edited-version', ?, 'error')",
            [f"tariffs.toml:{version.line_no}", f"{version.version} ({closed})"],
        )


def build(
    paths: SitePaths,
    site: Site,
    book: PriceBook,
    period_name: str,
    *,
    program_version: str,
    progress: Callable[[str, int, int], None] | None = None,
) -> Built:
    """Build and publish the mart of `period_name`.

    Args:
        paths: the site's stores.
        site: what site.toml says.
        book: what tariffs.toml says.
        period_name: `2026-09`.
        program_version: printed on every report.
        progress: told (table, tables done, tables in all).

    Raises:
        HesuanError: no records yet, no tariff version, a store held too long, or another build of the period at work.
    """
    span = period(period_name, site.timezone)
    if not book.versions:
        raise HesuanError("mart.no_tariff")
    special = {
        "ref_unit": lambda: _units(con),
        "core_segment": lambda: use_up(con, book),
        "out_charge_line": lambda: _price(con, site, book, span),
    }
    with _only_builder(paths.marts, span.name):
        build_no = next_build_no(paths.marts, span.name)
        building = paths.marts / f"{span.name}-{build_no:04d}.building"
        con = connect(building)
        try:
            attach_raw(con, paths.raw)
            create_reference(con, site, book, span)
            has_before = create_carry_in(con, paths.marts, span)
            for done, table in enumerate(TABLES):
                if progress:
                    progress(table, done, len(TABLES))
                special.get(table, lambda table=table: create_table(con, table))()
            if needs_month_before(book, span) and not has_before:
                _note_missing_month(con, span)
            _note_edited(con, paths.ledger, book)
            digest = _facts(con, site, book, span.name, build_no, program_version)
            for table in SCAFFOLD:
                con.execute(f"DROP TABLE {table}")
            con.execute("DETACH raw")
            con.execute("CHECKPOINT")
        finally:
            con.close()
        final = building.with_suffix(".duckdb")
        building.rename(final)
        publish(paths.marts, span.name, final.name)
        return Built(final, build_no, digest)
