-- core_use: what each run consumed on each day, and what the tariff makes of it.
-- Grain: one row per run, day and resource.
-- Reads: core_run, core_run_span, core_tres_item, core_owner, core_sku, core_suspended, ref_policy, cal_span.
-- Units: base units of the resource (core-ms, MiB-s, node-s, device-ms, billing-ms).
-- Consumed is physical: what was held, less suspended time for CPU (a suspended job gives its cores back and keeps its
--   memory and devices, as slurmdbd's own roll-up has it). Priced + free + refunded + unbilled = consumed, always; the
--   last three carry a reason
-- (policy_reason for free and refunded, unbilled_reason for unbilled).
-- Splitting: the part up to a moment is floor(whole x elapsed share), a day is the difference of two such values, so
--   the days of a run add up to it exactly. Without suspension the share is linear and the floor is exact.
WITH cut AS (
    SELECT
        r.run_no, r.combo_no, r.tres_no, r.state, x.span_no, s.rule_epoch, s.tariff_no, x.from_s, x.to_s,
        r.begin_s, r.reach_s - r.begin_s AS held_s, r.suspended_s
    FROM core_run_span AS x
    JOIN core_run AS r ON r.run_no = x.run_no
    JOIN cal_span AS s ON s.span_no = x.span_no
),
measured AS (
    SELECT
        c.run_no, c.combo_no, c.state, c.span_no, c.rule_epoch, c.tariff_no, i.resource, i.stops_when_suspended, i.share28,
        i.per_s_base * (c.to_s - c.from_s) AS held_base,
        CASE WHEN c.suspended_s = 0 THEN i.per_s_base * (c.to_s - c.from_s)
             ELSE CAST(CAST(i.per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.to_s - c.begin_s) // c.held_s
                       - CAST(i.per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.from_s - c.begin_s) // c.held_s
                       AS BIGINT) END AS active_base
    FROM cut AS c
    JOIN core_tres_item AS i ON i.tres_no = c.tres_no
),
judged AS (
    SELECT
        m.*, k.price_no, k.pricing, COALESCE(p.treatment, 'bill') AS treatment,
        CASE WHEN m.stops_when_suspended THEN m.active_base ELSE m.held_base END AS consumed_base,
        CASE WHEN m.stops_when_suspended OR u.treatment = 'free' THEN m.active_base ELSE m.held_base END AS chargeable_base
    FROM measured AS m
    JOIN core_sku AS k
      ON k.combo_no = m.combo_no AND k.resource = m.resource AND k.rule_epoch = m.rule_epoch AND k.tariff_no = m.tariff_no
    LEFT JOIN ref_policy AS p ON p.tariff_no = m.tariff_no AND p.state = m.state
    LEFT JOIN core_suspended AS u ON u.tariff_no = m.tariff_no AND u.resource = m.resource
)
SELECT
    run_no, span_no, resource, combo_no, rule_epoch, tariff_no, price_no, share28, consumed_base,
    CASE WHEN pricing = 'priced' AND treatment = 'bill' THEN chargeable_base ELSE 0 END AS priced_base,
    CASE WHEN pricing = 'priced' AND treatment = 'free' THEN chargeable_base ELSE 0 END AS free_base,
    CASE WHEN pricing = 'priced' AND treatment = 'refund' THEN chargeable_base ELSE 0 END AS refunded_base,
    CASE WHEN pricing = 'priced' THEN consumed_base - chargeable_base ELSE consumed_base END AS unbilled_base,
    CASE WHEN pricing = 'priced' AND treatment <> 'bill' THEN treatment || ':' || state ELSE '' END AS policy_reason,
    CASE WHEN pricing <> 'priced' THEN pricing WHEN consumed_base > chargeable_base THEN 'suspended' ELSE '' END AS unbilled_reason
FROM judged
