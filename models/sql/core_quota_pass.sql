-- core_quota_pass: the segments of cells after one more quota has taken what is free.
-- Grain: one row per segment [from_base, to_base) of a cell's priced use; `quota_name` is '' for what is still charged.
-- Reads: core_segment, core_cell, this_quota, ref_quota, ref_quota_item, ref_quota_tenant, carry_in, cal_span, ref_unit.
-- Units: base units of the resource.
-- A quota is used up by its owner in time order, cell by cell and, within a cell, in the order of the price book's rows:
--   a segment is free as far as the owner's use so far, carried in from earlier months of the same reset, leaves room.
WITH eligible AS (
    SELECT DISTINCT
        s.sku_no, s.span_no, s.from_base, s.to_base, c.price_no, q.name,
        CASE q.owner_kind WHEN 'tenant' THEN c.tenant WHEN 'project' THEN c.tenant || '/' || c.project
             ELSE c.tenant || '//' || c.user_name END AS owner,
        CAST(q.amount_e6 AS HUGEINT) * u.base_per_unit // 1000000 AS amount_base
    FROM core_segment AS s
    JOIN core_cell AS c ON c.sku_no = s.sku_no AND c.span_no = s.span_no
    JOIN cal_span AS p ON p.span_no = s.span_no
    JOIN ref_unit AS u ON u.resource = c.resource
    JOIN this_quota AS n ON TRUE
    JOIN ref_quota AS q
      ON q.tariff_no = c.tariff_no AND q.name = n.name AND p.start_s >= q.valid_from_s AND p.start_s < q.valid_to_s
    JOIN ref_quota_item AS i ON i.tariff_no = q.tariff_no AND i.rule_no = q.quota_no AND c.item LIKE i.pattern ESCAPE '!'
    JOIN ref_quota_tenant AS t ON t.tariff_no = q.tariff_no AND t.rule_no = q.quota_no AND c.tenant LIKE t.pattern ESCAPE '!'
    WHERE s.quota_name = ''
),
placed AS (
    SELECT
        e.*,
        COALESCE(y.used_base, 0) + SUM(e.to_base - e.from_base) OVER (
            PARTITION BY e.owner ORDER BY e.span_no, e.price_no, e.sku_no, e.from_base ROWS UNBOUNDED PRECEDING) AS after_base
    FROM eligible AS e
    LEFT JOIN carry_in AS y ON y.kind = 'quota' AND y.name = e.name AND y.owner = e.owner
),
cut AS (
    SELECT
        *,
        from_base + GREATEST(0, LEAST(after_base, amount_base)
                                - LEAST(after_base - (to_base - from_base), amount_base)) AS cut_base
    FROM placed
)
SELECT sku_no, span_no, from_base, CAST(cut_base AS HUGEINT) AS to_base, name AS quota_name, owner AS quota_owner
FROM cut WHERE cut_base > from_base
UNION ALL
SELECT sku_no, span_no, CAST(cut_base AS HUGEINT) AS from_base, to_base, '' AS quota_name, '' AS quota_owner
FROM cut WHERE cut_base < to_base
UNION ALL
SELECT s.sku_no, s.span_no, s.from_base, s.to_base, s.quota_name, s.quota_owner
FROM core_segment AS s
LEFT JOIN cut AS c ON c.sku_no = s.sku_no AND c.span_no = s.span_no AND c.from_base = s.from_base AND s.quota_name = ''
WHERE c.sku_no IS NULL
