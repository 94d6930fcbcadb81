-- Everything used has a price or is named as included in others.
SELECT o.tenant, m.cluster, m.partition, m.qos, u.resource, COUNT(*) AS rows_count
FROM core_use AS u
JOIN core_combo AS m ON m.combo_no = u.combo_no
JOIN core_owner AS o ON o.combo_no = u.combo_no AND o.rule_epoch = u.rule_epoch
WHERE u.unbilled_reason = 'no-price'
GROUP BY o.tenant, m.cluster, m.partition, m.qos, u.resource
