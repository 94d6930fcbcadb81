-- core_version: every version of every run that may touch the period, with its state read and its reach known.
-- Grain: one row per row of raw_sacct whose (cluster, job id) has some version that may touch the period.
-- Reads: raw.raw_sacct, cal_period, ref_state.
-- Units: times are UTC seconds; intervals are half-open.
-- Assumptions: Elapsed is End - Start - Suspended, so it tells the suspension where a source has no column for it. An
--   open run (no end, or a state that is not an end) reaches to Start + Elapsed + Suspended, the moment at which its source
--   was read, and never beyond. A record that ends before it starts belongs to the period of its Start. All versions of a job id come along, however old, since only all of
--   them together tell which is the newest. A record without any time counts in every period, as zero.
WITH candidate AS (
    SELECT DISTINCT r.cluster, r.job_id_raw
    FROM raw.raw_sacct AS r
    CROSS JOIN cal_period AS p
    WHERE COALESCE(r.start_s, r.submit_s, r.eligible_s, r.end_s, p.start_s) < p.end_s
      AND (r.end_s IS NULL OR r.end_s >= p.start_s OR r.start_s >= p.start_s)
),
stated AS (
    SELECT
        r.batch_id, r.record_no, r.batch_id * 4294967296 + r.record_no AS version_no,
        r.cluster, r.job_id_raw, r.db_index, r.sluid,
        r.submit_s, r.eligible_s, r.start_s, r.end_s, r.elapsed_s,
        COALESCE(r.suspended_s, GREATEST(r.end_s - r.start_s - r.elapsed_s, 0), 0) AS suspended_s, r.timelimit_s, r.alloc_tres, r.alloc_cpus_count,
        COALESCE(s.state, 'unknown') AS state,
        COALESCE(r.end_s IS NULL OR s.is_open, r.end_s IS NULL) AS is_open
    FROM raw.raw_sacct AS r
    JOIN candidate AS c ON c.cluster = r.cluster AND c.job_id_raw = r.job_id_raw
    LEFT JOIN ref_state AS s ON s.word = UPPER(RTRIM(SPLIT_PART(r.state, ' ', 1), '+'))
)
SELECT
    v.*,
    CASE WHEN v.start_s IS NOT NULL THEN COALESCE(v.end_s, v.start_s + v.elapsed_s + v.suspended_s) END AS reach_s
FROM stated AS v
