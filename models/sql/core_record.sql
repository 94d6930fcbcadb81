-- core_record: what became of every record that the store holds for the period: the reconciliation's ground.
-- Grain: one row per row of core_version.
-- Reads: core_version, core_fate, core_tres, core_tres_item, core_tres_fault, cal_period, ref_site.
-- Units: `cpu_core_ms` is the core-time that the record claims within the period.
-- Fates: superseded (another version of the same run counts), held (something must be decided first), zero (held
--   nothing), billed (goes to a bill, whatever its price), outside (belongs to other periods). `reason` says why.
-- Assumptions: an open run far beyond its time limit, or open for very long where no limit is known, is a runaway: it
--   is held until somebody says when it ended; so is one that does not say up to when it counts. Such a record has no end,
--   so it stands in every period from its start on until it is mended. A record that never held anything belongs to the period of its end, else
--   of its submission.
WITH cores AS (
    SELECT tres_no, CAST(SUM(per_s_base) AS BIGINT) AS per_s_base FROM core_tres_item WHERE resource = 'cpu' GROUP BY tres_no
),
fault AS (
    SELECT DISTINCT tres_no FROM core_tres_fault WHERE reason = 'bad-tres'
),
joined AS (
    SELECT
        v.version_no, v.batch_id, v.record_no, v.cluster, v.job_id_raw, v.submit_s, v.eligible_s, v.start_s, v.state,
        v.is_open, v.suspended_s, f.superseded, f.begin_s, v.reach_s, t.tres_no, c.per_s_base,
        v.reach_s - f.begin_s AS held_s, v.end_s IS NULL AS is_endless,
        CASE WHEN v.end_s < v.start_s THEN v.start_s
             ELSE COALESCE(v.end_s, v.start_s, v.submit_s, v.eligible_s, p.start_s) END AS moment_s,
        p.start_s AS period_start_s, p.end_s AS period_end_s,
        CASE
            WHEN v.start_s IS NULL THEN NULL
            WHEN v.reach_s IS NULL THEN 'open-without-elapsed'
            WHEN v.reach_s < v.start_s THEN 'end-before-start'
            WHEN v.suspended_s < 0 OR v.suspended_s > v.reach_s - f.begin_s THEN 'bad-suspended'
            WHEN v.is_open AND v.reach_s - v.start_s > COALESCE(v.timelimit_s + v.suspended_s + s.runaway_grace_s, s.runaway_s)
                THEN 'runaway'
            WHEN v.reach_s = f.begin_s THEN NULL
            WHEN b.tres_no IS NOT NULL THEN 'bad-tres'
            WHEN NOT EXISTS (SELECT 1 FROM core_tres_item AS i WHERE i.tres_no = t.tres_no) THEN 'no-tres'
        END AS hold
    FROM core_version AS v
    JOIN core_fate AS f ON f.version_no = v.version_no
    JOIN core_tres AS t
      ON t.alloc_tres IS NOT DISTINCT FROM v.alloc_tres
     AND t.alloc_cpus_count IS NOT DISTINCT FROM CASE WHEN v.alloc_tres IS NULL THEN v.alloc_cpus_count END
    LEFT JOIN cores AS c ON c.tres_no = t.tres_no
    LEFT JOIN fault AS b ON b.tres_no = t.tres_no
    CROSS JOIN cal_period AS p
    CROSS JOIN ref_site AS s
),
reached AS (
    SELECT
        *,
        GREATEST(begin_s, period_start_s) AS from_s,
        LEAST(reach_s, period_end_s) AS to_s,
        CASE WHEN is_endless AND superseded IS NULL AND hold IN ('open-without-elapsed', 'runaway') THEN begin_s < period_end_s
             WHEN start_s IS NULL OR COALESCE(held_s, 0) <= 0
             THEN moment_s >= period_start_s AND moment_s < period_end_s
             ELSE begin_s < period_end_s AND reach_s > period_start_s END AS is_inside
    FROM joined
)
SELECT
    version_no, batch_id, record_no, cluster, job_id_raw, submit_s, eligible_s, start_s, state, is_open, suspended_s,
    begin_s, reach_s, tres_no, from_s, to_s,
    CASE
        WHEN NOT is_inside THEN 'outside'
        WHEN superseded IS NOT NULL THEN 'superseded'
        WHEN hold IS NOT NULL THEN 'held'
        WHEN start_s IS NULL OR held_s <= 0 THEN 'zero'
        ELSE 'billed'
    END AS fate,
    CASE
        WHEN NOT is_inside THEN ''
        WHEN superseded IS NOT NULL THEN superseded
        WHEN hold IS NOT NULL THEN hold
        WHEN start_s IS NULL THEN 'never-started'
        WHEN held_s <= 0 THEN 'zero-length'
        ELSE ''
    END AS reason,
    CASE
        WHEN is_inside AND held_s > 0 AND suspended_s >= 0 AND suspended_s <= held_s AND suspended_s > 0
            THEN CAST(CAST(per_s_base AS HUGEINT) * (held_s - suspended_s) * (to_s - begin_s) // held_s
                      - CAST(per_s_base AS HUGEINT) * (held_s - suspended_s) * (from_s - begin_s) // held_s AS BIGINT)
        WHEN is_inside AND held_s > 0 THEN per_s_base * GREATEST(to_s - from_s, 0)
        ELSE 0
    END AS cpu_core_ms
FROM reached
