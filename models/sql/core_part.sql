-- core_part: each run's priced use, parted where a quota or a tier ends: the ground of bill lines.
-- Grain: one row per run, cell, resource and part of another quota or step.
-- Reads: core_use, core_pool_step.
-- Units: base units of the resource; `consumed_base` is the run's consumption behind the part, split in proportion. `quota_name` is '' for what is charged; `step_no` 0 is the row's own price.
-- Within a cell that a quota or tier cuts, runs take their turn in the order of run_no.
WITH cell AS (
    SELECT sku_no, span_no, COUNT(*) AS parts_count, MIN(quota_name) AS quota_name, MIN(step_no) AS step_no
    FROM core_pool_step
    GROUP BY sku_no, span_no
),
whole AS (
    SELECT u.run_no, u.span_no, u.resource, u.sku_no, u.priced_base, u.consumed_base, COALESCE(c.quota_name, '') AS quota_name,
           COALESCE(c.step_no, 0) AS step_no, COALESCE(c.parts_count, 1) AS parts_count
    FROM core_use AS u
    LEFT JOIN cell AS c ON c.sku_no = u.sku_no AND c.span_no = u.span_no
    WHERE u.priced_base > 0
),
turn AS (
    SELECT
        run_no, span_no, resource, sku_no, priced_base, consumed_base,
        SUM(priced_base) OVER (PARTITION BY sku_no, span_no ORDER BY run_no ROWS UNBOUNDED PRECEDING) - priced_base AS before_base
    FROM whole
    WHERE parts_count > 1
),
cut AS (
    SELECT
        t.run_no, t.span_no, t.resource, t.sku_no, t.priced_base AS whole_base, t.consumed_base, s.quota_name, s.step_no,
        GREATEST(s.from_base - t.before_base, 0) AS from_base,
        LEAST(s.to_base - t.before_base, t.priced_base) AS to_base
    FROM turn AS t
    JOIN core_pool_step AS s
      ON s.sku_no = t.sku_no AND s.span_no = t.span_no AND s.from_base < t.before_base + t.priced_base AND s.to_base > t.before_base
)
SELECT run_no, span_no, resource, sku_no, quota_name, step_no, priced_base, consumed_base
FROM whole
WHERE parts_count = 1
UNION ALL
SELECT
    run_no, span_no, resource, sku_no, quota_name, step_no, CAST(to_base - from_base AS BIGINT) AS priced_base,
    CAST(CAST(consumed_base AS HUGEINT) * to_base // whole_base - CAST(consumed_base AS HUGEINT) * from_base // whole_base AS BIGINT)
        AS consumed_base
FROM cut
