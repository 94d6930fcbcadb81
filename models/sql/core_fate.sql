-- core_fate: which version of each run is current, and which others it supersedes.
-- Grain: one row per row of core_version.
-- Reads: core_version.
-- Units: UTC seconds. `begin_s` is Start, or for the later record of a resized job the end of the RESIZING record
--   before it (Slurm 22.05 repeats the original Start there).
-- Assumptions: two versions are the same run when their natural key (cluster, job id, submit, eligible, start) is the
--   same, or when they carry the same DBIndex or SLUID for the same job id. A source without the column Submit or
--   Eligible says nothing against it: its records take the latest value that others of the same job and start have; and
--   where nobody tells the submission, a RESIZING record is known by its end. Aliases join twice over, which is as far as
--   text with DBIndex, text with both and JSON with SLUID can be apart. Newer is: ended over open, later end; of equal ones first those that
--   say what was allocated and when it was submitted (a poorer export adds nothing), then the later batch. A version that
--   had not started yet gives way to one of the same submission that has.
WITH repeated AS (
    SELECT cluster, job_id_raw FROM core_version GROUP BY cluster, job_id_raw HAVING COUNT(*) > 1
),
several AS (
    SELECT v.*
    FROM core_version AS v
    JOIN repeated AS r ON r.cluster = v.cluster AND r.job_id_raw = v.job_id_raw
),
submitted AS (
    SELECT
        *,
        COALESCE(submit_s, MAX(submit_s) OVER (PARTITION BY cluster, job_id_raw, start_s, state = 'resizing')) AS key_submit_s
    FROM several
),
eligible AS (
    SELECT
        *,
        COALESCE(eligible_s, MAX(eligible_s) OVER (PARTITION BY cluster, job_id_raw, key_submit_s, start_s)) AS key_eligible_s,
        CASE WHEN key_submit_s IS NULL AND state = 'resizing' THEN end_s END AS key_end_s
    FROM submitted
),
by_key AS (
    SELECT
        *,
        MIN(version_no) OVER (
            PARTITION BY cluster, job_id_raw, key_submit_s, key_eligible_s, start_s, key_end_s) AS key_no
    FROM eligible
),
by_alias AS (
    SELECT
        *,
        CASE WHEN db_index IS NULL THEN key_no
             ELSE MIN(key_no) OVER (PARTITION BY cluster, job_id_raw, db_index) END AS index_no,
        CASE WHEN sluid IS NULL THEN key_no
             ELSE MIN(key_no) OVER (PARTITION BY cluster, job_id_raw, sluid) END AS sluid_no
    FROM by_key
),
once AS (
    SELECT *, MIN(LEAST(index_no, sluid_no)) OVER (PARTITION BY key_no) AS once_no FROM by_alias
),
by_alias_again AS (
    SELECT
        *,
        CASE WHEN db_index IS NULL THEN once_no
             ELSE MIN(once_no) OVER (PARTITION BY cluster, job_id_raw, db_index) END AS index_again_no,
        CASE WHEN sluid IS NULL THEN once_no
             ELSE MIN(once_no) OVER (PARTITION BY cluster, job_id_raw, sluid) END AS sluid_again_no
    FROM once
),
grouped AS (
    SELECT *, MIN(LEAST(index_again_no, sluid_again_no)) OVER (PARTITION BY key_no) AS run_key_no FROM by_alias_again
),
ranked AS (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY run_key_no
            ORDER BY CASE WHEN is_open THEN 1 ELSE 0 END, COALESCE(reach_s, end_s, -1) DESC,
                     CASE WHEN start_s IS NULL THEN 1 ELSE 0 END, CASE WHEN alloc_tres IS NULL THEN 1 ELSE 0 END,
                     CASE WHEN submit_s IS NULL THEN 1 ELSE 0 END, batch_id DESC, record_no DESC
        ) AS age_no,
        MAX(CASE WHEN start_s IS NOT NULL THEN 1 ELSE 0 END) OVER (PARTITION BY cluster, job_id_raw, key_submit_s) AS started
    FROM grouped
),
resizing AS (
    SELECT cluster, job_id_raw, version_no, submit_s, start_s, end_s FROM ranked WHERE age_no = 1 AND state = 'resizing'
),
clipped AS (
    SELECT v.version_no, MAX(z.end_s) AS begin_s
    FROM ranked AS v
    JOIN resizing AS z
      ON z.cluster = v.cluster AND z.job_id_raw = v.job_id_raw AND z.version_no <> v.version_no
     AND z.start_s <= v.start_s AND z.end_s > v.start_s
     AND (z.end_s < v.reach_s OR (z.end_s = v.reach_s AND (v.state <> 'resizing' OR z.submit_s < v.submit_s)))
    WHERE v.age_no = 1
    GROUP BY v.version_no
)
SELECT
    v.version_no,
    CASE WHEN v.age_no > 1 THEN 'newer-version'
         WHEN v.start_s IS NULL AND v.started = 1 THEN 'started-later' END AS superseded,
    COALESCE(c.begin_s, v.start_s) AS begin_s
FROM ranked AS v
LEFT JOIN clipped AS c ON c.version_no = v.version_no
UNION ALL
SELECT v.version_no, CAST(NULL AS VARCHAR) AS superseded, v.start_s AS begin_s
FROM core_version AS v
LEFT JOIN repeated AS r ON r.cluster = v.cluster AND r.job_id_raw = v.job_id_raw
WHERE r.cluster IS NULL
