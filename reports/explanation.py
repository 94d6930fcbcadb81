"""Why a bill line is what it is: its formula, the tariff row behind it, its runs and the words that sacct said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import duckdb

from models.errors import HesuanError
from models.source_text import record_bytes
from models.store import first_row
from models.units import Unit, in_units, unit_of


@dataclass(frozen=True)
class ExplainedRun:
    """A run's part of the line: `quantity` in the line's unit, `amount` of the line's amount by largest remainder.

    `record` is what the source said, byte for byte where it is readable text; empty until `with_records`.
    """

    cluster: str
    job_id: str
    user: str
    state: str
    begin_s: int
    reach_s: int
    alloc_tres: str
    quantity: Decimal
    amount: Decimal
    batch_id: int
    batch: str
    record_no: int
    record: str = ""


@dataclass(frozen=True)
class Explanation:
    """A bill line down to its records. `pattern` is how the tariff row matches; all amounts in `currency`."""

    line: str
    tenant: str
    tenant_name: str
    item: str
    name: str
    resource: str
    unit: str
    base_unit: str
    priced_base: int
    consumed_base: int
    base_per_unit: int
    quantity: Decimal
    list_price: Decimal
    price: Decimal
    list_amount: Decimal
    amount: Decimal
    currency: str
    tariff_version: str
    tariff_sha256: str
    tariff_line_no: int
    pattern: tuple[tuple[str, str], ...]
    runs_count: int
    runs: tuple[ExplainedRun, ...]


_LINE = """
    SELECT
        l.tenant, t.name, l.item, l.name, l.resource, l.priced_base, l.consumed_base, l.quantity, l.quantity_decimals,
        l.list_price, l.price, l.list_amount, l.billed_amount, l.currency, l.tariff_version, l.tariff_sha256, p.line_no,
        p.cluster, p.partition, p.qos, p.resource, p.user_class,
        (SELECT COUNT(DISTINCT run_no) FROM out_run_charge AS c WHERE c.line = l.line)
    FROM out_charge_line AS l
    JOIN ref_tenant AS t ON t.tenant = l.tenant
    JOIN ref_price AS p ON p.tariff_no = l.tariff_no AND p.price_no = l.price_no
    WHERE l.line = ?
"""

_RUNS = """
    SELECT
        r.cluster, r.job_id, m.user_name, r.state_said, r.begin_s, r.reach_s, COALESCE(x.alloc_tres, ''),
        SUM(c.priced_base), SUM(c.billed_fen), b.origin, r.batch_id, r.record_no
    FROM out_run_charge AS c
    JOIN core_run AS r ON r.run_no = c.run_no
    JOIN core_combo AS m ON m.combo_no = r.combo_no
    JOIN core_tres AS x ON x.tres_no = r.tres_no
    JOIN core_batch AS b ON b.batch_id = r.batch_id
    WHERE c.line = ? AND (? = '' OR r.job_id = ?)
    GROUP BY r.run_no, r.cluster, r.job_id, m.user_name, r.state_said, r.begin_s, r.reach_s, x.alloc_tres, b.origin, r.batch_id, r.record_no
    ORDER BY SUM(c.billed_fen) DESC, SUM(c.priced_base) DESC, r.run_no
    LIMIT ?
"""


def _unlike(pattern: str) -> str:
    """The pattern as tariffs.toml writes it."""
    marked = pattern.replace("!!", "\0").replace("!%", "\1").replace("!_", "\2").replace("%", "*")
    return marked.replace("\0", "!").replace("\1", "%").replace("\2", "_")


def explain(con: duckdb.DuckDBPyConnection, line: str, *, job: str, limit: int) -> Explanation:
    """The explanation of `line` in the opened mart.

    Args:
        con: the mart.
        line: its id, as on the bill.
        job: only the runs of this job id; empty for all.
        limit: the largest so many runs.

    Raises:
        HesuanError: the period has no such line.
    """
    row = first_row(con, _LINE, [line])
    if row is None:
        known = con.execute(
            "SELECT line FROM out_charge_line ORDER BY jaro_similarity(line, ?) DESC LIMIT 3", [line]
        )
        raise HesuanError(
            "cli.no_line", line=line, known=", ".join(name for (name,) in known.fetchall()) or "-"
        )
    (
        tenant, tenant_name, item, name, resource, priced, consumed, quantity, places, list_price, price, listed, billed,
        currency, version, sha256, line_no, *patterns, runs_count,
    ) = row  # fmt: skip
    unit = unit_of(resource)
    found = con.execute(_RUNS, [line, job, job, limit]).fetchall()
    runs = tuple(_run(row, unit, places) for row in found)
    return Explanation(
        line=line,
        tenant=tenant,
        tenant_name=tenant_name,
        item=item,
        name=name,
        resource=resource,
        unit=unit.unit,
        base_unit=unit.base_unit,
        priced_base=int(priced),
        consumed_base=int(consumed),
        base_per_unit=unit.base_per_unit,
        quantity=quantity.quantize(Decimal(1).scaleb(-places)),
        list_price=list_price,
        price=price,
        list_amount=listed,
        amount=billed,
        currency=currency,
        tariff_version=version,
        tariff_sha256=sha256,
        tariff_line_no=line_no,
        pattern=tuple(
            zip(
                ("cluster", "partition", "qos", "resource", "user_class"), map(_unlike, patterns), strict=True
            )
        ),
        runs_count=int(runs_count),
        runs=runs,
    )


def with_records(found: Explanation, raw: duckdb.DuckDBPyConnection) -> Explanation:
    """The same with what the source said of each run, out of the raw store."""
    return replace(
        found,
        runs=tuple(replace(run, record=_record(raw, run.batch_id, run.record_no)) for run in found.runs),
    )


def _run(row: Any, unit: Unit, places: int) -> ExplainedRun:  # noqa: ANN401 - a row of _RUNS
    quantity, amount = in_units(int(row[7]), unit, places), Decimal(int(row[8])).scaleb(-2)
    said = dict(
        zip(("cluster", "job_id", "user", "state", "begin_s", "reach_s", "alloc_tres"), row, strict=False)
    )
    return ExplainedRun(
        **said, quantity=quantity, amount=amount, batch_id=row[10], batch=row[9], record_no=row[11]
    )


def _record(raw: duckdb.DuckDBPyConnection, batch_id: int, record_no: int) -> str:
    """What the source said of a record, its unprintable bytes made visible."""
    found = first_row(
        raw,
        "SELECT source_start_bytes, source_end_bytes FROM raw_sacct WHERE batch_id = ? AND record_no = ?",
        [batch_id, record_no],
    )
    if found is None:
        return ""
    said = record_bytes(raw, batch_id, *found).decode("utf-8", "backslashreplace").rstrip("\r\n")
    return "".join(
        letter if letter.isprintable() else "␟" if letter == "\x1f" else f"\\x{ord(letter):02x}"
        for letter in said
    )
