-- core_usage_slot: use by accounting slot, the common ground of prices by the hour, energy and capacity.
-- Grain: one row per place (core_combo), slot and resource with use.
-- Reads: core_run, core_tres_item, cal_slot_bucket, cal_slot.
-- Units: base units of the resource. The slots of a run add up to its days in core_use exactly: both cut the same
--   floor(whole x elapsed share), and every day begins a slot.
WITH placed AS (
    SELECT
        r.combo_no, r.tres_no, r.from_s, r.to_s, r.begin_s, r.reach_s, r.suspended_s,
        UNNEST(GENERATE_SERIES(a.slot_no, b.slot_no)) AS slot_no
    FROM core_run AS r
    JOIN cal_slot_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_slot_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
),
cut AS (
    SELECT
        p.combo_no, p.tres_no, s.slot_no, GREATEST(p.from_s, s.start_s) AS from_s, LEAST(p.to_s, s.end_s) AS to_s,
        p.begin_s, p.reach_s - p.begin_s AS held_s, p.suspended_s
    FROM placed AS p
    JOIN cal_slot AS s ON s.slot_no = p.slot_no
),
summed AS (
    SELECT
        combo_no, tres_no, slot_no,
        SUM(to_s - from_s) AS held_s,
        SUM(CASE WHEN suspended_s = 0 THEN to_s - from_s ELSE 0 END) AS plain_s
    FROM cut
    GROUP BY combo_no, tres_no, slot_no
),
plain AS (
    SELECT
        s.combo_no, s.slot_no, i.resource,
        i.per_s_base * CASE WHEN i.stops_when_suspended THEN s.plain_s ELSE s.held_s END AS consumed_base
    FROM summed AS s
    JOIN core_tres_item AS i ON i.tres_no = s.tres_no
),
interrupted AS (
    SELECT
        c.combo_no, c.slot_no, i.resource,
        CAST(i.per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.to_s - c.begin_s) // c.held_s
        - CAST(i.per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.from_s - c.begin_s) // c.held_s AS consumed_base
    FROM cut AS c
    JOIN core_tres_item AS i ON i.tres_no = c.tres_no
    WHERE c.suspended_s > 0 AND i.stops_when_suspended
)
SELECT combo_no, slot_no, resource, CAST(SUM(consumed_base) AS HUGEINT) AS consumed_base
FROM (SELECT * FROM plain UNION ALL SELECT * FROM interrupted) AS every_part
GROUP BY combo_no, slot_no, resource
HAVING SUM(consumed_base) > 0
