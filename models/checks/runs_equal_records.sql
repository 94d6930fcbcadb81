-- The core-time of billed records equals the CPU consumed in core_use, per cluster to the millisecond; every billed
-- record is one run.
SELECT
    COALESCE(r.cluster, n.cluster) AS cluster, COALESCE(r.records_count, 0) AS records_count, COALESCE(n.runs_count, 0) AS runs_count,
    COALESCE(r.cpu_core_ms, 0) AS cpu_core_ms, COALESCE(u.cpu_core_ms, 0) AS consumed_core_ms
FROM (
    SELECT cluster, COUNT(*) AS records_count, SUM(COALESCE(cpu_core_ms, 0)) AS cpu_core_ms FROM core_record WHERE fate = 'billed' GROUP BY cluster
) AS r
FULL JOIN (SELECT cluster, COUNT(*) AS runs_count FROM core_run GROUP BY cluster) AS n ON n.cluster = r.cluster
LEFT JOIN (
    SELECT m.cluster, SUM(u.consumed_base) AS cpu_core_ms
    FROM core_use AS u
    JOIN core_combo AS m ON m.combo_no = u.combo_no
    WHERE u.resource = 'cpu'
    GROUP BY m.cluster
) AS u ON u.cluster = COALESCE(r.cluster, n.cluster)
WHERE COALESCE(r.records_count, 0) <> COALESCE(n.runs_count, 0) OR COALESCE(r.cpu_core_ms, 0) <> COALESCE(u.cpu_core_ms, 0)
