-- core_meter: which meter of the price book makes the priced quantity of each resource.
-- Grain: one row per place (core_combo), rule epoch, tariff version and resource that a meter prices.
-- Reads: core_combo, core_run, core_tres_item, core_owner, ref_meter, ref_weight, cal_span.
-- Assumptions: the first meter of the version that matches counts. A weighted meter prices its own resource even where a
--   run holds none of it, as long as the place uses something that it weighs.
WITH used AS (
    SELECT DISTINCT r.combo_no, i.resource
    FROM (SELECT DISTINCT combo_no, tres_no FROM core_run) AS r
    JOIN core_tres_item AS i ON i.tres_no = r.tres_no
),
book AS (
    SELECT DISTINCT rule_epoch, tariff_no FROM cal_span
),
matching AS (
    SELECT c.combo_no, o.rule_epoch, m.tariff_no, m.meter_no, m.resource, m.target, m.is_weighted
    FROM ref_meter AS m
    JOIN book AS b ON b.tariff_no = m.tariff_no
    JOIN core_owner AS o ON o.rule_epoch = b.rule_epoch AND o.user_class LIKE m.user_class ESCAPE '!'
    JOIN core_combo AS c
      ON c.combo_no = o.combo_no AND c.cluster LIKE m.cluster ESCAPE '!' AND c.partition LIKE m.partition ESCAPE '!'
     AND c.qos LIKE m.qos ESCAPE '!'
),
priced AS (
    SELECT m.combo_no, m.rule_epoch, m.tariff_no, u.resource, m.meter_no
    FROM matching AS m
    JOIN used AS u ON u.combo_no = m.combo_no AND u.resource LIKE m.resource ESCAPE '!'
    UNION
    SELECT m.combo_no, m.rule_epoch, m.tariff_no, m.target AS resource, m.meter_no
    FROM matching AS m
    JOIN ref_weight AS w ON w.tariff_no = m.tariff_no AND w.meter_no = m.meter_no
    JOIN used AS u ON u.combo_no = m.combo_no AND u.resource LIKE w.resource ESCAPE '!'
    WHERE m.is_weighted
)
SELECT combo_no, rule_epoch, tariff_no, resource, MIN(meter_no) AS meter_no
FROM priced
GROUP BY combo_no, rule_epoch, tariff_no, resource
