-- core_node_slot: where every core-second, MiB-second and device-second of every node went, slot by slot.
-- Grain: one row per node, slot, resource and set of partitions that the node was in.
-- Reads: core_node_piece, core_node_alloc, core_node_reserved, core_tres_item, core_run, core_node.
-- Units: base units of the resource. Always, exactly:
--   capacity + over = allocated + reserved_idle + idle + down + drained + maintenance + unknown.
-- Method: allocated comes first, whatever else is said of the node; what is left of a node that is down, drained or in
--   maintenance is that; of the rest, time for which nobody read the job records is unknown; then what a reservation
--   keeps and its own runs do not use is reserved_idle; the rest is idle. What runs held beyond the capacity is over.
-- Beside the identity: `assumed_base` is the part of reserved_idle and idle that rests on an assumed coverage, `blind_base`
--   the part of allocated, within the capacity, of time for which nobody read all records: it is no base for a utilisation.
-- Assumptions: within a piece, use below and above capacity offset each other. Memory is left out for clusters where some
--   run does not say how much it held (a site that does not track it), for its idle time would be invented.
WITH untracked AS (
    SELECT DISTINCT r.cluster
    FROM core_run AS r
    WHERE NOT EXISTS (SELECT 1 FROM core_tres_item AS i WHERE i.tres_no = r.tres_no AND i.resource = 'mem')
),
node AS (
    SELECT DISTINCT n.node_no, u.cluster IS NULL AS has_mem
    FROM core_node AS n
    LEFT JOIN untracked AS u ON u.cluster = n.cluster
),
stated AS (
    SELECT
        c.piece_no, i.resource, i.per_s_base * (c.to_s - c.from_s) AS capacity_base, 0 AS allocated_base, 0 AS within_base,
        0 AS maintenance_base, 0 AS reserved_base
    FROM core_node_piece AS c
    JOIN core_tres_item AS i ON i.tres_no = c.tres_no AND i.resource NOT IN ('billing', 'node')
    UNION ALL
    SELECT piece_no, resource, 0, allocated_base, within_base, 0, 0 FROM core_node_alloc
    UNION ALL
    SELECT
        c.piece_no, r.resource, 0, 0, 0,
        CASE WHEN r.kind = 'maintenance' THEN r.per_s_base * (c.to_s - c.from_s) ELSE 0 END,
        CASE WHEN r.kind = 'reserved' THEN r.per_s_base * (c.to_s - c.from_s) ELSE 0 END
    FROM core_node_reserved AS r
    JOIN core_node_piece AS c ON c.node_no = r.node_no AND c.from_s >= r.from_s AND c.from_s < r.to_s
),
summed AS (
    SELECT
        piece_no, resource, CAST(SUM(capacity_base) AS BIGINT) AS capacity_base,
        CAST(SUM(allocated_base) AS BIGINT) AS allocated_base, CAST(SUM(within_base) AS BIGINT) AS within_base,
        CAST(SUM(maintenance_base) AS BIGINT) AS maintenance_base, CAST(SUM(reserved_base) AS BIGINT) AS reserved_base
    FROM stated
    GROUP BY piece_no, resource
),
free AS (
    SELECT
        p.node_no, p.slot_no, p.partitions, s.resource, p.condition_no, p.coverage, s.capacity_base, s.allocated_base,
        GREATEST(s.capacity_base - s.allocated_base, 0) AS free_base, s.maintenance_base,
        GREATEST(s.reserved_base - s.within_base, 0) AS reserved_base
    FROM summed AS s
    JOIN core_node_piece AS p ON p.piece_no = s.piece_no
    JOIN node AS n ON n.node_no = p.node_no AND (n.has_mem OR s.resource <> 'mem')
),
maintained AS (
    SELECT
        *,
        CASE WHEN condition_no IS NULL THEN LEAST(free_base, maintenance_base) WHEN condition_no = 3 THEN free_base ELSE 0 END AS kept_base
    FROM free
),
judged AS (
    SELECT
        *, CASE WHEN condition_no IS NULL THEN free_base - kept_base ELSE 0 END AS rest_base
    FROM maintained
)
SELECT
    node_no, slot_no, partitions, resource,
    CAST(SUM(capacity_base) AS BIGINT) AS capacity_base,
    CAST(SUM(allocated_base) AS BIGINT) AS allocated_base,
    CAST(SUM(GREATEST(allocated_base - capacity_base, 0)) AS BIGINT) AS over_base,
    CAST(SUM(CASE WHEN coverage IS NULL THEN 0 ELSE LEAST(rest_base, reserved_base) END) AS BIGINT) AS reserved_idle_base,
    CAST(SUM(CASE WHEN coverage IS NULL THEN 0 ELSE rest_base - LEAST(rest_base, reserved_base) END) AS BIGINT) AS idle_base,
    CAST(SUM(CASE WHEN condition_no = 1 THEN free_base ELSE 0 END) AS BIGINT) AS down_base,
    CAST(SUM(CASE WHEN condition_no = 2 THEN free_base ELSE 0 END) AS BIGINT) AS drained_base,
    CAST(SUM(kept_base) AS BIGINT) AS maintenance_base,
    CAST(SUM(CASE WHEN coverage IS NULL THEN rest_base ELSE 0 END) AS BIGINT) AS unknown_base,
    CAST(SUM(CASE WHEN coverage = 'assumed' THEN rest_base ELSE 0 END) AS BIGINT) AS assumed_base,
    CAST(SUM(CASE WHEN coverage IS NULL THEN LEAST(allocated_base, capacity_base) ELSE 0 END) AS BIGINT) AS blind_base
FROM judged
GROUP BY node_no, slot_no, partitions, resource
