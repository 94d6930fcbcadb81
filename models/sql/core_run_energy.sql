-- core_run_energy: the energy of each run, as far as Slurm's own counter can tell it.
-- Grain: one row per run of core_run.
-- Reads: core_run, core_run_node, core_node_load, raw.raw_sacct, ref_site.
-- Units: joules. NULL where there is no usable counter, never 0.
-- Basis: `measured`: nobody else was on its nodes while it ran. `shared`: others were, and each of them carries the whole
--   node's joules (Slurm meters nodes), so each node's part goes by core-time:
--   part of node = joules / nodes (floor split), x own core-time on it / core-time of all runs on it meanwhile.
--   `implausible`: above elapsed x nodes x what a node can draw. `unknown`: not said, a sentinel, or 2^63 and beyond.
-- Known drawbacks: nodes of a run count alike, whatever they drew; idle power goes with the cores; runs that ended before
--   the period are not there to share with; devices weigh nothing here.
WITH part AS (
    SELECT
        n.run_no,
        CAST(r.energy_j AS HUGEINT) * (n.place + 1) // n.nodes_count - CAST(r.energy_j AS HUGEINT) * n.place // n.nodes_count AS node_j,
        CAST(n.cpu_milli AS HUGEINT) * (n.reach_s - n.begin_s) AS own_milli_s,
        e.upto_milli_s - b.upto_milli_s AS all_milli_s
    FROM core_run_node AS n
    JOIN core_run AS r ON r.run_no = n.run_no
    JOIN core_node_load AS b ON b.cluster = n.cluster AND b.node = n.node AND b.moment_s = n.begin_s
    JOIN core_node_load AS e ON e.cluster = n.cluster AND e.node = n.node AND e.moment_s = n.reach_s
    WHERE r.energy_j IS NOT NULL
),
shared AS (
    SELECT
        run_no, MAX(CASE WHEN all_milli_s > own_milli_s THEN 1 ELSE 0 END) AS is_shared,
        SUM(CASE WHEN all_milli_s > own_milli_s THEN node_j * own_milli_s // all_milli_s ELSE node_j END) AS energy_j
    FROM part
    GROUP BY run_no
)
SELECT
    r.run_no, s.energy AS reported,
    CASE
        WHEN r.energy_j IS NULL THEN 'unknown'
        WHEN r.energy_j > CAST(r.reach_s - r.begin_s AS HUGEINT) * GREATEST(r.nodes_count, 1) * p.node_limit_w THEN 'implausible'
        WHEN h.is_shared = 1 THEN 'shared'
        ELSE 'measured'
    END AS basis,
    CASE
        WHEN r.energy_j IS NULL THEN NULL
        WHEN r.energy_j > CAST(r.reach_s - r.begin_s AS HUGEINT) * GREATEST(r.nodes_count, 1) * p.node_limit_w THEN NULL
        ELSE CAST(COALESCE(h.energy_j, r.energy_j) AS BIGINT)
    END AS energy_j
FROM core_run AS r
JOIN raw.raw_sacct AS s ON s.batch_id = r.batch_id AND s.record_no = r.record_no
CROSS JOIN ref_site AS p
LEFT JOIN shared AS h ON h.run_no = r.run_no
