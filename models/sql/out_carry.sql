-- out_carry: what owners have used of each pool, quota and credit by the end of the period, for the month after to take over.
-- Grain: one row per kind, rule and owner.
-- Reads: core_pool_step, core_credit, carry_in, ref_pool, ref_quota.
-- Units: base units of the items' resource; fen for credits, which have no reset.
WITH moved AS (
    SELECT 'pool' AS kind, pool_name AS name, pool_owner AS owner, to_base - from_base AS used_base
    FROM core_pool_step WHERE pool_name <> ''
    UNION ALL
    SELECT 'quota', quota_name, quota_owner, to_base - from_base FROM core_pool_step WHERE quota_name <> ''
    UNION ALL
    SELECT kind, name, owner, used_base FROM carry_in WHERE kind <> 'credit'
),
reset AS (
    SELECT 'pool' AS kind, name, MAX(reset_s) AS reset_s FROM ref_pool GROUP BY name
    UNION ALL
    SELECT 'quota', name, MAX(reset_s) FROM ref_quota GROUP BY name
)
SELECT 'credit' AS kind, name, owner, CAST(NULL AS BIGINT) AS reset_s, CAST(SUM(used_base) AS HUGEINT) AS used_base
FROM (
    SELECT name, owner, CAST(used_fen AS HUGEINT) AS used_base FROM core_credit
    UNION ALL
    SELECT name, owner, used_base FROM carry_in WHERE kind = 'credit'
) AS credit
GROUP BY name, owner
UNION ALL
SELECT m.kind, m.name, m.owner, r.reset_s, CAST(SUM(m.used_base) AS HUGEINT) AS used_base
FROM moved AS m
JOIN reset AS r ON r.kind = m.kind AND r.name = m.name
GROUP BY m.kind, m.name, m.owner, r.reset_s
