"""Tables out of a mart for scripts and spreadsheets: use, charges, findings, runs. Their columns are a promise."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from models.catalogue import entries

# x base units in millionths of a unit, rounded half up, then as a decimal: integers all the way.
_MICRO = "(CAST({base} AS HUGEINT) * 2000000 + {per}) // (2 * {per})"
_DECIMAL = "CAST(CAST({micro} AS DECIMAL(28, 0)) * CAST(0.000001 AS DECIMAL(7, 6)) AS DECIMAL(28, 6))"


_CHARGES = """
    SELECT
        l.line, l.tenant, l.item, l.quantity, COALESCE(n.unit, 'item') AS unit, l.price AS unit_price, l.list_cost, l.billed_cost, l.currency,
        l.tariff_version, l.kind, l.name, l.cluster, l.resource, l.consumed, l.list_price, l.list_amount,
        l.billed_amount AS amount, l.acting_zh AS acting, l.tariff_sha256
    FROM out_charge_line AS l
    LEFT JOIN ref_unit AS n ON n.resource = l.resource
"""


def _in_units(base: str, per: str) -> str:
    """SQL for `base` in units of `per` base units, six decimals, rounded half up."""
    return _DECIMAL.format(micro=_MICRO.format(base=base, per=per))


def usage(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """Use of the period by tenant, scheduler, cluster, partition, QOS and resource.

    Columns: `quantity` in `unit` to 6 decimals, `base_quantity` the exact integer in `base_unit`, both of what was
    consumed; in base units, what meters add to it (`added`) and its parts: `priced`, `free`, `refunded`, `unbilled`.
    """
    return con.sql(
        f"""
        SELECT
            u.tenant, u.scheduler, u.cluster, u.partition, u.qos, u.resource,
            {_in_units("u.consumed_base", "n.base_per_unit")} AS quantity, n.unit,
            CAST(u.consumed_base AS BIGINT) AS base_quantity, n.base_unit, CAST(u.added_base AS BIGINT) AS added,
            CAST(u.priced_base AS BIGINT) AS priced, CAST(u.free_base AS BIGINT) AS free,
            CAST(u.refunded_base AS BIGINT) AS refunded, CAST(u.unbilled_base AS BIGINT) AS unbilled
        FROM out_usage AS u
        JOIN ref_unit AS n ON n.resource = u.resource
        ORDER BY u.tenant, u.scheduler, u.cluster, u.partition, u.qos, u.resource
        """
    ).to_arrow_table()


def charges(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """The bill lines of the period. `list_cost` and `billed_cost` are before tax; `amount` is the printed one.

    They differ only where prices hold the tax; `unit_price` x `quantity`, rounded to the fen, is `amount`.
    """
    return con.sql(f"{_CHARGES} ORDER BY l.tenant, l.line").to_arrow_table()


def lines(con: duckdb.DuckDBPyConnection, tenant: str) -> pa.Table:
    """The lines of one tenant's bill, with the columns of `charges`."""
    return con.sql(f"{_CHARGES} WHERE l.tenant = ? ORDER BY l.line", params=[tenant]).to_arrow_table()


def findings(con: duckdb.DuckDBPyConnection, lang: str) -> pa.Table:
    """Everything that somebody should look at: source, location, reason, detail, level, and what to do about it."""
    words = {
        key.removeprefix("finding."): texts for key, texts in entries().items() if key.startswith("finding.")
    }
    advice = pa.table({"reason": list(words), "advice": [texts[lang] for texts in words.values()]})
    con.register("advice", advice)
    return con.sql(
        """
        SELECT f.source, f.location, f.reason, f.detail, f.level, COALESCE(a.advice, '') AS advice
        FROM out_finding AS f
        LEFT JOIN advice AS a ON a.reason = f.reason
        ORDER BY CASE f.level WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, f.source, f.reason, f.location, f.detail
        """
    ).to_arrow_table()


def runs(con: duckdb.DuckDBPyConnection, tenant: str) -> pa.Table:
    """Every run of a tenant, as `reports.bill.RunRow` names its columns, in the order of job id."""
    return con.sql(
        f"""
        SELECT
            cluster, job_id, job_name, project, account, user_name AS "user", partition, qos, state, submit_s, start_s, end_s,
            {_in_units("cpu_core_ms", "3600000")} AS core_hours, {_in_units("device_ms", "3600000")} AS device_hours,
            devices, CAST(CAST(billed_fen AS DECIMAL(18, 0)) * CAST(0.01 AS DECIMAL(3, 2)) AS DECIMAL(18, 2)) AS billed_cost,
            treatment
        FROM out_run WHERE tenant = ? ORDER BY run_no
        """,
        params=[tenant],
    ).to_arrow_table()


def reconciliation(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """Records by cluster, fate and reason, counted and in core-hours (NULL where a record cannot tell)."""
    return con.sql(
        f"""
        SELECT cluster, fate, reason, records_count AS records,
               CASE WHEN cpu_core_ms IS NOT NULL THEN {_in_units("cpu_core_ms", "3600000")} END AS core_hours
        FROM out_reconciliation
        ORDER BY cluster, fate, reason
        """
    ).to_arrow_table()
