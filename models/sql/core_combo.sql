-- core_combo: each distinct place in Slurm that use of the period came from, numbered, so that later joins are on numbers.
-- Grain: one row per cluster, account, wckey, partition, QOS and user with a billed run.
-- Reads: core_record, raw.raw_sacct.
-- Assumption: a leading '*' of a WCKey only says that it was the user's default.
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY cluster, account, wckey, partition, qos, user_name) AS INTEGER) AS combo_no,
    cluster, account, wckey, partition, qos, user_name
FROM (
    SELECT DISTINCT r.cluster, r.account, LTRIM(r.wckey, '*') AS wckey, r.partition, r.qos, r.user_name
    FROM core_record AS c
    JOIN raw.raw_sacct AS r ON r.batch_id = c.batch_id AND r.record_no = c.record_no
    WHERE c.fate = 'billed'
) AS places
