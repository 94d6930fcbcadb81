-- out_usage: the period's use by tenant and place, consumed and priced: what `hesuan export usage` gives out.
-- Grain: one row per tenant, cluster, partition, QOS and resource.
-- Reads: core_use, core_part, core_combo, core_owner.
-- Units: base units of the resource; `consumed_share28` is base units of whole boards in 28ths (a MIG slice holds part of
--   one). consumed + added = priced + free + refunded + unbilled; what a quota takes is free.
WITH quota AS (
    SELECT o.tenant, u.combo_no, u.resource, CAST(SUM(p.priced_base) AS HUGEINT) AS quota_base
    FROM core_part AS p
    JOIN core_use AS u ON u.run_no = p.run_no AND u.span_no = p.span_no AND u.resource = p.resource
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
    WHERE p.quota_name <> ''
    GROUP BY o.tenant, u.combo_no, u.resource
),
used AS (
    SELECT
        o.tenant, u.combo_no, u.resource,
        SUM(u.consumed_base) AS consumed_base, SUM(u.added_base) AS added_base, SUM(u.priced_base) AS priced_base,
        SUM(u.free_base) AS free_base, SUM(u.refunded_base) AS refunded_base, SUM(u.unbilled_base) AS unbilled_base,
        SUM(CAST(u.consumed_base AS HUGEINT) * u.share28) AS consumed_share28
    FROM core_use AS u
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
    GROUP BY o.tenant, u.combo_no, u.resource
)
SELECT
    u.tenant, 'slurm' AS scheduler, m.cluster, m.partition, m.qos, u.resource,
    CAST(SUM(u.consumed_base) AS HUGEINT) AS consumed_base,
    CAST(SUM(u.added_base) AS HUGEINT) AS added_base,
    CAST(SUM(u.priced_base - COALESCE(q.quota_base, 0)) AS HUGEINT) AS priced_base,
    CAST(SUM(u.free_base + COALESCE(q.quota_base, 0)) AS HUGEINT) AS free_base,
    CAST(SUM(u.refunded_base) AS HUGEINT) AS refunded_base,
    CAST(SUM(u.unbilled_base) AS HUGEINT) AS unbilled_base,
    CAST(SUM(u.consumed_share28) AS HUGEINT) AS consumed_share28
FROM used AS u
JOIN core_combo AS m ON m.combo_no = u.combo_no
LEFT JOIN quota AS q ON q.tenant = u.tenant AND q.combo_no = u.combo_no AND q.resource = u.resource
GROUP BY u.tenant, m.cluster, m.partition, m.qos, u.resource
