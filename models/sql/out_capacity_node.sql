-- out_capacity_node: where the capacity of each node went in the period.
-- Grain: one row per node and resource; the node '' is what ran on nodes that no snapshot names.
-- Reads: core_node_slot, core_node.
-- Units: base units of the resource, with the identity of core_node_slot.
WITH latest AS (
    SELECT node_no, MAX(from_s) AS from_s FROM core_node GROUP BY node_no
),
node AS (
    SELECT n.node_no, n.cluster, n.node, n.partitions
    FROM core_node AS n
    JOIN latest AS l ON l.node_no = n.node_no AND l.from_s = n.from_s
)
SELECT
    n.cluster, n.node, n.partitions, s.resource,
    CAST(SUM(s.capacity_base) AS HUGEINT) AS capacity_base, CAST(SUM(s.allocated_base) AS HUGEINT) AS allocated_base,
    CAST(SUM(s.over_base) AS HUGEINT) AS over_base, CAST(SUM(s.reserved_idle_base) AS HUGEINT) AS reserved_idle_base,
    CAST(SUM(s.idle_base) AS HUGEINT) AS idle_base, CAST(SUM(s.down_base) AS HUGEINT) AS down_base,
    CAST(SUM(s.drained_base) AS HUGEINT) AS drained_base, CAST(SUM(s.maintenance_base) AS HUGEINT) AS maintenance_base,
    CAST(SUM(s.unknown_base) AS HUGEINT) AS unknown_base, CAST(SUM(s.assumed_base) AS HUGEINT) AS assumed_base,
    CAST(SUM(s.blind_base) AS HUGEINT) AS blind_base
FROM core_node_slot AS s
JOIN node AS n ON n.node_no = s.node_no
GROUP BY n.cluster, n.node, n.partitions, s.resource
