-- out_capacity_source: what the capacity of each cluster rests on.
-- Grain: one row per cluster that has records or an inventory.
-- Reads: core_run, core_node, core_coverage, raw.raw_batch, raw.raw_node, cal_period.
-- Units: UTC seconds. `declared_s` and `covered_s` are seconds of the period for which the job records were read: by a
--   declared window, and in all; `period_s` is the period. `nodes_count` is 0 where no snapshot was read.
WITH cluster AS (
    SELECT cluster FROM core_run
    UNION
    SELECT cluster FROM core_node
),
edge AS (
    SELECT cluster, from_s AS at_s, 1 AS step, CASE WHEN basis = 'declared' THEN 1 ELSE 0 END AS declared_step FROM core_coverage
    UNION ALL
    SELECT cluster, to_s, -1, CASE WHEN basis = 'declared' THEN -1 ELSE 0 END FROM core_coverage
),
level AS (
    SELECT
        cluster, LEAD(at_s) OVER (PARTITION BY cluster ORDER BY at_s) - at_s AS long_s,
        SUM(step) OVER (PARTITION BY cluster ORDER BY at_s) AS depth,
        SUM(declared_step) OVER (PARTITION BY cluster ORDER BY at_s) AS declared_depth
    FROM (
        SELECT cluster, at_s, SUM(step) AS step, SUM(declared_step) AS declared_step FROM edge GROUP BY cluster, at_s
    ) AS edges
),
covered AS (
    SELECT
        cluster, SUM(CASE WHEN depth > 0 THEN long_s ELSE 0 END) AS covered_s,
        SUM(CASE WHEN declared_depth > 0 THEN long_s ELSE 0 END) AS declared_s
    FROM level
    WHERE long_s IS NOT NULL
    GROUP BY cluster
),
snapshot AS (
    SELECT cluster, COUNT(DISTINCT taken_s) AS snapshots_count, MIN(taken_s) AS first_taken_s, MAX(taken_s) AS last_taken_s
    FROM raw.raw_node
    GROUP BY cluster
),
node AS (
    SELECT cluster, COUNT(DISTINCT node) AS nodes_count FROM core_node WHERE node <> '' GROUP BY cluster
),
event AS (
    SELECT
        cluster, MAX(CASE WHEN source = 'sacctmgr-event' THEN read_at_s END) AS events_to_s,
        MAX(CASE WHEN source IN ('sacctmgr-reservation', 'scontrol-reservation') THEN read_at_s END) AS reservations_to_s
    FROM raw.raw_batch
    GROUP BY cluster
)
SELECT
    c.cluster, COALESCE(n.nodes_count, 0) AS nodes_count, COALESCE(s.snapshots_count, 0) AS snapshots_count,
    s.first_taken_s, s.last_taken_s, e.events_to_s, e.reservations_to_s,
    COALESCE(v.covered_s, 0) AS covered_s, COALESCE(v.declared_s, 0) AS declared_s, p.end_s - p.start_s AS period_s
FROM cluster AS c
LEFT JOIN node AS n ON n.cluster = c.cluster
LEFT JOIN snapshot AS s ON s.cluster = c.cluster
LEFT JOIN event AS e ON e.cluster = c.cluster
LEFT JOIN covered AS v ON v.cluster = c.cluster
CROSS JOIN cal_period AS p
