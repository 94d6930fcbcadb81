-- core_run_energy: the energy of each run, as far as Slurm's own counter can tell it.
-- Grain: one row per run of core_run.
-- Reads: core_run, core_run_node, core_node_load, ref_hostlist, ref_site, raw.raw_sacct.
-- Units: joules of the nodes (no cooling, no network); NULL where they are not known, never 0. `energy_said` is
--   ConsumedEnergyRaw as it came, `reported_j` its number, `energy_j` the run's own part of it over its whole life,
--   `period_energy_j` what of that lies in the period, by time: only this one may be added up over runs or months.
-- Basis:
--   measured     nobody else was on any of its nodes while it ran: energy_j = reported_j.
--   shared       others were. Slurm meters nodes, so each of them carries the whole node's joules, and
--                  energy_j = sum over its nodes of floor( joules of the node x mean over time of
--                             (own core-ms on the node / core-ms of all runs on the node) )
--                where a node's joules are the run's, cut evenly over its nodes to the last joule. Runs that carry the
--                same joules together get no more than these, and a run never more than it reported.
--   implausible  above held time x nodes x what a node can draw (ref_site.node_limit_w).
--   unknown      not said; a sentinel (32 and 64 bits); negative, or 2^63 and beyond (wrapped); 0, which Slurm prints
--                without a sensor or when a node fails; a run whose nodes or, among others, cores nobody tells.
-- Known drawbacks: the nodes of a run count alike, and each draws evenly over time, whatever they did. Devices and memory
--   weigh nothing, and idle power goes with the cores: a GPU job of one core beside a CPU job of thirty gets a thirtieth.
--   A suspended run counts as if it held its cores. Time outside the period, whose other runs are not here, is taken to
--   have been shared like the time within. A job that changed its size has one counter, which stays with its last
--   record. A counter of 32 bits that wrapped to a possible value cannot be told from a true one.
WITH width AS (
    SELECT node_list, COUNT(*) AS nodes_count FROM ref_hostlist GROUP BY node_list
),
counter AS (
    SELECT
        r.run_no, s.energy AS energy_said, r.begin_s, r.reach_s, r.from_s, r.to_s,
        CASE WHEN r.energy_j > 0 AND r.energy_j NOT IN (4294967294, 4294967295) THEN r.energy_j END AS reported_j,
        CAST(r.reach_s - r.start_s AS HUGEINT) * COALESCE(w.nodes_count, GREATEST(r.nodes_count, 1)) * p.node_limit_w AS limit_j
    FROM core_run AS r
    JOIN raw.raw_sacct AS s ON s.batch_id = r.batch_id AND s.record_no = r.record_no
    LEFT JOIN width AS w ON w.node_list = r.node_list
    CROSS JOIN ref_site AS p
),
possible AS (
    SELECT run_no, CAST(reported_j AS HUGEINT) AS reported_j FROM counter WHERE reported_j <= limit_j
),
part AS (
    SELECT
        n.run_no, n.cpu_milli, n.to_s - n.from_s AS held_s,
        c.reported_j * (n.place + 1) // n.nodes_count - c.reported_j * n.place // n.nodes_count AS node_j,
        z.upto_run_s - a.upto_run_s > n.to_s - n.from_s AS is_shared,
        n.cpu_milli * (z.upto_share - a.upto_share) AS share
    FROM possible AS c
    JOIN core_run_node AS n ON n.run_no = c.run_no
    JOIN core_node_load AS a ON a.cluster = n.cluster AND a.node = n.node AND a.moment_s = n.from_s
    JOIN core_node_load AS z ON z.cluster = n.cluster AND z.node = n.node AND z.moment_s = n.to_s
),
owned AS (
    SELECT
        run_no, MAX(CASE WHEN is_shared THEN 1 ELSE 0 END) AS shared, MAX(CASE WHEN is_shared AND cpu_milli = 0 THEN 1 ELSE 0 END) AS blind,
        CAST(SUM(CASE WHEN is_shared THEN LEAST(node_j, node_j * share // (CAST(10000000000000000 AS HUGEINT) * held_s))
                      ELSE node_j END) AS BIGINT) AS energy_j
    FROM part
    GROUP BY run_no
),
judged AS (
    SELECT
        c.*,
        CASE WHEN c.reported_j > c.limit_j THEN 'implausible'
             WHEN o.run_no IS NULL OR o.blind = 1 THEN 'unknown'
             WHEN o.shared = 1 THEN 'shared'
             ELSE 'measured' END AS basis,
        CASE WHEN o.blind = 0 THEN o.energy_j END AS energy_j
    FROM counter AS c
    LEFT JOIN owned AS o ON o.run_no = c.run_no
)
SELECT
    run_no, energy_said, reported_j, basis, energy_j,
    CAST(CAST(energy_j AS HUGEINT) * (to_s - begin_s) // (reach_s - begin_s)
         - CAST(energy_j AS HUGEINT) * (from_s - begin_s) // (reach_s - begin_s) AS BIGINT) AS period_energy_j
FROM judged
