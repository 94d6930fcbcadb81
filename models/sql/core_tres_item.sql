-- core_tres_item: what each AllocTRES text holds of each resource.
-- Grain: one row per text and resource that it holds more than nothing of.
-- Reads: core_tres_part, ref_accelerator.
-- Units: `per_s_base` is base units per second of holding: core-ms, MiB-s, node-s, device-ms, billing-ms. `share28`
--   is the part of a board in 28ths: 28 for a whole device, less for a MIG slice (boards have 7 or 4 slices, so 28ths
--   are whole numbers).
-- Assumptions: gres/gpu=4,gres/gpu:a100=4 are the same four devices: the generic count is the total where there is
--   one, else the typed ones add up; what no type names is untyped; typed counts beyond the total are cut in the order
--   of their names.
WITH device AS (
    SELECT
        p.tres_no, a.name AS accelerator, p.amount_milli,
        CASE WHEN p.name = 'gres/' || a.name THEN '' ELSE SUBSTR(p.name, LENGTH(a.name) + 7) END AS device_type
    FROM core_tres_part AS p
    JOIN ref_accelerator AS a ON p.name = 'gres/' || a.name OR STARTS_WITH(p.name, 'gres/' || a.name || ':')
),
total AS (
    SELECT
        tres_no, accelerator,
        COALESCE(MAX(CASE WHEN device_type = '' THEN amount_milli END),
                 SUM(CASE WHEN device_type <> '' THEN amount_milli END)) AS total_milli
    FROM device
    GROUP BY tres_no, accelerator
),
typed AS (
    SELECT
        d.tres_no, d.accelerator, d.device_type, d.amount_milli, t.total_milli,
        SUM(d.amount_milli) OVER (
            PARTITION BY d.tres_no, d.accelerator ORDER BY d.device_type ROWS UNBOUNDED PRECEDING
        ) - d.amount_milli AS before_milli
    FROM device AS d
    JOIN total AS t ON t.tres_no = d.tres_no AND t.accelerator = d.accelerator
    WHERE d.device_type <> ''
),
taken AS (
    SELECT
        tres_no, accelerator, device_type,
        GREATEST(0, LEAST(amount_milli, total_milli - before_milli)) AS amount_milli
    FROM typed
),
untyped AS (
    SELECT t.tres_no, t.accelerator, 'untyped' AS device_type, t.total_milli - COALESCE(SUM(k.amount_milli), 0) AS amount_milli
    FROM total AS t
    LEFT JOIN taken AS k ON k.tres_no = t.tres_no AND k.accelerator = t.accelerator
    GROUP BY t.tres_no, t.accelerator, t.total_milli
),
every_device AS (
    SELECT * FROM taken
    UNION ALL
    SELECT * FROM untyped
)
SELECT
    tres_no, name AS resource, name = 'cpu' AS stops_when_suspended, 28 AS share28,
    CAST(SUM(CASE WHEN name IN ('mem', 'node') THEN amount_milli // 1000 ELSE amount_milli END) AS BIGINT) AS per_s_base
FROM core_tres_part
WHERE name IN ('cpu', 'mem', 'node', 'billing') AND amount_milli > 0
GROUP BY tres_no, name
UNION ALL
SELECT
    tres_no, accelerator || ':' || device_type AS resource, FALSE AS stops_when_suspended,
    CASE WHEN REGEXP_MATCHES(device_type, '[1-7]g[.][0-9]+gb')
         THEN CAST(REGEXP_EXTRACT(device_type, '([1-7])g[.]([0-9]+)gb', 1) AS INTEGER)
              * CASE WHEN REGEXP_EXTRACT(device_type, '([1-7]g[.][0-9]+gb)', 1) IN ('1g.6gb', '2g.12gb', '4g.24gb')
                     THEN 7 ELSE 4 END
         ELSE 28 END AS share28,
    CAST(amount_milli AS BIGINT) AS per_s_base
FROM every_device
WHERE amount_milli > 0
