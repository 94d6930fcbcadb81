-- core_node_alloc: what runs held of each node in each piece of its time.
-- Grain: one row per piece and resource with use.
-- Reads: core_run, core_node_share, core_node_piece, core_tres_item, cal_slot, cal_slot_bucket.
-- Units: base units. `within_base` is the part of runs within a reservation.
-- Method: runs of the same layout are summed by slot before they are laid on nodes; only in slots that something cuts for a
--   node are its runs cut one by one. For a suspended run the cores follow floor(whole x elapsed share), as in
--   core_usage_slot, and each node's part of them is floor(part x share of the nodes up to it), so that neither time nor
--   nodes lose a unit.
WITH layout AS (
    SELECT DISTINCT layout_no, cluster, node_list, tres_no FROM core_node_share
),
stops AS (
    SELECT DISTINCT resource FROM core_tres_item WHERE stops_when_suspended
),
placed AS (
    SELECT
        l.layout_no, r.from_s, r.to_s, r.suspended_s = 0 AS is_plain, r.reservation <> '' AS is_within,
        UNNEST(GENERATE_SERIES(a.slot_no, b.slot_no)) AS slot_no
    FROM core_run AS r
    JOIN layout AS l ON l.cluster = r.cluster AND l.node_list = r.node_list AND l.tres_no = r.tres_no
    JOIN cal_slot_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_slot_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
),
summed AS (
    SELECT
        p.layout_no, p.slot_no,
        SUM(LEAST(p.to_s, s.end_s) - GREATEST(p.from_s, s.start_s)) AS held_s,
        SUM(CASE WHEN p.is_plain THEN LEAST(p.to_s, s.end_s) - GREATEST(p.from_s, s.start_s) ELSE 0 END) AS plain_s,
        SUM(CASE WHEN p.is_within THEN LEAST(p.to_s, s.end_s) - GREATEST(p.from_s, s.start_s) ELSE 0 END) AS held_within_s,
        SUM(CASE WHEN p.is_plain AND p.is_within
                 THEN LEAST(p.to_s, s.end_s) - GREATEST(p.from_s, s.start_s) ELSE 0 END) AS plain_within_s
    FROM placed AS p
    JOIN cal_slot AS s ON s.slot_no = p.slot_no
    GROUP BY p.layout_no, p.slot_no
),
counted AS (
    SELECT node_no, slot_no, COUNT(*) AS pieces_count, MIN(piece_no) AS piece_no
    FROM core_node_piece
    GROUP BY node_no, slot_no
),
whole AS (
    SELECT
        c.piece_no, n.resource,
        SUM(n.per_s_base * CASE WHEN t.resource IS NULL THEN s.held_s ELSE s.plain_s END) AS allocated_base,
        SUM(n.per_s_base * CASE WHEN t.resource IS NULL THEN s.held_within_s ELSE s.plain_within_s END) AS within_base
    FROM summed AS s
    JOIN core_node_share AS n ON n.layout_no = s.layout_no
    JOIN counted AS c ON c.node_no = n.node_no AND c.slot_no = s.slot_no AND c.pieces_count = 1
    LEFT JOIN stops AS t ON t.resource = n.resource
    GROUP BY c.piece_no, n.resource
),
cut AS (
    SELECT p.piece_no, p.node_no, p.slot_no, p.from_s, p.to_s
    FROM core_node_piece AS p
    JOIN counted AS c ON c.node_no = p.node_no AND c.slot_no = p.slot_no AND c.pieces_count > 1
),
pieced AS (
    SELECT
        c.piece_no, n.resource, n.per_s_base * (LEAST(p.to_s, c.to_s) - GREATEST(p.from_s, c.from_s)) AS allocated_base,
        p.is_within
    FROM cut AS c
    JOIN core_node_share AS n ON n.node_no = c.node_no
    JOIN placed AS p ON p.layout_no = n.layout_no AND p.slot_no = c.slot_no AND p.from_s < c.to_s AND p.to_s > c.from_s
    LEFT JOIN stops AS t ON t.resource = n.resource
    WHERE p.is_plain OR t.resource IS NULL
),
interrupted AS (
    SELECT
        c.piece_no, s.resource, r.reservation <> '' AS is_within, s.per_s_base, s.upto_base, i.per_s_base AS whole_base,
        CAST(i.per_s_base AS HUGEINT) * (r.reach_s - r.begin_s - r.suspended_s)
            * (LEAST(c.to_s, r.to_s) - r.begin_s) // (r.reach_s - r.begin_s) AS to_base,
        CAST(i.per_s_base AS HUGEINT) * (r.reach_s - r.begin_s - r.suspended_s)
            * (GREATEST(c.from_s, r.from_s) - r.begin_s) // (r.reach_s - r.begin_s) AS from_base
    FROM core_run AS r
    JOIN core_node_share AS s ON s.cluster = r.cluster AND s.node_list = r.node_list AND s.tres_no = r.tres_no
    JOIN core_tres_item AS i ON i.tres_no = r.tres_no AND i.resource = s.resource AND i.stops_when_suspended
    JOIN core_node_piece AS c ON c.node_no = s.node_no AND c.from_s < r.to_s AND c.to_s > r.from_s
    WHERE r.suspended_s > 0
),
shared AS (
    SELECT
        piece_no, resource, is_within,
        to_base * upto_base // whole_base - to_base * (upto_base - per_s_base) // whole_base
        - (from_base * upto_base // whole_base - from_base * (upto_base - per_s_base) // whole_base) AS allocated_base
    FROM interrupted
),
every_part AS (
    SELECT piece_no, resource, allocated_base, within_base FROM whole
    UNION ALL
    SELECT piece_no, resource, allocated_base, CASE WHEN is_within THEN allocated_base ELSE 0 END FROM pieced
    UNION ALL
    SELECT piece_no, resource, allocated_base, CASE WHEN is_within THEN allocated_base ELSE 0 END FROM shared
)
SELECT
    piece_no, resource, CAST(SUM(allocated_base) AS BIGINT) AS allocated_base, CAST(SUM(within_base) AS BIGINT) AS within_base
FROM every_part
GROUP BY piece_no, resource
