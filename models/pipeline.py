"""The data flow, as a list: each table is filled by the SQL file of its name, in this order.

raw_sacct -> core_version -> core_fate, core_tres -> core_record (what became of every record) -> core_run -> core_owner,
core_sku -> core_use (consumed and priced, by run, day and resource) -> out_usage_line -> pricing in Decimal
-> out_charge_line, out_bill -> out_run_charge (each run's part, to the fen).
"""

from __future__ import annotations

CORE = (
    "core_version",
    "core_fate",
    "core_tres",
    "core_tres_part",
    "core_tres_item",
    "core_tres_fault",
    "core_record",
    "core_batch",
    "core_combo",
    "core_run",
    "core_run_span",
    "core_owner",
    "core_sku",
    "core_suspended",
    "core_use",
    "core_usage_slot",
)

BEFORE_PRICES = ("out_usage", "out_usage_line", "out_not_charged")

AFTER_PRICES = ("out_run_charge", "out_run", "out_user_day", "out_reconciliation", "out_finding")

# Large tables that only the build itself needs; dropped before a mart is published.
SCAFFOLD = ("core_version", "core_fate", "core_run_span", "cal_bucket", "cal_slot_bucket")
