-- out_usage_line: what is to be priced: the use behind each line of each bill.
-- Grain: one row per line.
-- Reads: core_line_part.
-- Units: base units of the resource. `consumed_base` is what was physically used behind what is priced. `cluster` is the
--   cluster where all of it was used, '*' for several.
SELECT
    line, tenant, tariff_no, price_no, resource, band_no, factor_bits, pool_no, step_no, last_no, last_step_no,
    CASE WHEN MIN(cluster) = MAX(cluster) THEN MIN(cluster) ELSE '*' END AS cluster,
    CAST(SUM(consumed_base) AS HUGEINT) AS consumed_base,
    CAST(SUM(priced_base) AS HUGEINT) AS priced_base
FROM core_line_part
GROUP BY line, tenant, tariff_no, price_no, resource, band_no, factor_bits, pool_no, step_no, last_no, last_step_no
