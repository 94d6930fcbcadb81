-- core_line_part: which line of which bill each part of a run's priced use belongs to.
-- Grain: one row per run, cell, resource and part that is charged; `line` is TENANT-001 in the order of the book.
-- Reads: core_part, core_sku, core_owner, core_combo.
-- A line is a tenant's use under one row of one version, in one band, one tier step, one set of factors.
WITH kind AS (
    SELECT DISTINCT sku_no, step_no FROM core_part WHERE quota_name = ''
),
described AS (
    SELECT
        d.sku_no, d.step_no, o.tenant, o.project, m.cluster, k.tariff_no, k.price_no, k.resource, k.band_no, k.factor_bits,
        CASE WHEN d.step_no > 0 THEN k.pool_no ELSE 0 END AS pool_no, k.last_no, k.last_step_no
    FROM kind AS d
    JOIN core_sku AS k ON k.sku_no = d.sku_no
    JOIN core_owner AS o ON o.combo_no = k.combo_no AND o.rule_epoch = k.rule_epoch
    JOIN core_combo AS m ON m.combo_no = k.combo_no
),
numbered AS (
    SELECT
        *,
        CAST(DENSE_RANK() OVER (
            PARTITION BY tenant
            ORDER BY tariff_no, price_no, resource, band_no, step_no, factor_bits, last_no, last_step_no) AS VARCHAR) AS place
    FROM described
)
SELECT
    n.tenant || '-' || LPAD(n.place, CAST(GREATEST(3, LENGTH(n.place)) AS INTEGER), '0') AS line,
    p.run_no, p.span_no, p.priced_base, p.consumed_base, n.tenant, n.project, n.cluster, n.tariff_no, n.price_no, n.resource,
    n.band_no, n.factor_bits, n.pool_no, n.step_no, n.last_no, n.last_step_no
FROM core_part AS p
JOIN numbered AS n ON n.sku_no = p.sku_no AND n.step_no = p.step_no
WHERE p.quota_name = ''
