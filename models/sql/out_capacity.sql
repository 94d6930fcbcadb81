-- out_capacity: where the capacity of each cluster and partition went, day by day.
-- Grain: one row per cluster, partition, day and resource. The partition '' is the whole cluster.
-- Reads: core_node_slot, core_node, cal_slot.
-- Units: base units of the resource, with the identity of core_node_slot and its `assumed_base` and `blind_base`.
-- Assumptions: a partition is its nodes, whoever ran on them: nodes in several partitions count in each, so partitions
--   do not add up to the cluster.
WITH node AS (
    SELECT DISTINCT node_no, cluster FROM core_node
),
summed AS (
    SELECT
        n.cluster, s.partitions, c.day, s.resource,
        SUM(s.capacity_base) AS capacity_base, SUM(s.allocated_base) AS allocated_base, SUM(s.over_base) AS over_base,
        SUM(s.reserved_idle_base) AS reserved_idle_base, SUM(s.idle_base) AS idle_base, SUM(s.down_base) AS down_base,
        SUM(s.drained_base) AS drained_base, SUM(s.maintenance_base) AS maintenance_base,
        SUM(s.unknown_base) AS unknown_base, SUM(s.assumed_base) AS assumed_base, SUM(s.blind_base) AS blind_base
    FROM core_node_slot AS s
    JOIN node AS n ON n.node_no = s.node_no
    JOIN cal_slot AS c ON c.slot_no = s.slot_no
    GROUP BY n.cluster, s.partitions, c.day, s.resource
),
spread AS (
    SELECT *, '' AS partition FROM summed
    UNION ALL
    SELECT *, UNNEST(STRING_SPLIT(partitions, ',')) AS partition FROM summed WHERE partitions <> ''
)
SELECT
    cluster, partition, day, resource,
    CAST(SUM(capacity_base) AS HUGEINT) AS capacity_base, CAST(SUM(allocated_base) AS HUGEINT) AS allocated_base,
    CAST(SUM(over_base) AS HUGEINT) AS over_base, CAST(SUM(reserved_idle_base) AS HUGEINT) AS reserved_idle_base,
    CAST(SUM(idle_base) AS HUGEINT) AS idle_base, CAST(SUM(down_base) AS HUGEINT) AS down_base,
    CAST(SUM(drained_base) AS HUGEINT) AS drained_base, CAST(SUM(maintenance_base) AS HUGEINT) AS maintenance_base,
    CAST(SUM(unknown_base) AS HUGEINT) AS unknown_base, CAST(SUM(assumed_base) AS HUGEINT) AS assumed_base,
    CAST(SUM(blind_base) AS HUGEINT) AS blind_base
FROM spread
GROUP BY cluster, partition, day, resource
