-- core_suspended: whether the tariff charges what a suspended run goes on holding.
-- Grain: one row per tariff version and resource that its [version.suspended] names by some pattern; the first one counts.
-- Reads: core_tres_item, ref_suspended.
WITH matching AS (
    SELECT s.tariff_no, i.resource, MIN(s.pattern_order) AS pattern_order
    FROM ref_suspended AS s
    JOIN (SELECT DISTINCT resource FROM core_tres_item) AS i ON i.resource LIKE s.resource ESCAPE '!'
    GROUP BY s.tariff_no, i.resource
)
SELECT m.tariff_no, m.resource, s.treatment
FROM matching AS m
JOIN ref_suspended AS s ON s.tariff_no = m.tariff_no AND s.pattern_order = m.pattern_order
