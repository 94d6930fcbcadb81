-- core_node_reserved: what each reservation keeps of each of its nodes.
-- Grain: one row per reservation, node, resource and snapshot of the node.
-- Reads: core_capacity_reservation, ref_hostlist, core_node, core_tres_item.
-- Units: UTC seconds, half-open; `per_s_base` is base units per second.
-- Assumptions: a reservation of all CPUs of its nodes keeps the nodes whole, memory and devices too, since nobody else
--   gets in. One of fewer CPUs keeps what its TRES names, spread over its nodes by what they have of it
--   (floor(whole x share up to a node), so that nothing is lost).
WITH placed AS (
    SELECT
        r.reservation_no, r.kind, r.tres_no AS reserved_tres_no, n.node_no, n.tres_no,
        GREATEST(r.from_s, n.from_s) AS from_s, LEAST(r.to_s, n.to_s) AS to_s
    FROM core_capacity_reservation AS r
    JOIN ref_hostlist AS h ON h.node_list = r.nodes
    JOIN core_node AS n ON n.cluster = r.cluster AND n.node = h.node AND n.from_s < r.to_s AND n.to_s > r.from_s
),
has AS (
    SELECT p.*, i.resource, i.per_s_base AS capacity_base, a.per_s_base AS asked_base
    FROM placed AS p
    JOIN core_tres_item AS i ON i.tres_no = p.tres_no AND i.resource NOT IN ('billing', 'node')
    LEFT JOIN core_tres_item AS a ON a.tres_no = p.reserved_tres_no AND a.resource = i.resource
),
whole AS (
    SELECT reservation_no, from_s, MAX(CASE WHEN asked_base < capacity_base THEN 0 ELSE 1 END) AS is_whole
    FROM (
        SELECT reservation_no, from_s, SUM(capacity_base) AS capacity_base, MIN(asked_base) AS asked_base
        FROM has
        WHERE resource = 'cpu'
        GROUP BY reservation_no, from_s
    ) AS cores
    GROUP BY reservation_no, from_s
),
summed AS (
    SELECT
        h.*, w.is_whole,
        SUM(h.capacity_base) OVER (PARTITION BY h.reservation_no, h.from_s, h.resource) AS all_base,
        SUM(h.capacity_base) OVER (
            PARTITION BY h.reservation_no, h.from_s, h.resource ORDER BY h.node_no ROWS UNBOUNDED PRECEDING
        ) AS upto_base
    FROM has AS h
    JOIN whole AS w ON w.reservation_no = h.reservation_no AND w.from_s = h.from_s
)
SELECT
    reservation_no, kind, node_no, resource, from_s, to_s,
    CAST(CASE WHEN is_whole = 1 THEN capacity_base
              ELSE LEAST(asked_base, all_base) * upto_base // all_base
                   - LEAST(asked_base, all_base) * (upto_base - capacity_base) // all_base END AS BIGINT) AS per_s_base
FROM summed
WHERE is_whole = 1 OR asked_base IS NOT NULL
