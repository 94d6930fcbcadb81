-- out_capacity_reserved: what each reservation kept and did not use, and for whom.
-- Grain: one row per reservation and resource.
-- Reads: core_capacity_reservation, core_node_reserved, core_node_slot, cal_slot, core_combo, core_owner.
-- Units: base units. `kept_base` is what was kept, `idle_base` what of it lay idle. `tenant` is the one to whom all use in the
--   period belongs of the accounts (else the users) that the reservation names; '' where there is none or more than one.
-- Splitting: what a node's slot has of reserved idle is shared by the reservations that keep the node then, by what they
--   keep (floor(whole x share up to one), so that nothing is lost).
WITH slotted AS (
    SELECT
        r.reservation_no, r.node_no, r.resource, c.slot_no,
        SUM(r.per_s_base * (LEAST(r.to_s, c.end_s) - GREATEST(r.from_s, c.start_s))) AS kept_base
    FROM core_node_reserved AS r
    JOIN cal_slot AS c ON c.start_s < r.to_s AND c.end_s > r.from_s
    WHERE r.kind = 'reserved' AND r.per_s_base > 0
    GROUP BY r.reservation_no, r.node_no, r.resource, c.slot_no
),
shared AS (
    SELECT
        *,
        SUM(kept_base) OVER (PARTITION BY node_no, resource, slot_no) AS all_base,
        SUM(kept_base) OVER (
            PARTITION BY node_no, resource, slot_no ORDER BY reservation_no ROWS UNBOUNDED PRECEDING
        ) AS upto_base
    FROM slotted
),
idle AS (
    SELECT node_no, resource, slot_no, SUM(reserved_idle_base) AS idle_base
    FROM core_node_slot
    GROUP BY node_no, resource, slot_no
),
summed AS (
    SELECT
        s.reservation_no, s.resource, SUM(s.kept_base) AS kept_base,
        SUM(i.idle_base * s.upto_base // s.all_base - i.idle_base * (s.upto_base - s.kept_base) // s.all_base) AS idle_base
    FROM shared AS s
    JOIN idle AS i ON i.node_no = s.node_no AND i.resource = s.resource AND i.slot_no = s.slot_no
    GROUP BY s.reservation_no, s.resource
),
named AS (
    SELECT
        reservation_no, cluster,
        CASE WHEN accounts <> '' THEN 'account' ELSE 'user' END AS kind,
        UNNEST(STRING_SPLIT(CASE WHEN accounts <> '' THEN accounts ELSE users END, ',')) AS name
    FROM core_capacity_reservation
),
owned AS (
    SELECT n.reservation_no, MIN(o.tenant) AS tenant
    FROM named AS n
    JOIN core_combo AS m
      ON m.cluster = n.cluster AND n.name = CASE WHEN n.kind = 'account' THEN m.account ELSE m.user_name END
    JOIN core_owner AS o ON o.combo_no = m.combo_no
    GROUP BY n.reservation_no
    HAVING MIN(o.tenant) = MAX(o.tenant)
)
SELECT
    r.cluster, r.reservation, r.start_s, r.end_s, COALESCE(o.tenant, '') AS tenant, s.resource,
    CAST(s.kept_base AS HUGEINT) AS kept_base, CAST(s.idle_base AS HUGEINT) AS idle_base
FROM summed AS s
JOIN core_capacity_reservation AS r ON r.reservation_no = s.reservation_no
LEFT JOIN owned AS o ON o.reservation_no = s.reservation_no
