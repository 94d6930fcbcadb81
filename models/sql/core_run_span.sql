-- core_run_span: each run cut at the edges of the local days (and so of tariff versions and rule epochs).
-- Grain: one row per run and day that it touches.
-- Reads: core_run, cal_bucket, cal_span.
-- Units: UTC seconds, half-open. A cal_bucket is a quarter of an hour; no day begins within one.
WITH placed AS (
    SELECT r.run_no, r.from_s, r.to_s, UNNEST(GENERATE_SERIES(a.span_no, b.span_no)) AS span_no
    FROM core_run AS r
    JOIN cal_bucket AS a ON a.bucket_no = r.from_s // 900
    JOIN cal_bucket AS b ON b.bucket_no = (r.to_s - 1) // 900
)
SELECT p.run_no, s.span_no, GREATEST(p.from_s, s.start_s) AS from_s, LEAST(p.to_s, s.end_s) AS to_s
FROM placed AS p
JOIN cal_span AS s ON s.span_no = p.span_no
