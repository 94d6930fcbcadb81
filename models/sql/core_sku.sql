-- core_sku: which row of the price book each kind of use falls under.
-- Grain: one row per place, rule epoch, tariff version and resource that is used.
-- Reads: core_run, core_tres_item, core_owner, core_combo, ref_price, ref_not_priced, cal_span.
-- `price_no` is the first matching row of the version; `pricing` says: priced, included (other prices include the
--   resource) or no-price (nothing matches: the period cannot close). `tariff_no` 0 is a day without any version.
WITH used AS (
    SELECT DISTINCT r.combo_no, i.resource
    FROM core_run AS r
    JOIN core_tres_item AS i ON i.tres_no = r.tres_no
),
book AS (
    SELECT DISTINCT rule_epoch, tariff_no FROM cal_span
),
kind AS (
    SELECT u.combo_no, u.resource, b.rule_epoch, b.tariff_no, o.user_class, m.cluster, m.partition, m.qos
    FROM used AS u
    CROSS JOIN book AS b
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = b.rule_epoch
    JOIN core_combo AS m ON m.combo_no = u.combo_no
),
matching AS (
    SELECT k.combo_no, k.resource, k.rule_epoch, k.tariff_no, MIN(p.price_no) AS price_no
    FROM kind AS k
    JOIN ref_price AS p
      ON p.tariff_no = k.tariff_no AND k.cluster LIKE p.cluster ESCAPE '!' AND k.partition LIKE p.partition ESCAPE '!'
     AND k.qos LIKE p.qos ESCAPE '!' AND k.resource LIKE p.resource ESCAPE '!' AND k.user_class LIKE p.user_class ESCAPE '!'
    GROUP BY k.combo_no, k.resource, k.rule_epoch, k.tariff_no
),
included AS (
    SELECT DISTINCT k.resource, k.tariff_no
    FROM kind AS k
    JOIN ref_not_priced AS n ON n.tariff_no = k.tariff_no AND k.resource LIKE n.resource ESCAPE '!'
)
SELECT
    k.combo_no, k.resource, k.rule_epoch, k.tariff_no, m.price_no,
    CASE WHEN m.price_no IS NOT NULL THEN 'priced' WHEN n.resource IS NOT NULL THEN 'included' ELSE 'no-price' END AS pricing
FROM kind AS k
LEFT JOIN matching AS m
  ON m.combo_no = k.combo_no AND m.resource = k.resource AND m.rule_epoch = k.rule_epoch AND m.tariff_no = k.tariff_no
LEFT JOIN included AS n ON n.resource = k.resource AND n.tariff_no = k.tariff_no
