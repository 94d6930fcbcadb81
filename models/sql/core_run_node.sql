-- core_run_node: the nodes of each run of the nodes on which some run has an energy counter.
-- Grain: one row per run and node.
-- Reads: core_run, core_tres_item, ref_hostlist.
-- Units: `cpu_milli` is thousandths of a core on the node: what sacct gives for the whole run, the same on each of its
--   nodes (assumed-even). UTC seconds.
WITH metered AS (
    SELECT DISTINCT r.cluster, h.node
    FROM core_run AS r
    JOIN ref_hostlist AS h ON h.node_list = r.node_list
    WHERE r.energy_j IS NOT NULL
),
width AS (
    SELECT node_list, COUNT(*) AS nodes_count FROM ref_hostlist GROUP BY node_list
),
core AS (
    SELECT tres_no, MAX(per_s_base) AS per_s_base FROM core_tres_item WHERE resource = 'cpu' GROUP BY tres_no
)
SELECT
    r.run_no, r.cluster, h.node, h.place, w.nodes_count, r.begin_s, r.reach_s,
    COALESCE(c.per_s_base, 0) // w.nodes_count AS cpu_milli
FROM core_run AS r
JOIN ref_hostlist AS h ON h.node_list = r.node_list
JOIN metered AS m ON m.cluster = r.cluster AND m.node = h.node
JOIN width AS w ON w.node_list = r.node_list
LEFT JOIN core AS c ON c.tres_no = r.tres_no
