"""The small tables that the SQL joins: calendar, tenants and rules, price book, Slurm's words.

They are made from the site and its price book for one period and stand in the mart beside the results, so that a mart
tells by itself what it was built from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import duckdb

from models.calendar import Period, slots
from models.patterns import like
from models.reference_calendar import calendar, rule_epochs
from models.reference_rules import create_rules
from models.reference_table import Row, fill
from models.site import UNASSIGNED, Site
from models.tariff import PriceBook

# State words of sacct, long and short -> (state, still open). squeue's transient words are as good as running.
STATES: tuple[tuple[str, str, bool], ...] = (
    ("BOOT_FAIL", "boot_fail", False), ("BF", "boot_fail", False),
    ("CANCELLED", "cancelled", False), ("CA", "cancelled", False),
    ("COMPLETED", "completed", False), ("CD", "completed", False),
    ("COMPLETING", "running", True), ("CG", "running", True),
    ("CONFIGURING", "running", True), ("CF", "running", True),
    ("DEADLINE", "deadline", False), ("DL", "deadline", False),
    ("FAILED", "failed", False), ("F", "failed", False),
    ("NODE_FAIL", "node_fail", False), ("NF", "node_fail", False),
    ("OUT_OF_MEMORY", "out_of_memory", False), ("OUT_OF_ME", "out_of_memory", False), ("OOM", "out_of_memory", False),
    ("PENDING", "pending", True), ("PD", "pending", True),
    ("PREEMPTED", "preempted", False), ("PR", "preempted", False),
    ("REQUEUED", "requeued", False), ("RQ", "requeued", False), ("REQUEUE", "requeued", False),
    ("RESIZING", "resizing", False), ("RS", "resizing", False),
    ("REVOKED", "revoked", False), ("RV", "revoked", False),
    ("RUNNING", "running", True), ("R", "running", True),
    ("STOPPED", "suspended", True), ("ST", "suspended", True),
    ("SUSPENDED", "suspended", True), ("S", "suspended", True),
    ("TIMEOUT", "timeout", False), ("TO", "timeout", False),
)  # fmt: skip

# Words of a node's state that keep it from being used -> condition: 1 down, 2 drained, 3 maintenance; the lowest counts.
# POWERED_DOWN is power saving: such a node is there for the asking. RESERVED and PLANNED say who may use it.
NODE_STATES: tuple[tuple[str, int], ...] = (
    ("DOWN", 1), ("ERROR", 1), ("FAIL", 1), ("FAILING", 1), ("FUTURE", 1), ("INVAL", 1), ("INVALID", 1),
    ("INVALID_REG", 1), ("UNKNOWN", 1), ("REBOOT", 1), ("REBOOT_ISSUED", 1),
    ("DRAIN", 2), ("DRAINED", 2), ("DRAINING", 2), ("MAINT", 3), ("MAINTENANCE", 3),
)  # fmt: skip

# Suffixes of a mem amount -> MiB as numerator, denominator. No suffix is MiB.
SUFFIXES = (
    ("", 1, 1), ("K", 1, 1024), ("M", 1, 1), ("G", 1024, 1), ("T", 1024**2, 1), ("P", 1024**3, 1), ("E", 1024**4, 1),
)  # fmt: skip

BUCKET_S = 900

# No node draws more; a counter beyond it has jumped.
NODE_LIMIT_W = 20_000


def _buckets(starts: Sequence[int], period: Period) -> list[Row]:
    """Quarters of an hour -> number of the stretch that holds them; `starts` are the stretches' first seconds."""
    first, last = period.start_s // BUCKET_S, (period.end_s - 1) // BUCKET_S
    return [
        (bucket, max(0, bisect_right(starts, bucket * BUCKET_S) - 1)) for bucket in range(first, last + 1)
    ]


def _calendar(con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, period: Period) -> None:
    made = calendar(site, book, period)
    fill(
        con, "cal_period", "period VARCHAR, start_s BIGINT, end_s BIGINT, first_day DATE, last_day DATE",
        [(period.name, period.start_s, period.end_s, period.first_day, period.last_day)],
    )  # fmt: skip
    fill(
        con, "cal_span",
        "span_no INTEGER, start_s BIGINT, end_s BIGINT, day DATE, tariff_no INTEGER, rule_epoch INTEGER, "
        "band_set INTEGER, end_set INTEGER",
        ((n, *vars(cell).values()) for n, cell in enumerate(made.cells)),
    )  # fmt: skip
    fill(con, "ref_band_set", "band_set INTEGER, tariff_no INTEGER, band_no INTEGER", made.sets)
    cells = slots(period, site.timezone, site.slot_minutes)
    fill(
        con, "cal_slot", "slot_no INTEGER, start_s BIGINT, end_s BIGINT, day DATE",
        ((n, s.start_s, s.end_s, s.day) for n, s in enumerate(cells)),
    )  # fmt: skip
    fill(
        con,
        "cal_bucket",
        "bucket_no BIGINT, span_no INTEGER",
        _buckets([cell.start_s for cell in made.cells], period),
    )
    fill(
        con,
        "cal_slot_bucket",
        "bucket_no BIGINT, slot_no INTEGER",
        _buckets([s.start_s for s in cells], period),
    )


def _tenancy(con: duckdb.DuckDBPyConnection, site: Site, period: Period) -> None:
    nobody = (UNASSIGNED, "未归属", "Unassigned", "", "", UNASSIGNED, "", "")
    fill(
        con, "ref_tenant",
        "tenant VARCHAR, name VARCHAR, name_en VARCHAR, unit VARCHAR, unit_en VARCHAR, user_class VARCHAR, "
        "cost_card VARCHAR, contact VARCHAR",
        [nobody, *((t.tenant, t.name, t.name_en, t.unit, t.unit_en, t.user_class, t.cost_card, t.contact)
                   for t in site.tenants)],
    )  # fmt: skip
    fill(
        con, "ref_project", "tenant VARCHAR, project VARCHAR, name VARCHAR, cost_card VARCHAR",
        ((p.tenant, p.project, p.name, p.cost_card) for p in site.projects),
    )  # fmt: skip
    fill(
        con, "ref_rule",
        "rule_order INTEGER, tenant VARCHAR, project VARCHAR, cluster VARCHAR, account VARCHAR, wckey VARCHAR, "
        "partition VARCHAR, user_name VARCHAR",
        ((r.order, r.tenant, r.project, like(r.cluster), like(r.account), like(r.wckey), like(r.partition), like(r.user))
         for r in site.rules),
    )  # fmt: skip
    fill(
        con, "ref_epoch_rule", "rule_epoch INTEGER, rule_order INTEGER",
        ((number, rule.order) for number, day in enumerate(rule_epochs(site, period)) for rule in site.rules
         if (rule.valid_from is None or rule.valid_from <= day) and (rule.valid_to is None or day < rule.valid_to)),
    )  # fmt: skip


def _prices(con: duckdb.DuckDBPyConnection, book: PriceBook) -> None:
    numbered = list(enumerate(book.versions, 1))
    fill(
        con, "ref_tariff", "tariff_no INTEGER, version VARCHAR, sha256 VARCHAR, quantity_decimals INTEGER",
        ((n, v.version, v.sha256, v.quantity_decimals) for n, v in numbered),
    )  # fmt: skip
    fill(
        con, "ref_price",
        "tariff_no INTEGER, price_no INTEGER, item VARCHAR, name VARCHAR, name_en VARCHAR, cluster VARCHAR, "
        "partition VARCHAR, qos VARCHAR, resource VARCHAR, user_class VARCHAR, list_price DECIMAL(18, 8), "
        "price DECIMAL(18, 8), line_no INTEGER",
        ((n, place, p.item, p.name, p.name_en, like(p.cluster), like(p.partition), like(p.qos), like(p.resource),
          like(p.user_class), p.list_price, p.price, p.line_no)
         for n, v in numbered for place, p in enumerate(v.prices, 1)),
    )  # fmt: skip
    fill(
        con, "ref_policy", "tariff_no INTEGER, state VARCHAR, treatment VARCHAR",
        ((n, state, treatment) for n, v in numbered for state, treatment in v.runs),
    )  # fmt: skip
    fill(
        con, "ref_suspended", "tariff_no INTEGER, pattern_order INTEGER, resource VARCHAR, treatment VARCHAR",
        ((n, place, like(resource), treatment) for n, v in numbered
         for place, (resource, treatment) in enumerate(v.suspended)),
    )  # fmt: skip
    fill(
        con, "ref_not_priced", "tariff_no INTEGER, resource VARCHAR",
        ((n, like(resource)) for n, v in numbered for resource in v.not_priced),
    )  # fmt: skip


def create_reference(con: duckdb.DuckDBPyConnection, site: Site, book: PriceBook, period: Period) -> None:
    """Create and fill every cal_ and ref_ table of one period's mart."""
    _calendar(con, site, book, period)
    _tenancy(con, site, period)
    _prices(con, book)
    create_rules(con, book, period, site.timezone)
    fill(con, "ref_state", "word VARCHAR, state VARCHAR, is_open BOOLEAN", STATES)
    fill(con, "ref_node_state", "word VARCHAR, condition_no INTEGER", NODE_STATES)
    fill(con, "ref_suffix", "suffix VARCHAR, mib_num HUGEINT, mib_den HUGEINT", SUFFIXES)
    fill(con, "ref_accelerator", "name VARCHAR", ((name,) for name in site.accelerators))
    issuer = site.issuer
    fill(
        con, "ref_issuer",
        "name VARCHAR, name_en VARCHAR, department VARCHAR, address VARCHAR, phone VARCHAR, email VARCHAR, "
        "payee_account VARCHAR, dispute_days INTEGER",
        [(issuer.name, issuer.name_en, issuer.department, issuer.address, issuer.phone, issuer.email,
          issuer.payee_account, issuer.dispute_days)],
    )  # fmt: skip
    fill(
        con, "ref_site", "runaway_grace_s BIGINT, runaway_s BIGINT, node_limit_w BIGINT",
        [(site.runaway_grace_hours * 3600, site.runaway_days * 86400, NODE_LIMIT_W)],
    )  # fmt: skip
