-- core_node_load: how full a node was up to each moment at which a run began or ended on it.
-- Grain: one row per node and moment, nodes with a counter only.
-- Reads: core_run_node.
-- Units: UTC seconds, counted from the node's first run of the period.
--   `upto_run_s` adds up the runs' seconds: between two moments it grows by more than the time where runs were together.
--   `upto_share` adds up the part of a second that a thousandth of a core got, in 10^-16: time x 10^16 / thousandths held by
--   all runs, each stretch rounded up to the next whole, so that a joule that divides evenly is not lost.
-- Method: sums over the moments in order, so that a run's figure is the difference of two rows, however many runs came
--   and went meanwhile.
WITH change AS (
    SELECT cluster, node, from_s AS moment_s, cpu_milli, 1 AS runs_count FROM core_run_node
    UNION ALL
    SELECT cluster, node, to_s AS moment_s, -cpu_milli, -1 AS runs_count FROM core_run_node
),
moment AS (
    SELECT cluster, node, moment_s, SUM(cpu_milli) AS cpu_milli, SUM(runs_count) AS runs_count
    FROM change
    GROUP BY cluster, node, moment_s
),
stretch AS (
    SELECT
        cluster, node, moment_s,
        SUM(cpu_milli) OVER w - cpu_milli AS cpu_milli,
        SUM(runs_count) OVER w - runs_count AS runs_count,
        moment_s - LAG(moment_s, 1, moment_s) OVER w AS since_s
    FROM moment
    WINDOW w AS (PARTITION BY cluster, node ORDER BY moment_s)
)
SELECT
    cluster, node, moment_s,
    CAST(SUM(runs_count * since_s) OVER w AS BIGINT) AS upto_run_s,
    CAST(SUM(
        CASE WHEN cpu_milli > 0 THEN (CAST(10000000000000000 AS HUGEINT) * since_s + cpu_milli - 1) // cpu_milli ELSE 0 END
    ) OVER w AS HUGEINT) AS upto_share
FROM stretch
WINDOW w AS (PARTITION BY cluster, node ORDER BY moment_s)
