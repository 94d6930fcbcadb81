-- No run is counted twice: one current version per natural key.
SELECT cluster, job_id_raw, submit_s, eligible_s, start_s, COUNT(*) AS records_count
FROM core_record
WHERE fate IN ('billed', 'held', 'zero')
GROUP BY cluster, job_id_raw, submit_s, eligible_s, start_s
HAVING COUNT(*) > 1
