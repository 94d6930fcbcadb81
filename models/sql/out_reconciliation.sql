-- out_reconciliation: records in = billed + zero + held + superseded + rejected, counted and in core-time.
-- Grain: one row per cluster, fate and reason.
-- Reads: core_record, core_batch, raw.raw_rejected.
-- Units: `cpu_core_ms` is what the records claim within the period; NULL where a rejected record cannot tell.
-- Assumption: a rejected record has no time that could be trusted, so it counts in each period that its batch touches.
SELECT cluster, fate, reason, COUNT(*) AS records_count, CAST(SUM(cpu_core_ms) AS HUGEINT) AS cpu_core_ms
FROM core_record
WHERE fate <> 'outside'
GROUP BY cluster, fate, reason
UNION ALL
SELECT b.cluster, 'rejected' AS fate, j.reason, COUNT(*) AS records_count, CAST(NULL AS HUGEINT) AS cpu_core_ms
FROM raw.raw_rejected AS j
JOIN core_batch AS b ON b.batch_id = j.batch_id
GROUP BY b.cluster, j.reason
