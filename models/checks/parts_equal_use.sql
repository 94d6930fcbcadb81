-- Quotas and tiers part each cell's priced use without loss: segments follow one another from nothing to the whole.
SELECT c.sku_no, c.span_no, c.priced_base, COALESCE(s.base, 0) AS parts_base, s.low_base, s.high_base
FROM core_cell AS c
LEFT JOIN (
    SELECT sku_no, span_no, SUM(to_base - from_base) AS base, MIN(from_base) AS low_base, MAX(to_base) AS high_base
    FROM core_pool_step
    GROUP BY sku_no, span_no
) AS s ON s.sku_no = c.sku_no AND s.span_no = c.span_no
WHERE s.sku_no IS NULL OR s.base <> c.priced_base OR s.low_base <> 0 OR s.high_base <> c.priced_base
