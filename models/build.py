"""Building a mart: one period from the raw store, the site and its price book, into a new file, then published."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from models.calendar import Period, month_before, period
from models.carry import create_carry_in, needs_month_before, use_up
from models.charges import price_lines
from models.engine import create_table
from models.errors import HesuanError
from models.hostlist import create_hostlists
from models.ledger import edited_versions, ledger_reader
from models.mart import next_build_no, publish
from models.pipeline import SCAFFOLD, TABLES
from models.reference import create_reference
from models.site import Site
from models.store import attach_raw, connect
from models.tariff import PriceBook
from models.units import unit_of


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


@dataclass(frozen=True)
class Inputs:
    """What a mart is made of beside its records; `before_hash` where rules look at the month before."""

    site: Site
    book: PriceBook
    period: str
    program_version: str
    before_hash: str | None


def _input_hash(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> str:
    """SHA-256 of the sources' hashes, the site, the versions and the program: the same inputs, the same hash."""
    parts = {
        "batches": con.execute(
            "SELECT DISTINCT cluster, sha256 FROM core_batch ORDER BY cluster, sha256"
        ).fetchall(),
        "coverage": con.execute("SELECT * FROM core_coverage ORDER BY ALL").fetchall(),
        "inventory": con.execute(
            """SELECT DISTINCT source, cluster, sha256, CASE WHEN source LIKE 'scontrol-%' THEN read_at_s END AS taken_s
               FROM raw.raw_batch WHERE source LIKE 'scontrol-%' OR source LIKE 'sacctmgr-%' ORDER BY ALL"""
        ).fetchall(),
        "before": inputs.before_hash,
        "period": inputs.period,
        "program": inputs.program_version,
        "site": site_hash(inputs.site),
        "tariffs": [version.sha256 for version in inputs.book.versions],
        "vat": [asdict(row) for row in inputs.book.vat],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


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


def _facts(con: duckdb.DuckDBPyConnection, inputs: Inputs, build_no: int) -> str:
    """Write what the mart says of itself; gives its input hash."""
    site = inputs.site
    digest = _input_hash(con, inputs)
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
            inputs.period,
            build_no,
            digest,
            site_hash(site),
            inputs.program_version,
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


Progress = Callable[[str, int, int], None]


def _fill_tables(
    con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, span: Period, progress: Progress | None
) -> None:
    """Fill every table of the pipeline in its order: from its SQL file, but for the few that Python fills."""
    special: dict[str, Callable[[], None]] = {
        "ref_hostlist": lambda: create_hostlists(con),
        "ref_unit": lambda: _units(con),
        "core_segment": lambda: use_up(con, book),
        "out_charge_line": lambda: price_lines(con, book, span, site.currency),
    }
    for done, table in enumerate(TABLES):
        if progress:
            progress(table, done, len(TABLES))
        if table in special:
            special[table]()
        else:
            create_table(con, table)


def build(
    paths: SitePaths,
    site: Site,
    book: PriceBook,
    period_name: str,
    *,
    program_version: str,
    progress: Progress | None = None,
    marts: Path | None = None,
) -> Built:
    """Build and publish the mart of `period_name`.

    Args:
        paths: the site's stores.
        site: what site.toml says.
        book: what tariffs.toml says.
        period_name: `2026-09`.
        program_version: printed on every report.
        progress: told (table, tables done, tables in all).
        marts: where the mart is published and the month before is looked for; by default the site's.

    Raises:
        HesuanError: no records yet, no tariff version, a store held too long, or another build of the period at work.
    """
    span = period(period_name, site.timezone)
    folder = marts or paths.marts
    if not book.versions:
        raise HesuanError("mart.no_tariff")
    with _only_builder(folder, span.name):
        build_no = next_build_no(folder, span.name)
        building = folder / f"{span.name}-{build_no:04d}.building"
        con = connect(building)
        try:
            attach_raw(con, paths.raw)
            create_reference(con, site, book, span)
            before_hash = create_carry_in(con, folder, span)
            looks_back = needs_month_before(book, span)
            _fill_tables(con, site, book, span, progress)
            if looks_back and before_hash is None:
                _note_missing_month(con, span)
            _note_edited(con, paths.ledger, book)
            inputs = Inputs(site, book, span.name, program_version, before_hash if looks_back else None)
            digest = _facts(con, inputs, build_no)
            for table in SCAFFOLD:
                con.execute(f"DROP TABLE {table}")
            con.execute("DETACH raw")
            con.execute("CHECKPOINT")
        finally:
            con.close()
        final = building.with_suffix(".duckdb")
        building.rename(final)
        publish(folder, span.name, final.name)
        return Built(final, build_no, digest)
