-- out_user_day: what each user of a tenant held and cost on each local day: the rows of the details on paper.
-- Grain: one row per tenant, project, user and day.
-- Reads: core_use, core_owner, core_combo, core_run, cal_span, out_run_charge.
-- Units: core_ms, device_ms consumed; fen of the billing currency. A run counts on every day that it touches.
WITH held AS (
    SELECT
        o.tenant, o.project, m.user_name, s.day, COUNT(DISTINCT u.run_no) AS runs_count,
        SUM(CASE WHEN u.resource = 'cpu' THEN u.consumed_base ELSE 0 END) AS cpu_core_ms,
        SUM(CASE WHEN u.resource LIKE '%:%' THEN u.consumed_base ELSE 0 END) AS device_ms
    FROM core_use AS u
    JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
    JOIN core_combo AS m ON m.combo_no = u.combo_no
    JOIN cal_span AS s ON s.span_no = u.span_no
    GROUP BY o.tenant, o.project, m.user_name, s.day
),
charged AS (
    SELECT c.tenant, c.project, m.user_name, s.day, SUM(c.billed_fen) AS billed_fen
    FROM out_run_charge AS c
    JOIN core_run AS r ON r.run_no = c.run_no
    JOIN core_combo AS m ON m.combo_no = r.combo_no
    JOIN cal_span AS s ON s.span_no = c.span_no
    GROUP BY c.tenant, c.project, m.user_name, s.day
)
SELECT
    h.tenant, h.project, h.user_name, h.day, h.runs_count, CAST(h.cpu_core_ms AS HUGEINT) AS cpu_core_ms,
    CAST(h.device_ms AS HUGEINT) AS device_ms, CAST(COALESCE(c.billed_fen, 0) AS BIGINT) AS billed_fen
FROM held AS h
LEFT JOIN charged AS c
  ON c.tenant = h.tenant AND c.project = h.project AND c.user_name = h.user_name AND c.day = h.day
ORDER BY h.tenant, h.day, h.project, h.user_name
