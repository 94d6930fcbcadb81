-- out_reconciliation: records in = billed + zero + held + superseded + rejected, counted and in core-time; what the same
-- batches hold of other periods stands beside it, so that nothing that was read is out of sight.
-- Grain: one row per cluster, fate and reason.
-- Reads: core_record, core_batch, raw.raw_sacct, raw.raw_rejected.
-- Units: `cpu_core_ms` is what the records claim within the period; NULL where a rejected record cannot tell.
-- Assumption: a rejected record has no time that could be trusted, so it counts in each period that its batch touches.
WITH here AS (
    SELECT c.cluster, c.fate, c.reason, c.cpu_core_ms
    FROM core_record AS c
    WHERE c.fate <> 'outside'
),
elsewhere AS (
    SELECT r.cluster
    FROM raw.raw_sacct AS r
    JOIN core_batch AS b ON b.batch_id = r.batch_id
    LEFT JOIN core_record AS c ON c.batch_id = r.batch_id AND c.record_no = r.record_no AND c.fate <> 'outside'
    WHERE c.batch_id IS NULL
)
SELECT cluster, fate, reason, COUNT(*) AS records_count, CAST(COALESCE(SUM(cpu_core_ms), 0) AS HUGEINT) AS cpu_core_ms
FROM here
GROUP BY cluster, fate, reason
UNION ALL
SELECT cluster, 'other-period' AS fate, '' AS reason, COUNT(*) AS records_count, CAST(NULL AS HUGEINT) AS cpu_core_ms
FROM elsewhere
GROUP BY cluster
UNION ALL
SELECT b.cluster, 'rejected' AS fate, j.reason, COUNT(*) AS records_count, CAST(NULL AS HUGEINT) AS cpu_core_ms
FROM raw.raw_rejected AS j
JOIN core_batch AS b ON b.batch_id = j.batch_id
GROUP BY b.cluster, j.reason
