-- core_last_step: which step of a last-month discount each place has, by what its owner used in the month before.
-- Grain: one row per place, rule epoch and last-month rule of each version.
-- Reads: core_owner, core_combo, ref_last_month, ref_last_month_step, prior_use.
-- Units: `used_e6` is millionths of the items' unit. The last step whose share of the allotment was reached counts.
WITH owned AS (
    SELECT
        o.combo_no, o.rule_epoch, l.tariff_no, l.last_no, l.allotment_e6,
        CASE l.owner_kind WHEN 'tenant' THEN o.tenant WHEN 'project' THEN o.tenant || '/' || o.project
             ELSE o.tenant || '//' || m.user_name END AS owner
    FROM core_owner AS o
    JOIN core_combo AS m ON m.combo_no = o.combo_no
    CROSS JOIN ref_last_month AS l
)
SELECT w.combo_no, w.rule_epoch, w.tariff_no, w.last_no, MAX(s.step_no) AS step_no
FROM owned AS w
LEFT JOIN prior_use AS p ON p.tariff_no = w.tariff_no AND p.last_no = w.last_no AND p.owner = w.owner
JOIN ref_last_month_step AS s
  ON s.tariff_no = w.tariff_no AND s.last_no = w.last_no
 AND CAST(s.from_e6 AS HUGEINT) * w.allotment_e6 <= CAST(COALESCE(p.used_e6, 0) AS HUGEINT) * 1000000
GROUP BY w.combo_no, w.rule_epoch, w.tariff_no, w.last_no
