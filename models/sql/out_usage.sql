-- out_usage: the period's use by tenant and place, consumed and priced: what `hesuan export usage` gives out.
-- Grain: one row per tenant, cluster, partition, QOS and resource.
-- Reads: core_use, core_combo, core_owner.
-- Units: base units of the resource; `consumed_share28` is base units of whole boards in 28ths (a MIG slice holds part of one).
SELECT
    o.tenant, 'slurm' AS scheduler, m.cluster, m.partition, m.qos, u.resource,
    CAST(SUM(u.consumed_base) AS HUGEINT) AS consumed_base,
    CAST(SUM(u.priced_base) AS HUGEINT) AS priced_base,
    CAST(SUM(u.free_base) AS HUGEINT) AS free_base,
    CAST(SUM(u.refunded_base) AS HUGEINT) AS refunded_base,
    CAST(SUM(u.unbilled_base) AS HUGEINT) AS unbilled_base,
    CAST(SUM(CAST(u.consumed_base AS HUGEINT) * u.share28) AS HUGEINT) AS consumed_share28
FROM core_use AS u
JOIN core_combo AS m ON m.combo_no = u.combo_no
JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
GROUP BY o.tenant, m.cluster, m.partition, m.qos, u.resource
