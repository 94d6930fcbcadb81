-- core_use: what each run consumed in each cell of the calendar, and what the tariff makes of it.
-- Grain: one row per run, cell and resource.
-- Reads: core_run, core_run_span, core_rate, core_sku, core_suspended, ref_policy, cal_span.
-- Units: base units of the resource (core-ms, MiB-s, node-s, device-ms, billing-ms).
-- Consumed is physical: what was held, less suspended time for CPU (a suspended job gives its cores back and keeps its
--   memory and devices, as slurmdbd's own roll-up has it). What the meter adds or takes (minimum, granularity, weights,
--   threads, board share) is `added_base`: consumed + added = priced + free + refunded + unbilled, always; the last three
--   carry a reason (policy_reason for free and refunded, unbilled_reason for unbilled).
-- Splitting: the part up to a moment is floor(whole x elapsed share), a cell is the difference of two such values, so
--   the cells of a run add up to it exactly. Without suspension the share is linear and the floor is exact. With a minimum
--   or a granularity the whole up to a moment is what would have to be paid had the run ended there: a started step
--   counts where it starts, so a month never changes because the run goes on in the next.
WITH cut AS (
    SELECT
        r.run_no, r.combo_no, r.tres_no, r.state, x.span_no, s.rule_epoch, s.tariff_no, s.band_set, x.end_set, x.from_s, x.to_s,
        r.begin_s, r.reach_s - r.begin_s AS held_s, r.suspended_s
    FROM core_run_span AS x
    JOIN core_run AS r ON r.run_no = x.run_no
    JOIN cal_span AS s ON s.span_no = x.span_no
),
measured AS (
    SELECT
        c.run_no, c.combo_no, c.state, c.span_no, c.rule_epoch, c.tariff_no, c.band_set, c.end_set, c.from_s, c.to_s,
        c.begin_s, c.held_s, c.suspended_s, i.resource, i.stops_when_suspended, i.share28, i.consumed_per_s_base,
        i.metered_per_s_base, i.metered_parts, i.minimum_s, i.granularity_s,
        COALESCE(u.treatment, 'bill') = 'free' OR i.stops_when_suspended AS is_active_only,
        i.consumed_per_s_base * (c.to_s - c.from_s) AS held_base,
        CASE WHEN c.suspended_s = 0 THEN i.consumed_per_s_base * (c.to_s - c.from_s)
             ELSE CAST(CAST(i.consumed_per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.to_s - c.begin_s) // c.held_s
                       - CAST(i.consumed_per_s_base AS HUGEINT) * (c.held_s - c.suspended_s) * (c.from_s - c.begin_s) // c.held_s
                       AS BIGINT) END AS active_base
    FROM cut AS c
    JOIN core_rate AS i
      ON i.combo_no = c.combo_no AND i.tres_no = c.tres_no AND i.rule_epoch = c.rule_epoch AND i.tariff_no = c.tariff_no
    LEFT JOIN core_suspended AS u ON u.tariff_no = c.tariff_no AND u.resource = i.resource
),
elapsed AS (
    SELECT
        *,
        CASE WHEN is_active_only AND suspended_s > 0
             THEN CAST(CAST(to_s - begin_s AS HUGEINT) * (held_s - suspended_s) // held_s AS BIGINT) ELSE to_s - begin_s END AS to_elapsed_s,
        CASE WHEN is_active_only AND suspended_s > 0
             THEN CAST(CAST(from_s - begin_s AS HUGEINT) * (held_s - suspended_s) // held_s AS BIGINT) ELSE from_s - begin_s END AS from_elapsed_s
    FROM measured
),
counted AS (
    SELECT
        *,
        CASE WHEN to_elapsed_s > 0
             THEN GREATEST(minimum_s, (to_elapsed_s + granularity_s - 1) // granularity_s * granularity_s) ELSE 0 END AS to_paid_s,
        CASE WHEN from_elapsed_s > 0
             THEN GREATEST(minimum_s, (from_elapsed_s + granularity_s - 1) // granularity_s * granularity_s) ELSE 0 END AS from_paid_s
    FROM elapsed
),
metered AS (
    SELECT
        *,
        CASE WHEN stops_when_suspended THEN active_base ELSE held_base END AS consumed_base,
        CASE WHEN is_active_only THEN active_base ELSE held_base END AS kept_base,
        CASE
            WHEN minimum_s = 0 AND granularity_s = 1 AND metered_parts = 1 AND metered_per_s_base = consumed_per_s_base
                THEN CASE WHEN is_active_only THEN active_base ELSE held_base END
            WHEN metered_parts = 1 THEN metered_per_s_base * (to_paid_s - from_paid_s)
            ELSE CAST(CAST(metered_per_s_base AS HUGEINT) * to_paid_s // metered_parts
                      - CAST(metered_per_s_base AS HUGEINT) * from_paid_s // metered_parts AS BIGINT)
        END AS chargeable_base
    FROM counted
),
judged AS (
    SELECT m.*, k.sku_no, k.price_no, k.pricing, COALESCE(p.treatment, 'bill') AS treatment
    FROM metered AS m
    JOIN core_sku AS k
      ON k.combo_no = m.combo_no AND k.resource = m.resource AND k.rule_epoch = m.rule_epoch AND k.tariff_no = m.tariff_no
     AND k.band_set = m.band_set AND k.end_set = m.end_set
    LEFT JOIN ref_policy AS p ON p.tariff_no = m.tariff_no AND p.state = m.state
)
SELECT
    run_no, span_no, resource, combo_no, rule_epoch, tariff_no, price_no, sku_no, share28, consumed_base,
    CASE WHEN pricing = 'priced' THEN chargeable_base - kept_base ELSE 0 END AS added_base,
    CASE WHEN pricing = 'priced' AND treatment = 'bill' THEN chargeable_base ELSE 0 END AS priced_base,
    CASE WHEN pricing = 'priced' AND treatment = 'free' THEN chargeable_base ELSE 0 END AS free_base,
    CASE WHEN pricing = 'priced' AND treatment = 'refund' THEN chargeable_base ELSE 0 END AS refunded_base,
    CASE WHEN pricing = 'priced' THEN consumed_base - kept_base ELSE consumed_base END AS unbilled_base,
    CASE WHEN pricing = 'priced' AND treatment <> 'bill' THEN treatment || ':' || state ELSE '' END AS policy_reason,
    CASE WHEN pricing <> 'priced' THEN pricing WHEN consumed_base > kept_base THEN 'suspended' ELSE '' END AS unbilled_reason
FROM judged
WHERE consumed_base > 0 OR chargeable_base > 0
