-- Use by slot and use by run and day are the same use: per place and resource, to the base unit.
SELECT COALESCE(a.combo_no, b.combo_no) AS combo_no, COALESCE(a.resource, b.resource) AS resource, a.base AS slots_base, b.base AS days_base
FROM (SELECT combo_no, resource, SUM(consumed_base) AS base FROM core_usage_slot GROUP BY combo_no, resource) AS a
FULL JOIN (SELECT combo_no, resource, SUM(consumed_base) AS base FROM core_use GROUP BY combo_no, resource) AS b
  ON a.combo_no = b.combo_no AND a.resource = b.resource
WHERE COALESCE(a.base, 0) <> COALESCE(b.base, 0)
