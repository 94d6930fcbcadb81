-- What the lines price is what the use says is to be priced, per tenant and resource.
SELECT COALESCE(u.tenant, l.tenant) AS tenant, COALESCE(u.resource, l.resource) AS resource, u.base AS usage_base, l.base AS lines_base
FROM (SELECT tenant, resource, SUM(priced_base) AS base FROM out_usage GROUP BY tenant, resource) AS u
FULL JOIN (SELECT tenant, resource, SUM(priced_base) AS base FROM out_charge_line WHERE kind = 'usage' GROUP BY tenant, resource) AS l
  ON l.tenant = u.tenant AND l.resource = u.resource
WHERE COALESCE(u.base, 0) <> COALESCE(l.base, 0)
