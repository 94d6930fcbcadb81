-- What nodes gave is what runs used: per cluster, slot and kind of resource, to the base unit.
WITH node AS (
    SELECT DISTINCT node_no, cluster FROM core_node
),
given AS (
    SELECT n.cluster, s.slot_no, SPLIT_PART(s.resource, ':', 1) AS kind, SUM(s.allocated_base) AS base
    FROM core_node_slot AS s
    JOIN node AS n ON n.node_no = s.node_no
    GROUP BY n.cluster, s.slot_no, SPLIT_PART(s.resource, ':', 1)
),
counted AS (
    SELECT cluster, kind FROM given GROUP BY cluster, kind
),
used AS (
    SELECT m.cluster, u.slot_no, SPLIT_PART(u.resource, ':', 1) AS kind, SUM(u.consumed_base) AS base
    FROM core_usage_slot AS u
    JOIN core_combo AS m ON m.combo_no = u.combo_no
    JOIN counted AS c ON c.cluster = m.cluster AND c.kind = SPLIT_PART(u.resource, ':', 1)
    GROUP BY m.cluster, u.slot_no, SPLIT_PART(u.resource, ':', 1)
)
SELECT
    COALESCE(g.cluster, u.cluster) AS cluster, COALESCE(g.slot_no, u.slot_no) AS slot_no, COALESCE(g.kind, u.kind) AS kind,
    g.base AS given_base, u.base AS used_base
FROM given AS g
FULL JOIN used AS u ON u.cluster = g.cluster AND u.slot_no = g.slot_no AND u.kind = g.kind
WHERE COALESCE(g.base, 0) <> COALESCE(u.base, 0)
