-- out_not_charged: use that costs its tenant nothing, and why.
-- Grain: one row per tenant, reason and resource.
-- Reads: core_use, core_part, core_sku, core_owner.
-- Units: base units of the resource; runs are counted once per row.
WITH reasons AS (
    SELECT run_no, combo_no, rule_epoch, resource, policy_reason AS reason, free_base + refunded_base AS base
    FROM core_use WHERE free_base + refunded_base > 0
    UNION ALL
    SELECT run_no, combo_no, rule_epoch, resource, unbilled_reason AS reason, unbilled_base AS base
    FROM core_use WHERE unbilled_base > 0
    UNION ALL
    SELECT p.run_no, k.combo_no, k.rule_epoch, p.resource, 'quota:' || p.quota_name AS reason, p.priced_base AS base
    FROM core_part AS p
    JOIN core_sku AS k ON k.sku_no = p.sku_no
    WHERE p.quota_name <> ''
)
SELECT
    o.tenant, r.reason, r.resource, COUNT(DISTINCT r.run_no) AS runs_count, CAST(SUM(r.base) AS HUGEINT) AS consumed_base
FROM reasons AS r
JOIN core_owner AS o ON o.combo_no = r.combo_no AND o.rule_epoch = r.rule_epoch
GROUP BY o.tenant, r.reason, r.resource
