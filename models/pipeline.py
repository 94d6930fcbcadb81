"""The data flow, as a list: each table is filled by the SQL file of its name, in this order.

raw_node, raw_reservation, raw_node_event -> core_node (what there was), core_node_down, core_node_reserved; with core_run
-> core_node_slot (where it went) -> out_capacity.
raw_sacct -> core_version -> core_fate, core_tres -> core_record (what became of every record) -> core_run -> core_owner,
core_sku -> core_use (consumed and priced, by run, cell and resource) -> core_segment (quotas and tiers used up in time order)
-> core_part, core_line_part -> out_usage_line -> pricing in Decimal
-> out_charge_line, out_bill -> out_run_charge (each run's part, to the fen).
"""

from __future__ import annotations

TABLES = (
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
    "ref_hostlist",  # filled by hostlist.py: each host list expanded once
    "core_run_node",
    "core_node_load",
    "core_run_energy",
    "core_run_span",
    "core_owner",
    "core_meter",
    "core_rate",
    "ref_unit",  # filled by build.py: the units of the resources that are used or metered
    "core_last_step",
    "core_sku",
    "core_suspended",
    "core_use",
    "core_usage_slot",
    "core_earning",
    "core_coverage",
    "core_node",
    "core_node_down",
    "core_capacity_reservation",
    "core_node_reserved",
    "core_node_piece",
    "core_node_share",
    "core_node_alloc",
    "core_node_slot",
    "core_cell",
    "core_segment",  # filled by carry.py: core_quota_pass once a quota, then core_pool_step
    "core_part",
    "core_line_part",
    "out_usage",
    "out_usage_line",
    "out_not_charged",
    "out_charge_line",  # filled by build.py: pricing in Decimal; out_bill too
    "out_run_charge",
    "out_run",
    "out_user_day",
    "out_carry",
    "out_capacity",
    "out_capacity_node",
    "out_capacity_reserved",
    "out_capacity_source",
    "out_capacity_waste",
    "out_reconciliation",
    "out_finding",
)

# Large tables that only the build itself needs; dropped before a mart is published.
SCAFFOLD = (
    "core_version",
    "core_fate",
    "core_run_span",
    "core_part",
    "core_line_part",
    "core_node_piece",
    "core_node_share",
    "core_node_alloc",
    "core_run_node",
    "core_node_load",
    "cal_bucket",
    "cal_slot_bucket",
)
