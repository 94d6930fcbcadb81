-- carry_in: what owners had used of each pool, quota and credit by the end of the month before, since the same reset.
-- Grain: one row per kind, rule and owner.
-- Reads: prior.out_carry, ref_pool, ref_quota.
-- Units: base units of the items' resource; fen for credits.
SELECT c.kind, c.name, c.owner, c.used_base
FROM prior.out_carry AS c
WHERE c.kind = 'credit'
   OR EXISTS (SELECT 1 FROM ref_pool AS p WHERE c.kind = 'pool' AND p.name = c.name AND p.reset_s = c.reset_s)
   OR EXISTS (SELECT 1 FROM ref_quota AS q WHERE c.kind = 'quota' AND q.name = c.name AND q.reset_s = c.reset_s)
