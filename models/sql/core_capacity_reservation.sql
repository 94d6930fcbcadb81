-- core_capacity_reservation: reservations that touch the period, each in its newest version.
-- Grain: one row per reservation and start.
-- Reads: raw.raw_reservation, raw.raw_batch, core_tres, cal_period.
-- Units: UTC seconds, half-open; [from_s, to_s) is the part within the period.
-- Assumptions: the accounting database knows the true end and wins over snapshots. One that a later snapshot no longer
--   names ended when that snapshot was taken, and never was if it had not begun. MAINT makes it maintenance. For whom it
--   is, only snapshots say.
WITH version AS (
    SELECT
        r.*,
        ROW_NUMBER() OVER (
            PARTITION BY r.cluster, r.reservation, r.start_s
            ORDER BY CASE WHEN r.taken_s IS NULL THEN 0 ELSE 1 END, r.taken_s DESC, r.batch_id DESC
        ) AS age_no
    FROM raw.raw_reservation AS r
),
holder AS (
    SELECT cluster, reservation, start_s, MAX(users) AS users, MAX(accounts) AS accounts
    FROM raw.raw_reservation
    GROUP BY cluster, reservation, start_s
),
missed AS (
    SELECT v.cluster, v.reservation, v.start_s, MIN(b.read_at_s) AS gone_s
    FROM version AS v
    JOIN raw.raw_batch AS b ON b.source = 'scontrol-reservation' AND b.cluster = v.cluster AND b.read_at_s > v.taken_s
    WHERE v.age_no = 1
    GROUP BY v.cluster, v.reservation, v.start_s
),
ended AS (
    SELECT v.cluster, v.reservation, v.nodes, v.tres, v.flags, v.start_s, LEAST(v.end_s, COALESCE(m.gone_s, v.end_s)) AS end_s
    FROM version AS v
    LEFT JOIN missed AS m ON m.cluster = v.cluster AND m.reservation = v.reservation AND m.start_s = v.start_s
    WHERE v.age_no = 1
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY e.cluster, e.start_s, e.reservation) AS INTEGER) AS reservation_no,
    e.cluster, e.reservation, e.nodes, t.tres_no,
    CASE WHEN ',' || e.flags || ',' LIKE '%,MAINT,%' THEN 'maintenance' ELSE 'reserved' END AS kind,
    h.users, h.accounts, e.start_s, e.end_s, GREATEST(e.start_s, p.start_s) AS from_s, LEAST(e.end_s, p.end_s) AS to_s
FROM ended AS e
JOIN cal_period AS p ON e.start_s < p.end_s AND e.end_s > p.start_s
JOIN holder AS h ON h.cluster = e.cluster AND h.reservation = e.reservation AND h.start_s = e.start_s
LEFT JOIN core_tres AS t ON t.alloc_tres = e.tres AND t.alloc_cpus_count IS NULL
WHERE e.start_s < e.end_s
