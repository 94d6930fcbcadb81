-- core_cell: priced use that a quota or a pool may touch, summed by cell of the calendar: what is used up in time order.
-- Grain: one row per sku (which tells place, owner and item) and cell of the calendar.
-- Reads: core_use, core_sku, core_owner, core_combo, ref_quota, ref_quota_item, ref_quota_tenant.
-- Units: base units of the resource. tenant, project and user are the owners that rules may name.
WITH quoted AS (
    SELECT DISTINCT k.sku_no
    FROM core_sku AS k
    JOIN core_owner AS o ON o.combo_no = k.combo_no AND o.rule_epoch = k.rule_epoch
    JOIN ref_quota AS q ON q.tariff_no = k.tariff_no
    JOIN ref_quota_item AS i ON i.tariff_no = q.tariff_no AND i.rule_no = q.quota_no AND k.item LIKE i.pattern ESCAPE '!'
    JOIN ref_quota_tenant AS t ON t.tariff_no = q.tariff_no AND t.rule_no = q.quota_no AND o.tenant LIKE t.pattern ESCAPE '!'
    WHERE k.item IS NOT NULL
)
SELECT
    u.sku_no, u.span_no, k.tariff_no, k.resource, k.item, k.price_no, k.pool_no, o.tenant, o.project, m.user_name,
    CAST(SUM(u.priced_base) AS HUGEINT) AS priced_base
FROM core_use AS u
JOIN core_sku AS k ON k.sku_no = u.sku_no
LEFT JOIN quoted AS q ON q.sku_no = k.sku_no
JOIN core_owner AS o ON o.combo_no = k.combo_no AND o.rule_epoch = k.rule_epoch
JOIN core_combo AS m ON m.combo_no = k.combo_no
WHERE u.priced_base > 0 AND (k.pool_no > 0 OR q.sku_no IS NOT NULL)
GROUP BY u.sku_no, u.span_no, k.tariff_no, k.resource, k.item, k.price_no, k.pool_no, o.tenant, o.project, m.user_name
