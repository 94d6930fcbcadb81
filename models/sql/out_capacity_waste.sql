-- out_capacity_waste: what runs held by how they ended, and how much of their cores they used.
-- Grain: one row per cluster, partition of the job, state and resource.
-- Reads: core_use, core_run, core_combo, raw.raw_sacct.
-- Units: base units. `held_base` is what the runs held within the period; `told_base` the part of it whose use sacct tells,
--   and `used_base` that use: TotalCPU x the part of the run within the period, never more than was held.
-- Assumptions: TotalCPU tells nothing of runs that have not ended, and nothing where it is zero (killed steps leave it out);
--   it is known for cores alone. The use of a run is even over its time.
WITH held AS (
    SELECT u.run_no, u.resource, SUM(u.consumed_base) AS held_base
    FROM core_use AS u
    WHERE u.resource NOT IN ('billing', 'node')
    GROUP BY u.run_no, u.resource
),
told AS (
    SELECT
        h.run_no, h.resource, h.held_base, r.cluster, r.combo_no, r.state,
        CASE WHEN h.resource = 'cpu' AND r.basis = 'ended' AND s.total_cpu_ms > 0
             THEN LEAST(h.held_base, CAST(s.total_cpu_ms AS HUGEINT) * (r.to_s - r.begin_s) // (r.reach_s - r.begin_s)
                        - CAST(s.total_cpu_ms AS HUGEINT) * (r.from_s - r.begin_s) // (r.reach_s - r.begin_s)) END AS used_base
    FROM held AS h
    JOIN core_run AS r ON r.run_no = h.run_no
    JOIN raw.raw_sacct AS s ON s.batch_id = r.batch_id AND s.record_no = r.record_no
)
SELECT
    t.cluster, m.partition, t.state, t.resource, COUNT(*) AS runs_count, CAST(SUM(t.held_base) AS HUGEINT) AS held_base,
    CAST(SUM(CASE WHEN t.used_base IS NULL THEN 0 ELSE t.held_base END) AS HUGEINT) AS told_base,
    CAST(COALESCE(SUM(t.used_base), 0) AS HUGEINT) AS used_base
FROM told AS t
JOIN core_combo AS m ON m.combo_no = t.combo_no
GROUP BY t.cluster, m.partition, t.state, t.resource
