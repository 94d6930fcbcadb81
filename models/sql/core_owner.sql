-- core_owner: whose use it is.
-- Grain: one row per place (core_combo) and rule epoch (a stretch of days over which the same rules are valid).
-- Reads: core_combo, ref_epoch_rule, ref_rule, ref_tenant, cal_span.
-- Assumptions: the first rule of site.toml that matches and is valid decides. What no rule matches belongs to the
--   visible tenant `unassigned`. A rule without a project leaves the Slurm account's name as the project.
WITH epoch AS (
    SELECT DISTINCT rule_epoch FROM cal_span
),
matching AS (
    SELECT m.combo_no, e.rule_epoch, MIN(r.rule_order) AS rule_order
    FROM core_combo AS m
    JOIN ref_rule AS r
      ON m.cluster LIKE r.cluster ESCAPE '!' AND m.account LIKE r.account ESCAPE '!' AND m.wckey LIKE r.wckey ESCAPE '!'
     AND m.partition LIKE r.partition ESCAPE '!' AND m.user_name LIKE r.user_name ESCAPE '!'
    JOIN ref_epoch_rule AS e ON e.rule_order = r.rule_order
    GROUP BY m.combo_no, e.rule_epoch
)
SELECT
    m.combo_no, e.rule_epoch, t.tenant, t.user_class,
    CASE WHEN r.project <> '' THEN r.project WHEN m.account <> '' THEN m.account ELSE '-' END AS project,
    r.rule_order
FROM core_combo AS m
CROSS JOIN epoch AS e
LEFT JOIN matching AS x ON x.combo_no = m.combo_no AND x.rule_epoch = e.rule_epoch
LEFT JOIN ref_rule AS r ON r.rule_order = x.rule_order
JOIN ref_tenant AS t ON t.tenant = COALESCE(r.tenant, 'unassigned')
