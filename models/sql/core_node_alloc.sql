-- core_node_alloc: what runs held of each node in each piece of its time.
-- Grain: one row per piece and resource with use.
-- Reads: core_run, core_node_share, core_node_piece, core_tres_item, cal_period.
-- Units: base units. `reserved_base` is the part of runs within a reservation.
-- Method: a run without suspension is two steps of the node's rate. What the node gave up to a moment t is
--   t x (sum of the steps so far) - (sum of step x its time): one pass over all steps, however long the runs are. For a
--   suspended run the cores follow floor(whole x elapsed share), as in core_usage_slot, and each node's part of them is
--   floor(part x share of the nodes up to it), so that neither time nor nodes lose a unit.
WITH suspended AS (
    SELECT DISTINCT tres_no, resource FROM core_tres_item WHERE stops_when_suspended
),
held AS (
    SELECT
        s.node_no, s.resource, r.from_s - p.start_s AS from_s, r.to_s - p.start_s AS to_s, s.per_s_base,
        CASE WHEN r.reservation <> '' THEN s.per_s_base ELSE 0 END AS reserved_base
    FROM core_run AS r
    JOIN core_node_share AS s ON s.cluster = r.cluster AND s.node_list = r.node_list AND s.tres_no = r.tres_no
    LEFT JOIN suspended AS u ON u.tres_no = r.tres_no AND u.resource = s.resource
    CROSS JOIN cal_period AS p
    WHERE r.suspended_s = 0 OR u.resource IS NULL
),
step AS (
    SELECT node_no, resource, at_s, SUM(step_base) AS step_base, SUM(reserved_base) AS reserved_base
    FROM (
        SELECT node_no, resource, from_s AS at_s, per_s_base AS step_base, reserved_base FROM held
        UNION ALL
        SELECT node_no, resource, to_s, -per_s_base, -reserved_base FROM held
    ) AS both_ends
    GROUP BY node_no, resource, at_s
),
used AS (
    SELECT DISTINCT node_no, resource FROM step
),
mark AS (
    SELECT node_no, resource, at_s, step_base, reserved_base, FALSE AS is_cut FROM step
    UNION ALL
    SELECT c.node_no, u.resource, c.from_s - p.start_s, 0, 0, TRUE
    FROM core_node_piece AS c
    JOIN used AS u ON u.node_no = c.node_no
    CROSS JOIN cal_period AS p
    UNION ALL
    SELECT u.node_no, u.resource, p.end_s - p.start_s, 0, 0, TRUE
    FROM used AS u
    CROSS JOIN cal_period AS p
),
summed AS (
    SELECT
        node_no, resource, at_s, is_cut,
        at_s * SUM(step_base) OVER w - SUM(step_base * at_s) OVER w AS upto_base,
        at_s * SUM(reserved_base) OVER w - SUM(reserved_base * at_s) OVER w AS reserved_upto_base
    FROM mark
    WINDOW w AS (PARTITION BY node_no, resource ORDER BY at_s RANGE UNBOUNDED PRECEDING)
),
plain AS (
    SELECT
        s.node_no, s.resource, s.at_s + p.start_s AS from_s,
        LEAD(s.upto_base) OVER v - s.upto_base AS allocated_base,
        LEAD(s.reserved_upto_base) OVER v - s.reserved_upto_base AS reserved_base
    FROM summed AS s
    CROSS JOIN cal_period AS p
    WHERE s.is_cut
    WINDOW v AS (PARTITION BY s.node_no, s.resource ORDER BY s.at_s)
),
interrupted AS (
    SELECT
        s.node_no, s.resource, c.from_s, r.reservation, s.per_s_base, s.upto_base, i.per_s_base AS whole_base,
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
        node_no, resource, from_s, reservation,
        to_base * upto_base // whole_base - to_base * (upto_base - per_s_base) // whole_base
        - (from_base * upto_base // whole_base - from_base * (upto_base - per_s_base) // whole_base) AS allocated_base
    FROM interrupted
)
SELECT
    node_no, resource, from_s,
    CAST(SUM(allocated_base) AS BIGINT) AS allocated_base, CAST(SUM(reserved_base) AS BIGINT) AS reserved_base
FROM (
    SELECT node_no, resource, from_s, allocated_base, reserved_base FROM plain WHERE allocated_base IS NOT NULL
    UNION ALL
    SELECT node_no, resource, from_s, allocated_base, CASE WHEN reservation <> '' THEN allocated_base ELSE 0 END FROM shared
) AS every_part
GROUP BY node_no, resource, from_s
HAVING SUM(allocated_base) <> 0
