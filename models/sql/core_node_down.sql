-- core_node_down: when a node could not be used, and why.
-- Grain: one row per node and stretch of time; stretches may overlap, then the lowest `condition_no` counts:
--   1 down, 2 drained, 3 maintenance.
-- Reads: core_node, raw.raw_node_event, raw.raw_batch, ref_node_state, cal_period.
-- Units: UTC seconds, half-open.
-- Assumptions: the accounting database's events have the exact times and decide up to the moment at which they were
--   last read; after it, and where none were read, a node is taken to stay as its last snapshot saw it (but for
--   maintenance, whose times its reservation has). An event of a
--   state that nobody knows means down, as slurmdbd's own roll-up has it. slurmdbd writes no event while a draining
--   node still runs jobs: its free cores count as idle until they end.
WITH known AS (
    SELECT cluster, MAX(COALESCE(read_at_s, ingested_at_s)) AS known_to_s
    FROM raw.raw_batch
    WHERE source = 'sacctmgr-event'
    GROUP BY cluster
),
event AS (
    SELECT
        e.*,
        ROW_NUMBER() OVER (PARTITION BY e.cluster, e.node, e.start_s ORDER BY e.batch_id DESC, e.record_no DESC) AS age_no
    FROM raw.raw_node_event AS e
    WHERE e.node <> ''
),
node AS (
    SELECT DISTINCT node_no, cluster, node FROM core_node
),
stated AS (
    SELECT n.node_no, e.state, TRUE AS is_event, e.start_s AS from_s, COALESCE(e.end_s, p.end_s) AS to_s
    FROM event AS e
    JOIN node AS n ON n.cluster = e.cluster AND n.node = e.node
    CROSS JOIN cal_period AS p
    WHERE e.age_no = 1
    UNION ALL
    SELECT n.node_no, n.state, FALSE AS is_event, GREATEST(n.from_s, COALESCE(k.known_to_s, n.from_s)) AS from_s, n.to_s
    FROM core_node AS n
    LEFT JOIN known AS k ON k.cluster = n.cluster
),
word AS (
    SELECT
        node_no, state, is_event, from_s, to_s,
        UNNEST(STRING_SPLIT(UPPER(CASE WHEN state = '' THEN '?' ELSE state END), '+')) AS word
    FROM stated
    WHERE from_s < to_s
),
judged AS (
    SELECT w.node_no, w.is_event, w.from_s, w.to_s, MIN(s.condition_no) AS condition_no
    FROM word AS w
    LEFT JOIN ref_node_state AS s ON s.word = RTRIM(w.word, '*~#!%$@^-') AND (w.is_event OR s.condition_no < 3)
    GROUP BY w.node_no, w.state, w.is_event, w.from_s, w.to_s
)
SELECT
    j.node_no, COALESCE(j.condition_no, 1) AS condition_no, GREATEST(j.from_s, p.start_s) AS from_s, LEAST(j.to_s, p.end_s) AS to_s
FROM judged AS j
JOIN cal_period AS p ON j.from_s < p.end_s AND j.to_s > p.start_s
WHERE j.condition_no IS NOT NULL OR j.is_event
