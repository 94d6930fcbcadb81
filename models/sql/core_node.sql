-- core_node: the nodes of each cluster and what each of them had to give, from snapshot to snapshot.
-- Grain: one row per node and snapshot that holds for some of the period; `node_no` is the node's own.
-- Reads: raw.raw_node, core_tres, cal_period.
-- Units: UTC seconds, half-open. `tres_no` is what it gives (core_tres_item); `state` is as said.
-- Assumptions: a snapshot holds until the next one of its cluster; the first one also holds for the time before it
--   (basis `carried`). A node that a later snapshot does not name was there until then. Of two snapshots of one moment
--   the one read later counts. The node '' of each cluster has nothing to give: it stands for runs on nodes that nobody
--   named.
WITH moment AS (
    SELECT cluster, taken_s, MAX(batch_id) AS batch_id FROM raw.raw_node GROUP BY cluster, taken_s
),
following AS (
    SELECT
        *, ROW_NUMBER() OVER (PARTITION BY cluster ORDER BY taken_s) AS place,
        LEAD(taken_s) OVER (PARTITION BY cluster ORDER BY taken_s) AS next_s
    FROM moment
),
valid AS (
    SELECT
        f.cluster, f.batch_id, f.taken_s,
        CASE WHEN f.place = 1 THEN p.start_s ELSE GREATEST(f.taken_s, p.start_s) END AS from_s,
        LEAST(COALESCE(f.next_s, p.end_s), p.end_s) AS to_s
    FROM following AS f
    CROSS JOIN cal_period AS p
),
named AS (
    SELECT
        v.cluster, r.node, r.partitions, r.state, r.cfg_tres, v.from_s, v.to_s,
        CASE WHEN v.taken_s > v.from_s THEN 'carried' ELSE 'snapshot' END AS basis
    FROM valid AS v
    JOIN raw.raw_node AS r ON r.cluster = v.cluster AND r.batch_id = v.batch_id AND r.taken_s = v.taken_s
    WHERE v.from_s < v.to_s
    UNION ALL
    SELECT DISTINCT m.cluster, '', '', '', CAST(NULL AS VARCHAR), p.start_s, p.end_s, 'carried'
    FROM moment AS m
    CROSS JOIN cal_period AS p
)
SELECT
    CAST(DENSE_RANK() OVER (ORDER BY n.cluster, n.node) AS INTEGER) AS node_no,
    n.cluster, n.node, n.partitions, n.state, t.tres_no, n.basis, n.from_s, n.to_s
FROM named AS n
LEFT JOIN core_tres AS t ON t.alloc_tres = n.cfg_tres AND t.alloc_cpus_count IS NULL
