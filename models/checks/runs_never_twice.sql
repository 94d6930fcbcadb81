-- No run is counted twice: a job id holds one allocation at a time, whatever its records say of submission and start.
SELECT cluster, job_id_raw, begin_s, reach_s, before_s
FROM (
    SELECT
        cluster, job_id_raw, begin_s, reach_s,
        MAX(reach_s) OVER (
            PARTITION BY cluster, job_id_raw ORDER BY begin_s, reach_s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_s
    FROM core_run
) AS run
WHERE before_s > begin_s
