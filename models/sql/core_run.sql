-- core_run: the runs that held something within the period.
-- Grain: one row per run; `run_no` counts them in the order of their natural key, whatever order they were read in.
-- Reads: core_record, core_combo, raw.raw_sacct.
-- Units: UTC seconds, half-open; [from_s, to_s) is the part of [begin_s, reach_s) within the period. `energy_j` is the
--   job's own counter in joules, NULL where it is not said or no possible value (2^63 and beyond are wrap-arounds).
-- Basis: `ended`, or `running` for what is counted up to the moment at which its source was read.
SELECT
    ROW_NUMBER() OVER (
        ORDER BY c.cluster, c.job_id_raw, c.submit_s NULLS FIRST, c.eligible_s NULLS FIRST, c.start_s, c.version_no
    ) AS run_no,
    c.batch_id, c.record_no, m.combo_no, c.tres_no, c.cluster, c.job_id_raw, r.job_id, r.job_name,
    r.state AS state_said, c.state, c.submit_s, c.eligible_s, c.start_s, c.begin_s, c.reach_s, c.from_s, c.to_s,
    c.suspended_s, CASE WHEN c.is_open THEN 'running' ELSE 'ended' END AS basis,
    COALESCE(r.nodes_count, 0) AS nodes_count, r.node_list, r.reservation,
    CASE WHEN TRY_CAST(r.energy AS BIGINT) >= 0 THEN TRY_CAST(r.energy AS BIGINT) END AS energy_j
FROM core_record AS c
JOIN raw.raw_sacct AS r ON r.batch_id = c.batch_id AND r.record_no = c.record_no
JOIN core_combo AS m
  ON m.cluster = r.cluster AND m.account = r.account AND m.wckey = LTRIM(r.wckey, '*')
 AND m.partition = r.partition AND m.qos = r.qos AND m.user_name = r.user_name
WHERE c.fate = 'billed'
