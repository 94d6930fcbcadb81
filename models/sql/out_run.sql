-- out_run: each run as its tenant sees it: what it held within the period and what it costs.
-- Grain: one row per run, tenant and project (a tenant rule that changes in the month can split a run).
-- Reads: core_use, core_owner, core_run, core_combo, core_tres_item, out_run_charge.
-- Units: core_ms, device_ms consumed; fen of the billing currency; UTC seconds. `devices` names the first device type
--   held, with its count, and how many more types there are.
-- `treatment`: bill, or the reason why nothing (or not all) of it was charged.
WITH held AS (
    SELECT
        u.run_no, o.tenant, o.project,
        SUM(CASE WHEN u.resource = 'cpu' THEN u.consumed_base ELSE 0 END) AS cpu_core_ms,
        SUM(CASE WHEN u.resource LIKE '%:%' THEN u.consumed_base ELSE 0 END) AS device_ms,
        MAX(u.policy_reason) AS policy_reason, MAX(u.unbilled_reason) AS unbilled_reason, SUM(u.priced_base) AS priced_base
    FROM core_use AS u
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
    GROUP BY u.run_no, o.tenant, o.project
),
charged AS (
    SELECT run_no, tenant, project, SUM(billed_fen) AS billed_fen, SUM(list_fen) AS list_fen
    FROM out_run_charge
    GROUP BY run_no, tenant, project
),
device AS (
    SELECT tres_no, MIN(resource) AS resource, COUNT(*) AS kinds_count
    FROM core_tres_item WHERE resource LIKE '%:%' GROUP BY tres_no
),
named AS (
    SELECT
        d.tres_no,
        d.resource || ' ×' || CAST(i.per_s_base // 1000 AS VARCHAR)
        || CASE WHEN d.kinds_count > 1 THEN ' +' || CAST(d.kinds_count - 1 AS VARCHAR) ELSE '' END AS devices
    FROM device AS d
    JOIN core_tres_item AS i ON i.tres_no = d.tres_no AND i.resource = d.resource
)
SELECT
    h.tenant, h.run_no, r.cluster, r.job_id, r.job_name, h.project, m.account, m.user_name, m.partition, m.qos,
    r.state_said AS state, r.submit_s, r.begin_s AS start_s, r.reach_s AS end_s, r.basis,
    CAST(h.cpu_core_ms AS BIGINT) AS cpu_core_ms, CAST(h.device_ms AS BIGINT) AS device_ms, COALESCE(n.devices, '') AS devices,
    CAST(COALESCE(c.billed_fen, 0) AS BIGINT) AS billed_fen, CAST(COALESCE(c.list_fen, 0) AS BIGINT) AS list_fen,
    CASE WHEN h.policy_reason <> '' THEN h.policy_reason
         WHEN h.unbilled_reason = 'no-price' THEN 'no-price'
         WHEN h.priced_base > 0 THEN 'bill'
         ELSE h.unbilled_reason END AS treatment
FROM held AS h
JOIN core_run AS r ON r.run_no = h.run_no
JOIN core_combo AS m ON m.combo_no = r.combo_no
LEFT JOIN named AS n ON n.tres_no = r.tres_no
LEFT JOIN charged AS c ON c.run_no = h.run_no AND c.tenant = h.tenant AND c.project = h.project
ORDER BY h.tenant, h.run_no
