-- out_usage_line: what is to be priced: the use behind each line of each bill.
-- Grain: one row per tenant, tariff version, price row and resource with anything priced.
-- Reads: core_use, core_owner, core_combo, ref_tariff.
-- Units: base units of the resource. `cluster` is the cluster where all of it was used, '*' for several.
-- `line` numbers the lines of a tenant in the order of the book: TENANT-001.
WITH summed AS (
    SELECT
        o.tenant, u.tariff_no, u.price_no, u.resource,
        CASE WHEN MIN(m.cluster) = MAX(m.cluster) THEN MIN(m.cluster) ELSE '*' END AS cluster,
        CAST(SUM(u.consumed_base) AS HUGEINT) AS consumed_base,
        CAST(SUM(u.priced_base) AS HUGEINT) AS priced_base
    FROM core_use AS u
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
    JOIN core_combo AS m ON m.combo_no = u.combo_no
    WHERE u.price_no IS NOT NULL
    GROUP BY o.tenant, u.tariff_no, u.price_no, u.resource
    HAVING SUM(u.priced_base) > 0
)
SELECT
    tenant || '-' || LPAD(CAST(ROW_NUMBER() OVER (
        PARTITION BY tenant ORDER BY tariff_no, price_no, resource) AS VARCHAR), 3, '0') AS line,
    tenant, tariff_no, price_no, resource, cluster, consumed_base, priced_base
FROM summed
