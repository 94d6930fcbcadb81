-- core_pool_step: the segments of cells with the step of their pool: which tier's price each part of the use has.
-- Grain: one row per segment [from_base, to_base) of a cell's priced use; `step_no` 0 is the price row's own price.
-- Reads: core_segment, core_cell, ref_pool, ref_pool_step, carry_in, ref_unit.
-- Units: base units of the resource.
-- An owner's use since the reset counts across the pool's items, in time order, cell by cell and, within a cell, in the
--   order of the price book's rows; what a quota made free does not count.
WITH pooled AS (
    SELECT
        s.sku_no, s.span_no, s.from_base, s.to_base, c.price_no, c.tariff_no, c.pool_no, p.name, u.base_per_unit,
        CASE p.owner_kind WHEN 'tenant' THEN c.tenant WHEN 'project' THEN c.tenant || '/' || c.project
             ELSE c.tenant || '//' || c.user_name END AS owner
    FROM core_segment AS s
    JOIN core_cell AS c ON c.sku_no = s.sku_no AND c.span_no = s.span_no
    JOIN ref_pool AS p ON p.tariff_no = c.tariff_no AND p.pool_no = c.pool_no
    JOIN ref_unit AS u ON u.resource = c.resource
    WHERE s.quota_name = ''
),
placed AS (
    SELECT
        e.*,
        COALESCE(y.used_base, 0) + SUM(e.to_base - e.from_base) OVER (
            PARTITION BY e.name, e.owner ORDER BY e.span_no, e.price_no, e.sku_no, e.from_base ROWS UNBOUNDED PRECEDING) AS after_base
    FROM pooled AS e
    LEFT JOIN carry_in AS y ON y.kind = 'pool' AND y.name = e.name AND y.owner = e.owner
),
step AS (
    SELECT tariff_no, pool_no, step_no, above_e6, LEAD(above_e6) OVER (PARTITION BY tariff_no, pool_no ORDER BY step_no) AS below_e6
    FROM ref_pool_step
    UNION ALL
    SELECT tariff_no, pool_no, 0 AS step_no, 0 AS above_e6, MIN(above_e6) AS below_e6
    FROM ref_pool_step
    GROUP BY tariff_no, pool_no
),
bounded AS (
    SELECT
        p.*, s.step_no, p.after_base - (p.to_base - p.from_base) AS before_base,
        CAST(s.above_e6 AS HUGEINT) * p.base_per_unit // 1000000 AS low_base,
        CASE WHEN s.below_e6 IS NULL THEN p.after_base ELSE CAST(s.below_e6 AS HUGEINT) * p.base_per_unit // 1000000 END AS high_base
    FROM placed AS p
    JOIN step AS s ON s.tariff_no = p.tariff_no AND s.pool_no = p.pool_no
)
SELECT
    sku_no, span_no, CAST(from_base + GREATEST(before_base, low_base) - before_base AS HUGEINT) AS from_base,
    CAST(from_base + LEAST(after_base, high_base) - before_base AS HUGEINT) AS to_base,
    '' AS quota_name, '' AS quota_owner, step_no, name AS pool_name, owner AS pool_owner
FROM bounded
WHERE LEAST(after_base, high_base) > GREATEST(before_base, low_base)
UNION ALL
SELECT s.sku_no, s.span_no, s.from_base, s.to_base, s.quota_name, s.quota_owner, 0 AS step_no, '' AS pool_name, '' AS pool_owner
FROM core_segment AS s
JOIN core_cell AS c ON c.sku_no = s.sku_no AND c.span_no = s.span_no
WHERE s.quota_name <> '' OR c.pool_no = 0
