-- core_node_load: how much core-time all runs together had held on a node up to each moment at which a run began or ended.
-- Grain: one row per node and moment.
-- Reads: core_run_node.
-- Units: UTC seconds; `upto_milli_s` is thousandths of a core x seconds since the node's first run of the period.
WITH change AS (
    SELECT cluster, node, begin_s AS moment_s, cpu_milli AS delta_milli FROM core_run_node
    UNION ALL
    SELECT cluster, node, reach_s AS moment_s, -cpu_milli AS delta_milli FROM core_run_node
),
moment AS (
    SELECT cluster, node, moment_s, SUM(delta_milli) AS delta_milli FROM change GROUP BY cluster, node, moment_s
),
level AS (
    SELECT
        cluster, node, moment_s,
        SUM(delta_milli) OVER w - delta_milli AS before_milli,
        moment_s - LAG(moment_s, 1, moment_s) OVER w AS since_s
    FROM moment
    WINDOW w AS (PARTITION BY cluster, node ORDER BY moment_s)
)
SELECT
    cluster, node, moment_s,
    CAST(SUM(before_milli * since_s) OVER (PARTITION BY cluster, node ORDER BY moment_s) AS HUGEINT) AS upto_milli_s
FROM level
