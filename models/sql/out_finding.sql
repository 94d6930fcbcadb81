-- out_finding: everything in the period's records that somebody should look at; nothing is dropped in silence.
-- Grain: one row per thing seen.
-- Reads: core_record, core_batch, core_run, core_run_energy, core_tres, core_tres_fault, core_tres_item, core_use, core_combo,
--   core_owner, cal_span, ref_hostlist, raw.raw_sacct, raw.raw_rejected, raw.raw_finding.
-- `detail` is data; the words for `reason` stand in the catalogue. Levels: error stops a close.
SELECT 'sacct' AS source, b.origin || ': ' || j.location AS location, j.reason, j.detail, 'warning' AS level
FROM raw.raw_rejected AS j
JOIN core_batch AS b ON b.batch_id = j.batch_id
UNION ALL
SELECT 'sacct', b.origin || ': ' || f.location, f.reason, f.detail, 'info'
FROM raw.raw_finding AS f
JOIN core_batch AS b ON b.batch_id = f.batch_id
UNION ALL
SELECT
    'sacct', 'batch ' || c.batch_id || ', record ' || c.record_no, c.reason,
    c.cluster || ' ' || r.job_id || ' ' || r.account || '/' || r.user_name || ' ' || r.state || ' ' || COALESCE(r.alloc_tres, ''),
    'warning'
FROM core_record AS c
JOIN raw.raw_sacct AS r ON r.batch_id = c.batch_id AND r.record_no = c.record_no
WHERE c.fate = 'held'
UNION ALL
SELECT 'sacct', cluster || ' ' || job_id, 'unknown-state', state_said, 'warning'
FROM core_run
WHERE state = 'unknown'
UNION ALL
SELECT 'sacct', MIN(r.cluster || ' ' || r.job_id), f.reason, MIN(t.alloc_tres), 'warning'
FROM core_tres_fault AS f
JOIN core_tres AS t ON t.tres_no = f.tres_no
JOIN core_run AS r ON r.tres_no = f.tres_no
WHERE f.reason <> 'bad-tres'
GROUP BY f.tres_no, f.reason
UNION ALL
SELECT 'sacct', MIN(m.cluster || ' ' || m.partition), 'mem-not-tracked', COUNT(*) || ' runs', 'info'
FROM core_run AS r
JOIN core_combo AS m ON m.combo_no = r.combo_no
WHERE NOT EXISTS (SELECT 1 FROM core_tres_item AS i WHERE i.tres_no = r.tres_no AND i.resource = 'mem')
GROUP BY m.cluster, m.partition
UNION ALL
SELECT 'site', m.cluster || ' ' || m.account || '/' || m.user_name, 'unassigned', COUNT(DISTINCT u.run_no) || ' runs', 'warning'
FROM core_use AS u
JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
JOIN core_combo AS m ON m.combo_no = u.combo_no
WHERE o.tenant = 'unassigned'
GROUP BY m.cluster, m.account, m.user_name
UNION ALL
SELECT
    'tariffs', m.cluster || ' ' || m.partition || ' ' || m.qos || ' ' || u.resource, 'no-price',
    MIN(s.day) || ' - ' || MAX(s.day) || ' ' || o.user_class, 'error'
FROM core_use AS u
JOIN core_combo AS m ON m.combo_no = u.combo_no
JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
JOIN cal_span AS s ON s.span_no = u.span_no
WHERE u.unbilled_reason = 'no-price'
GROUP BY m.cluster, m.partition, m.qos, u.resource, o.user_class
UNION ALL
SELECT 'sacct', r.cluster || ' ' || r.job_id, 'energy-implausible', e.energy_said || ' J', 'info'
FROM core_run_energy AS e
JOIN core_run AS r ON r.run_no = e.run_no
WHERE e.basis = 'implausible'
UNION ALL
SELECT 'sacct', MIN(r.cluster || ' ' || r.job_id), 'energy-unknown', COUNT(*) || ' runs, ' || MAX(e.energy_said) || ' J', 'info'
FROM core_run_energy AS e
JOIN core_run AS r ON r.run_no = e.run_no
JOIN core_combo AS m ON m.combo_no = r.combo_no
WHERE e.basis = 'unknown' AND e.energy_said NOT IN ('', '0')
GROUP BY m.cluster, m.partition
UNION ALL
SELECT 'sacct', MIN(r.cluster || ' ' || r.job_id), 'bad-node-list', COUNT(*) || ' runs, ' || SUBSTR(r.node_list, 1, 80), 'info'
FROM core_run AS r
LEFT JOIN ref_hostlist AS h ON h.node_list = r.node_list
WHERE r.node_list <> '' AND h.node_list IS NULL
GROUP BY r.cluster, r.node_list
UNION ALL
SELECT
    'sacct', MIN(r.cluster || ' ' || r.job_id), 'nodes-disagree',
    COUNT(*) || ' runs, NNodes ' || r.nodes_count || ', ' || SUBSTR(r.node_list, 1, 80), 'info'
FROM core_run AS r
JOIN (SELECT node_list, COUNT(*) AS nodes_count FROM ref_hostlist GROUP BY node_list) AS w ON w.node_list = r.node_list
WHERE r.nodes_count > 0 AND r.nodes_count <> w.nodes_count
GROUP BY r.cluster, r.node_list, r.nodes_count
