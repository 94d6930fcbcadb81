-- prior_use: what each owner used in the month before of the items that a last-month discount looks at.
-- Grain: one row per last-month rule and owner.
-- Reads: prior.core_use, prior.core_sku, prior.core_owner, prior.core_combo, prior.ref_unit, ref_last_month, ref_last_month_item.
-- Units: millionths of the items' unit, of consumed use.
SELECT
    l.tariff_no, l.last_no,
    CASE l.owner_kind WHEN 'tenant' THEN o.tenant WHEN 'project' THEN o.tenant || '/' || o.project
         ELSE o.tenant || '//' || m.user_name END AS owner,
    SUM(CAST(u.consumed_base AS HUGEINT)) * 1000000 // MIN(n.base_per_unit) AS used_e6
FROM prior.core_use AS u
JOIN prior.core_sku AS k ON k.sku_no = u.sku_no
JOIN prior.core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
JOIN prior.core_combo AS m ON m.combo_no = u.combo_no
JOIN prior.ref_unit AS n ON n.resource = u.resource
JOIN ref_last_month_item AS i ON k.item LIKE i.pattern ESCAPE '!'
JOIN ref_last_month AS l ON l.tariff_no = i.tariff_no AND l.last_no = i.rule_no
GROUP BY 1, 2, 3
