-- core_earning: what contributed nodes gave to others: the use that earns their owner something.
-- Grain: one row per contribution of each version and resource.
-- Reads: core_use, core_run, core_owner, cal_span, ref_contribution, ref_contribution_node, ref_hostlist.
-- Units: base units of the resource, consumed. Of a run on n nodes, k of them contributed, k/n counts (assumed-even, floor).
-- Assumption: the owner's own use earns nothing.
WITH width AS (
    SELECT node_list, COUNT(*) AS nodes_count FROM ref_hostlist GROUP BY node_list
),
lent AS (
    SELECT n.tariff_no, n.contribution_no, h.node_list, COUNT(*) AS lent_count
    FROM ref_contribution_node AS n
    JOIN ref_hostlist AS h ON h.node = n.node
    GROUP BY n.tariff_no, n.contribution_no, h.node_list
)
SELECT
    c.tariff_no, c.contribution_no, c.tenant, u.resource,
    CAST(SUM(CAST(u.consumed_base AS HUGEINT) * l.lent_count // w.nodes_count) AS HUGEINT) AS earned_base
FROM core_use AS u
JOIN core_run AS r ON r.run_no = u.run_no
JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
JOIN cal_span AS s ON s.span_no = u.span_no
JOIN ref_contribution AS c
  ON c.tariff_no = s.tariff_no AND c.cluster = r.cluster AND u.resource LIKE c.resource ESCAPE '!' AND c.tenant <> o.tenant
 AND s.start_s >= c.valid_from_s AND s.start_s < c.valid_to_s
JOIN lent AS l ON l.tariff_no = c.tariff_no AND l.contribution_no = c.contribution_no AND l.node_list = r.node_list
JOIN width AS w ON w.node_list = r.node_list
GROUP BY c.tariff_no, c.contribution_no, c.tenant, u.resource
