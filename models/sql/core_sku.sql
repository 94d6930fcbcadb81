-- core_sku: what each kind of use costs by: row of the price book, band, factors, pool, last month's step.
-- Grain: one row per place, rule epoch, tariff version, resource and pair of band sets in which it is used; `sku_no`.
-- Reads: core_rate, core_run_span, core_run, core_owner, core_combo, ref_price, ref_not_priced, ref_band_set,
--   ref_band_item, ref_factor, ref_factor_item, ref_factor_tenant, ref_pool_item, ref_last_month_item, core_last_step, cal_span.
-- `price_no` is the first matching row of the version; `pricing` says: priced, included (other prices or a weighted meter
--   include the resource) or no-price (nothing matches: the period cannot close). `tariff_no` 0 is a day without any
--   version. `band_no` is the first band that holds and names the item, 0 for none; `factor_bits` has a bit for each
--   factor that acts; `pool_no` 0 is no pool; `last_no` and `last_step_no` 0 are no discount by last month's use.
WITH cell AS (
    SELECT DISTINCT r.combo_no, s.rule_epoch, s.tariff_no, s.band_set, x.end_set
    FROM core_run_span AS x
    JOIN core_run AS r ON r.run_no = x.run_no
    JOIN cal_span AS s ON s.span_no = x.span_no
),
rated AS (
    SELECT combo_no, rule_epoch, tariff_no, resource, BOOL_AND(is_weighed) AS is_weighed
    FROM core_rate
    GROUP BY combo_no, rule_epoch, tariff_no, resource
),
kind AS (
    SELECT
        t.combo_no, t.rule_epoch, t.tariff_no, t.resource, t.is_weighed, c.band_set, c.end_set,
        o.tenant, o.project, o.user_class, m.user_name, m.cluster, m.partition, m.qos
    FROM cell AS c
    JOIN rated AS t ON t.combo_no = c.combo_no AND t.rule_epoch = c.rule_epoch AND t.tariff_no = c.tariff_no
    JOIN core_owner AS o ON o.combo_no = t.combo_no AND o.rule_epoch = t.rule_epoch
    JOIN core_combo AS m ON m.combo_no = t.combo_no
),
row_of AS (
    SELECT k.combo_no, k.rule_epoch, k.tariff_no, k.resource, MIN(p.price_no) AS price_no
    FROM (SELECT DISTINCT combo_no, rule_epoch, tariff_no, resource, is_weighed, user_class, cluster, partition, qos FROM kind) AS k
    JOIN ref_price AS p
      ON p.tariff_no = k.tariff_no AND k.cluster LIKE p.cluster ESCAPE '!' AND k.partition LIKE p.partition ESCAPE '!'
     AND k.qos LIKE p.qos ESCAPE '!' AND k.resource LIKE p.resource ESCAPE '!' AND k.user_class LIKE p.user_class ESCAPE '!'
    WHERE NOT k.is_weighed
    GROUP BY k.combo_no, k.rule_epoch, k.tariff_no, k.resource
),
included AS (
    SELECT DISTINCT k.resource, k.tariff_no
    FROM kind AS k
    JOIN ref_not_priced AS n ON n.tariff_no = k.tariff_no AND k.resource LIKE n.resource ESCAPE '!'
),
item AS (
    SELECT k.*, w.price_no, p.item
    FROM kind AS k
    LEFT JOIN row_of AS w
      ON w.combo_no = k.combo_no AND w.rule_epoch = k.rule_epoch AND w.tariff_no = k.tariff_no AND w.resource = k.resource
    LEFT JOIN ref_price AS p ON p.tariff_no = k.tariff_no AND p.price_no = w.price_no
),
band AS (
    SELECT k.tariff_no, k.item, k.band_set, k.end_set, MIN(b.band_no) AS band_no
    FROM (SELECT DISTINCT tariff_no, item, band_set, end_set FROM item WHERE item IS NOT NULL) AS k
    JOIN ref_band_set AS b ON b.tariff_no = k.tariff_no AND (b.band_set = k.band_set OR b.band_set = k.end_set)
    JOIN ref_band_item AS i ON i.tariff_no = b.tariff_no AND i.rule_no = b.band_no AND k.item LIKE i.pattern ESCAPE '!'
    GROUP BY k.tariff_no, k.item, k.band_set, k.end_set
),
acting AS (
    SELECT DISTINCT k.combo_no, k.rule_epoch, k.tariff_no, k.resource, f.factor_no, f.factor_bit
    FROM item AS k
    JOIN ref_factor AS f
      ON f.tariff_no = k.tariff_no AND k.cluster LIKE f.cluster ESCAPE '!' AND k.partition LIKE f.partition ESCAPE '!'
     AND k.qos LIKE f.qos ESCAPE '!' AND k.user_class LIKE f.user_class ESCAPE '!'
    JOIN ref_factor_item AS i ON i.tariff_no = f.tariff_no AND i.rule_no = f.factor_no AND k.item LIKE i.pattern ESCAPE '!'
    JOIN ref_factor_tenant AS t ON t.tariff_no = f.tariff_no AND t.rule_no = f.factor_no AND k.tenant LIKE t.pattern ESCAPE '!'
),
bits AS (
    SELECT combo_no, rule_epoch, tariff_no, resource, CAST(SUM(factor_bit) AS BIGINT) AS factor_bits
    FROM acting
    GROUP BY combo_no, rule_epoch, tariff_no, resource
),
pool AS (
    SELECT k.tariff_no, k.item, MIN(i.rule_no) AS pool_no
    FROM (SELECT DISTINCT tariff_no, item FROM item WHERE item IS NOT NULL) AS k
    JOIN ref_pool_item AS i ON i.tariff_no = k.tariff_no AND k.item LIKE i.pattern ESCAPE '!'
    GROUP BY k.tariff_no, k.item
),
last_month AS (
    SELECT k.combo_no, k.rule_epoch, k.tariff_no, k.resource, MIN(i.rule_no) AS last_no
    FROM item AS k
    JOIN ref_last_month_item AS i ON i.tariff_no = k.tariff_no AND k.item LIKE i.pattern ESCAPE '!'
    GROUP BY k.combo_no, k.rule_epoch, k.tariff_no, k.resource
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY k.combo_no, k.rule_epoch, k.tariff_no, k.resource, k.band_set, k.end_set) AS INTEGER) AS sku_no,
    k.combo_no, k.rule_epoch, k.tariff_no, k.resource, k.band_set, k.end_set, k.price_no, k.item,
    CASE WHEN k.price_no IS NOT NULL THEN 'priced' WHEN k.is_weighed OR n.resource IS NOT NULL THEN 'included' ELSE 'no-price' END AS pricing,
    COALESCE(b.band_no, 0) AS band_no, COALESCE(f.factor_bits, 0) AS factor_bits, COALESCE(p.pool_no, 0) AS pool_no,
    COALESCE(l.last_no, 0) AS last_no, COALESCE(s.step_no, 0) AS last_step_no
FROM item AS k
LEFT JOIN included AS n ON n.resource = k.resource AND n.tariff_no = k.tariff_no
LEFT JOIN band AS b ON b.tariff_no = k.tariff_no AND b.item = k.item AND b.band_set = k.band_set AND b.end_set = k.end_set
LEFT JOIN bits AS f
  ON f.combo_no = k.combo_no AND f.rule_epoch = k.rule_epoch AND f.tariff_no = k.tariff_no AND f.resource = k.resource
LEFT JOIN pool AS p ON p.tariff_no = k.tariff_no AND p.item = k.item
LEFT JOIN last_month AS l
  ON l.combo_no = k.combo_no AND l.rule_epoch = k.rule_epoch AND l.tariff_no = k.tariff_no AND l.resource = k.resource
LEFT JOIN core_last_step AS s
  ON s.tariff_no = l.tariff_no AND s.last_no = l.last_no AND s.combo_no = k.combo_no AND s.rule_epoch = k.rule_epoch
