-- core_run_node: which runs were on the nodes whose energy some run tells, with their cores there.
-- Grain: one row per run and node. Nodes without any counter are left out: nothing on them is to be split.
-- Reads: core_run, core_tres_item, ref_hostlist.
-- Units: UTC seconds, half-open: [from_s, to_s) is the run's part of the period. `cpu_milli` is thousandths of a core; `place`
--   is the node's in the run's list of `nodes_count`, from 0.
-- Assumption: sacct tells a run's cores and its nodes, not which node gives how many, so each gives the same (assumed-even).
WITH metered AS (
    SELECT DISTINCT r.cluster, h.node
    FROM core_run AS r
    JOIN ref_hostlist AS h ON h.node_list = r.node_list
    WHERE r.energy_j > 0
),
width AS (
    SELECT node_list, COUNT(*) AS nodes_count FROM ref_hostlist GROUP BY node_list
),
core AS (
    SELECT tres_no, per_s_base AS cpu_milli FROM core_tres_item WHERE resource = 'cpu'
)
SELECT
    r.run_no, r.cluster, h.node, h.place, w.nodes_count, r.from_s, r.to_s, COALESCE(c.cpu_milli, 0) // w.nodes_count AS cpu_milli
FROM core_run AS r
JOIN ref_hostlist AS h ON h.node_list = r.node_list
JOIN metered AS m ON m.cluster = r.cluster AND m.node = h.node
JOIN width AS w ON w.node_list = r.node_list
LEFT JOIN core AS c ON c.tres_no = r.tres_no
