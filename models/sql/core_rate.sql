-- core_rate: what a run holds each second, and what the tariff's meter makes of it.
-- Grain: one row per place, AllocTRES text, rule epoch, tariff version and resource that is held or metered.
-- Reads: core_run, core_tres_item, core_meter, ref_meter, ref_weight, cal_span.
-- Units: base units of the resource per second; metered ones in `metered_parts` parts (28 where a board's share counts). `minimum_s` and `granularity_s` are the meter's (0 and 1: none).
--   `is_weighed`: a weighted meter counts the resource as another, so it has no price of its own.
-- Weights: a core, a device or a billing unit is 1000 base units per second, a node 1, a GiB 1024 (MiB); a part is its
--   units x weight, rounded half up to a thousandth of the metered unit.
WITH place AS (
    SELECT DISTINCT r.combo_no, r.tres_no, b.rule_epoch, b.tariff_no
    FROM (SELECT DISTINCT combo_no, tres_no FROM core_run) AS r
    CROSS JOIN (SELECT DISTINCT rule_epoch, tariff_no FROM cal_span) AS b
),
metered AS (
    SELECT p.combo_no, p.tres_no, p.rule_epoch, p.tariff_no, m.resource, m.meter_no
    FROM place AS p
    JOIN core_meter AS m ON m.combo_no = p.combo_no AND m.rule_epoch = p.rule_epoch AND m.tariff_no = p.tariff_no
),
nearest AS (
    SELECT m.combo_no, m.tres_no, m.rule_epoch, m.tariff_no, m.resource AS target, m.meter_no, i.resource, i.per_s_base,
           MIN(w.weight_no) AS weight_no
    FROM metered AS m
    JOIN ref_weight AS w ON w.tariff_no = m.tariff_no AND w.meter_no = m.meter_no
    JOIN core_tres_item AS i ON i.tres_no = m.tres_no AND i.resource LIKE w.resource ESCAPE '!'
    GROUP BY m.combo_no, m.tres_no, m.rule_epoch, m.tariff_no, m.resource, m.meter_no, i.resource, i.per_s_base
),
first_weight AS (
    SELECT n.*, w.weight_e8
    FROM nearest AS n
    JOIN ref_weight AS w ON w.tariff_no = n.tariff_no AND w.meter_no = n.meter_no AND w.weight_no = n.weight_no
),
part AS (
    SELECT
        f.*,
        CAST((CAST(f.per_s_base AS HUGEINT) * f.weight_e8
              * CASE WHEN f.resource IN ('mem', 'node') THEN 2000 ELSE 2 END
              + CASE WHEN f.resource = 'mem' THEN 102400000000 ELSE 100000000 END)
             // CASE WHEN f.resource = 'mem' THEN 204800000000 ELSE 200000000 END AS BIGINT) AS part_per_s_base
    FROM first_weight AS f
),
weighted AS (
    SELECT p.combo_no, p.tres_no, p.rule_epoch, p.tariff_no, p.target AS resource, p.meter_no,
           CAST(CASE WHEN m.is_sum THEN SUM(p.part_per_s_base) ELSE MAX(p.part_per_s_base) END AS BIGINT) AS metered_per_s_base
    FROM part AS p
    JOIN ref_meter AS m ON m.tariff_no = p.tariff_no AND m.meter_no = p.meter_no
    GROUP BY p.combo_no, p.tres_no, p.rule_epoch, p.tariff_no, p.target, p.meter_no, m.is_sum
),
own AS (
    SELECT p.combo_no, p.tres_no, p.rule_epoch, p.tariff_no, i.resource, i.stops_when_suspended, i.share28, i.per_s_base
    FROM place AS p
    JOIN core_tres_item AS i ON i.tres_no = p.tres_no
),
weighed AS (
    SELECT DISTINCT combo_no, tres_no, rule_epoch, tariff_no, resource FROM first_weight WHERE resource <> target
),
every AS (
    SELECT combo_no, tres_no, rule_epoch, tariff_no, resource FROM own
    UNION
    SELECT combo_no, tres_no, rule_epoch, tariff_no, resource FROM weighted
)
SELECT
    e.combo_no, e.tres_no, e.rule_epoch, e.tariff_no, e.resource,
    COALESCE(o.stops_when_suspended, e.resource = 'cpu') AS stops_when_suspended, COALESCE(o.share28, 28) AS share28,
    COALESCE(o.per_s_base, 0) AS consumed_per_s_base,
    CASE
        WHEN r.is_weighted THEN COALESCE(w.metered_per_s_base, 0)
        WHEN r.is_board_share THEN COALESCE(o.per_s_base, 0) * COALESCE(o.share28, 28)
        ELSE COALESCE(o.per_s_base, 0)
    END AS metered_per_s_base,
    CASE WHEN r.is_board_share AND NOT r.is_weighted THEN 28 ELSE 1 END AS metered_parts,
    COALESCE(r.minimum_s, 0) AS minimum_s, COALESCE(r.granularity_s, 1) AS granularity_s,
    x.resource IS NOT NULL AS is_weighed
FROM every AS e
LEFT JOIN own AS o
  ON o.combo_no = e.combo_no AND o.tres_no = e.tres_no AND o.rule_epoch = e.rule_epoch AND o.tariff_no = e.tariff_no
 AND o.resource = e.resource
LEFT JOIN core_meter AS m
  ON m.combo_no = e.combo_no AND m.rule_epoch = e.rule_epoch AND m.tariff_no = e.tariff_no AND m.resource = e.resource
LEFT JOIN ref_meter AS r ON r.tariff_no = m.tariff_no AND r.meter_no = m.meter_no
LEFT JOIN weighted AS w
  ON w.combo_no = e.combo_no AND w.tres_no = e.tres_no AND w.rule_epoch = e.rule_epoch AND w.tariff_no = e.tariff_no
 AND w.resource = e.resource
LEFT JOIN weighed AS x
  ON x.combo_no = e.combo_no AND x.tres_no = e.tres_no AND x.rule_epoch = e.rule_epoch AND x.tariff_no = e.tariff_no
 AND x.resource = e.resource
