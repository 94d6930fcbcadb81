-- core_run_span: each run cut at the edges of the calendar's cells (days, tariff versions, rule epochs, bands).
-- Grain: one row per run and cell that it touches.
-- Reads: core_run, cal_bucket, cal_span.
-- Units: UTC seconds, half-open. A cal_bucket is a quarter of an hour; no cell begins within one.
-- `end_set` names the bands that count by a run's end: those that hold the cell of its last second, where it has ended
--   within the period; 0 for a run that goes on, or ended elsewhere.
WITH placed AS (
    SELECT r.run_no, r.from_s, r.to_s, UNNEST(GENERATE_SERIES(a.span_no, b.span_no)) AS span_no,
           CASE WHEN r.basis = 'ended' AND r.to_s = r.reach_s THEN b.span_no END AS end_no
    FROM core_run AS r
    JOIN cal_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
)
SELECT
    p.run_no, s.span_no, GREATEST(p.from_s, s.start_s) AS from_s, LEAST(p.to_s, s.end_s) AS to_s, COALESCE(e.end_set, 0) AS end_set
FROM placed AS p
JOIN cal_span AS s ON s.span_no = p.span_no
LEFT JOIN cal_span AS e ON e.span_no = p.end_no
