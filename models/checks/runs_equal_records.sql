-- The core-time of billed records equals the CPU consumed in core_use, per cluster to the millisecond; every billed
-- record is one run.
SELECT r.cluster, r.records_count, COALESCE(n.runs_count, 0) AS runs_count, r.cpu_core_ms, COALESCE(u.cpu_core_ms, 0) AS consumed_core_ms
FROM (
    SELECT cluster, COUNT(*) AS records_count, SUM(COALESCE(cpu_core_ms, 0)) AS cpu_core_ms FROM core_record WHERE fate = 'billed' GROUP BY cluster
) AS r
LEFT JOIN (SELECT cluster, COUNT(*) AS runs_count FROM core_run GROUP BY cluster) AS n ON n.cluster = r.cluster
LEFT JOIN (
    SELECT m.cluster, SUM(u.consumed_base) AS cpu_core_ms
    FROM core_use AS u
    JOIN core_combo AS m ON m.combo_no = u.combo_no
    WHERE u.resource = 'cpu'
    GROUP BY m.cluster
) AS u ON u.cluster = r.cluster
WHERE r.records_count <> COALESCE(n.runs_count, 0) OR r.cpu_core_ms <> COALESCE(u.cpu_core_ms, 0)
