-- core_node_piece: each node's time, cut wherever anything about the node changes and at every slot.
-- Grain: one row per node and piece; the pieces of a node are the period without a gap.
-- Reads: core_node, core_node_down, core_node_reserved, core_coverage, cal_slot, cal_slot_bucket, cal_period.
-- Units: UTC seconds, half-open. `tres_no` is NULL where the node was not there; `condition_no` is that of core_node_down, NULL
--   where it was usable; `coverage` is core_coverage's basis, NULL where nobody read the job records.
WITH node AS (
    SELECT DISTINCT node_no, cluster FROM core_node
),
edge AS (
    SELECT n.node_no, s.start_s AS at_s FROM node AS n CROSS JOIN cal_slot AS s
    UNION ALL
    SELECT n.node_no, p.end_s FROM node AS n CROSS JOIN cal_period AS p
    UNION ALL
    SELECT node_no, from_s FROM core_node
    UNION ALL
    SELECT node_no, to_s FROM core_node
    UNION ALL
    SELECT node_no, from_s FROM core_node_down
    UNION ALL
    SELECT node_no, to_s FROM core_node_down
    UNION ALL
    SELECT node_no, from_s FROM core_node_reserved
    UNION ALL
    SELECT node_no, to_s FROM core_node_reserved
    UNION ALL
    SELECT n.node_no, c.from_s FROM node AS n JOIN core_coverage AS c ON c.cluster = n.cluster
    UNION ALL
    SELECT n.node_no, c.to_s FROM node AS n JOIN core_coverage AS c ON c.cluster = n.cluster
),
cut AS (
    SELECT node_no, at_s AS from_s, LEAD(at_s) OVER (PARTITION BY node_no ORDER BY at_s) AS to_s
    FROM (SELECT DISTINCT node_no, at_s FROM edge) AS edges
),
down AS (
    SELECT c.node_no, c.from_s, MIN(d.condition_no) AS condition_no
    FROM cut AS c
    JOIN core_node_down AS d ON d.node_no = c.node_no AND d.from_s <= c.from_s AND d.to_s > c.from_s
    GROUP BY c.node_no, c.from_s
),
covered AS (
    SELECT n.node_no, c.from_s, c.to_s, c.basis FROM node AS n JOIN core_coverage AS c ON c.cluster = n.cluster
),
seen AS (
    SELECT c.node_no, c.from_s, MAX(v.basis) AS coverage
    FROM cut AS c
    JOIN covered AS v ON v.node_no = c.node_no AND v.from_s <= c.from_s AND v.to_s > c.from_s
    GROUP BY c.node_no, c.from_s
)
SELECT
    ROW_NUMBER() OVER (ORDER BY c.node_no, c.from_s) AS piece_no,
    c.node_no, b.slot_no, c.from_s, c.to_s, n.tres_no, COALESCE(n.partitions, '') AS partitions, d.condition_no, s.coverage
FROM cut AS c
JOIN cal_slot_bucket AS b ON b.bucket_no = c.from_s // 900
LEFT JOIN core_node AS n ON n.node_no = c.node_no AND n.from_s <= c.from_s AND n.to_s > c.from_s
LEFT JOIN down AS d ON d.node_no = c.node_no AND d.from_s = c.from_s
LEFT JOIN seen AS s ON s.node_no = c.node_no AND s.from_s = c.from_s
WHERE c.to_s IS NOT NULL
