-- core_node_share: how what a run holds lies on its nodes.
-- Grain: one row per layout (cluster, node list, AllocTRES), node and resource that the node holds more than nothing of.
-- Reads: core_run, core_tres_item, ref_hostlist, core_node.
-- Units: `per_s_base` is base units per second; the nodes of a layout add up to what it holds, exactly. `upto_base` is the
--   sum up to and with this node.
-- Basis: `known` on a single node; else `assumed-even`, for sacct tells the sum and the nodes, not what each gives:
--   every node gives the same, but none more than it has while a neighbour has some left (the smallest nodes are filled
--   first, the rest is shared evenly). What no node can give lies on all of them evenly, and is beyond capacity there.
-- Assumptions: a node that no snapshot names is the cluster's node ''. A device without a type is of the node's type where
--   that is the only one of its kind, and the other way round.
WITH layout AS (
    SELECT DISTINCT r.cluster, r.node_list, r.tres_no
    FROM core_run AS r
    WHERE EXISTS (SELECT 1 FROM core_node AS n WHERE n.cluster = r.cluster)
),
numbered AS (
    SELECT CAST(ROW_NUMBER() OVER (ORDER BY cluster, node_list, tres_no) AS INTEGER) AS layout_no, cluster, node_list, tres_no
    FROM layout
),
latest AS (
    SELECT cluster, node, node_no, MAX(tres_no) AS tres_no FROM core_node GROUP BY cluster, node, node_no
),
hosted AS (
    SELECT l.layout_no, l.cluster, l.tres_no, COALESCE(h.node, '') AS node
    FROM numbered AS l
    LEFT JOIN ref_hostlist AS h ON h.node_list = l.node_list
),
placed AS (
    SELECT h.layout_no, h.tres_no, h.node, COALESCE(n.node_no, z.node_no) AS node_no, n.tres_no AS node_tres_no
    FROM hosted AS h
    LEFT JOIN latest AS n ON n.cluster = h.cluster AND n.node = h.node
    JOIN latest AS z ON z.cluster = h.cluster AND z.node = ''
),
kind AS (
    SELECT
        tres_no, SPLIT_PART(resource, ':', 1) AS kind, COUNT(*) AS kinds_count, MIN(resource) AS resource,
        MIN(per_s_base) AS per_s_base
    FROM core_tres_item
    GROUP BY tres_no, SPLIT_PART(resource, ':', 1)
),
held AS (
    SELECT
        p.layout_no, p.node, p.node_no, i.resource AS resource_said, i.per_s_base AS whole_base,
        CASE WHEN c.resource IS NULL AND k.kinds_count = 1 THEN k.resource ELSE i.resource END AS resource,
        COALESCE(c.per_s_base, CASE WHEN k.kinds_count = 1 THEN k.per_s_base END, 0) AS capacity_base
    FROM placed AS p
    JOIN core_tres_item AS i ON i.tres_no = p.tres_no AND i.resource NOT IN ('billing', 'node')
    LEFT JOIN core_tres_item AS c ON c.tres_no = p.node_tres_no AND c.resource = i.resource
    LEFT JOIN kind AS k ON k.tres_no = p.node_tres_no AND k.kind = SPLIT_PART(i.resource, ':', 1)
),
ordered AS (
    SELECT
        *,
        ROW_NUMBER() OVER w AS place, COUNT(*) OVER (PARTITION BY layout_no, resource_said) AS nodes_count,
        SUM(capacity_base) OVER w - capacity_base AS before_base,
        SUM(capacity_base) OVER (PARTITION BY layout_no, resource_said) AS all_base
    FROM held
    WINDOW w AS (PARTITION BY layout_no, resource_said ORDER BY capacity_base, node ROWS UNBOUNDED PRECEDING)
),
filled AS (
    SELECT
        *,
        MIN(CASE WHEN whole_base - before_base <= capacity_base * (nodes_count - place + 1) THEN place END)
            OVER (PARTITION BY layout_no, resource_said) AS first_place
    FROM ordered
),
level AS (
    SELECT
        *,
        COALESCE(MAX(CASE WHEN place = first_place THEN whole_base - before_base END)
            OVER (PARTITION BY layout_no, resource_said), whole_base - all_base) AS left_base,
        CASE WHEN first_place IS NULL THEN nodes_count ELSE nodes_count - first_place + 1 END AS sharers_count,
        CASE WHEN first_place IS NULL THEN place ELSE place - first_place + 1 END AS share_place
    FROM filled
),
given AS (
    SELECT
        layout_no, node_no, resource, nodes_count,
        CASE WHEN first_place IS NOT NULL AND place < first_place THEN capacity_base
             ELSE CASE WHEN first_place IS NULL THEN capacity_base ELSE 0 END
                  + left_base * share_place // sharers_count - left_base * (share_place - 1) // sharers_count END AS per_s_base
    FROM level
),
summed AS (
    SELECT
        layout_no, node_no, resource, CAST(SUM(per_s_base) AS BIGINT) AS per_s_base,
        CASE WHEN MAX(nodes_count) = 1 THEN 'known' ELSE 'assumed-even' END AS basis
    FROM given
    GROUP BY layout_no, node_no, resource
    HAVING SUM(per_s_base) > 0
)
SELECT
    s.layout_no, l.cluster, l.node_list, l.tres_no, s.node_no, s.resource, s.basis, s.per_s_base,
    CAST(SUM(s.per_s_base) OVER (PARTITION BY s.layout_no, SPLIT_PART(s.resource, ':', 1) ORDER BY s.resource, s.node_no
        ROWS UNBOUNDED PRECEDING) AS BIGINT) AS upto_base
FROM summed AS s
JOIN numbered AS l ON l.layout_no = s.layout_no
