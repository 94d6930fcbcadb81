-- core_coverage: the time that somebody read the job records of, so that what they do not show as used was not used.
-- Grain: one row per cluster, basis and stretch of time without a gap, within the period.
-- Reads: raw.raw_batch, raw.raw_sacct, cal_period.
-- Units: UTC seconds, half-open.
-- Basis: `declared` is the window of a pull, or what `hesuan ingest slurm --covers` says of a file, never beyond the
--   moment at which it was read. `assumed` is what a file without a window must cover whatever window it was made with:
--   from the first End of its records to their last Eligible time, since sacct lists a job when it was eligible before
--   the window's end and ended after its start. First Submit and last End would reach into days that were never asked for.
WITH named AS (
    SELECT batch_id, cluster FROM raw.raw_batch WHERE source = 'sacct' AND window_start_s IS NOT NULL
    UNION
    SELECT DISTINCT r.batch_id, r.cluster
    FROM raw.raw_sacct AS r
    JOIN raw.raw_batch AS b ON b.batch_id = r.batch_id
    WHERE b.window_start_s IS NOT NULL
),
said AS (
    SELECT
        n.cluster, 'declared' AS basis, b.window_start_s AS from_s,
        LEAST(b.window_end_s, COALESCE(b.read_at_s, b.ingested_at_s)) AS to_s
    FROM named AS n
    JOIN raw.raw_batch AS b ON b.batch_id = n.batch_id
    UNION ALL
    SELECT r.cluster, 'assumed' AS basis, MIN(r.end_s) AS from_s, MAX(r.eligible_s) AS to_s
    FROM raw.raw_sacct AS r
    JOIN raw.raw_batch AS b ON b.batch_id = r.batch_id
    WHERE b.window_start_s IS NULL
    GROUP BY r.batch_id, r.cluster
),
clipped AS (
    SELECT s.cluster, s.basis, GREATEST(s.from_s, p.start_s) AS from_s, LEAST(s.to_s, p.end_s) AS to_s
    FROM said AS s
    JOIN cal_period AS p ON s.from_s < p.end_s AND s.to_s > p.start_s
    WHERE s.from_s < s.to_s
),
before AS (
    SELECT
        *,
        MAX(to_s) OVER (
            PARTITION BY cluster, basis ORDER BY from_s, to_s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS before_s
    FROM clipped
),
island AS (
    SELECT
        *,
        SUM(CASE WHEN before_s >= from_s THEN 0 ELSE 1 END) OVER (
            PARTITION BY cluster, basis ORDER BY from_s, to_s ROWS UNBOUNDED PRECEDING
        ) AS island_no
    FROM before
)
SELECT cluster, basis, MIN(from_s) AS from_s, MAX(to_s) AS to_s
FROM island
GROUP BY cluster, basis, island_no
