-- core_usage_slot: use by accounting slot, the common ground of prices by the hour, energy and capacity.
-- Grain: one row per place (core_combo), slot and resource with use.
-- Reads: core_run, core_tres_item, cal_slot_bucket, cal_slot.
-- Units: base units of the resource. The slots of a run add up to its days in core_use exactly: both cut the same
--   floor(whole x elapsed share), and every day begins a slot.
-- Runs that were suspended go a way of their own: the others are many, and need only their seconds summed.
WITH placed AS (
    SELECT r.combo_no, r.tres_no, r.from_s, r.to_s, UNNEST(GENERATE_SERIES(a.slot_no, b.slot_no)) AS slot_no
    FROM core_run AS r
    JOIN cal_slot_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_slot_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
    WHERE r.suspended_s = 0
),
plain AS (
    SELECT p.combo_no, p.tres_no, p.slot_no, SUM(LEAST(p.to_s, s.end_s) - GREATEST(p.from_s, s.start_s)) AS held_s
    FROM placed AS p
    JOIN cal_slot AS s ON s.slot_no = p.slot_no
    GROUP BY p.combo_no, p.tres_no, p.slot_no
),
placed_interrupted AS (
    SELECT
        r.combo_no, r.tres_no, r.from_s, r.to_s, r.begin_s, r.reach_s - r.begin_s AS held_s, r.suspended_s,
        UNNEST(GENERATE_SERIES(a.slot_no, b.slot_no)) AS slot_no
    FROM core_run AS r
    JOIN cal_slot_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_slot_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
    WHERE r.suspended_s > 0
),
interrupted AS (
    SELECT
        p.combo_no, p.tres_no, p.slot_no, GREATEST(p.from_s, s.start_s) AS from_s, LEAST(p.to_s, s.end_s) AS to_s,
        p.begin_s, p.held_s, p.held_s - p.suspended_s AS active_s
    FROM placed_interrupted AS p
    JOIN cal_slot AS s ON s.slot_no = p.slot_no
),
every_part AS (
    SELECT s.combo_no, s.slot_no, i.resource, i.per_s_base * s.held_s AS consumed_base
    FROM plain AS s
    JOIN core_tres_item AS i ON i.tres_no = s.tres_no
    UNION ALL
    SELECT
        c.combo_no, c.slot_no, i.resource,
        CASE WHEN i.stops_when_suspended
             THEN CAST(CAST(i.per_s_base AS HUGEINT) * c.active_s * (c.to_s - c.begin_s) // c.held_s
                       - CAST(i.per_s_base AS HUGEINT) * c.active_s * (c.from_s - c.begin_s) // c.held_s AS BIGINT)
             ELSE i.per_s_base * (c.to_s - c.from_s) END AS consumed_base
    FROM interrupted AS c
    JOIN core_tres_item AS i ON i.tres_no = c.tres_no
)
SELECT combo_no, slot_no, resource, CAST(SUM(consumed_base) AS HUGEINT) AS consumed_base
FROM every_part
GROUP BY combo_no, slot_no, resource
HAVING SUM(consumed_base) > 0
