-- Records in, as the reader counted them batch by batch, = billed + zero + held + superseded + rejected + those of other
-- periods, as they were found again one by one.
SELECT b.records_count, r.records_count AS found_count
FROM (SELECT COALESCE(SUM(records_count), 0) AS records_count FROM core_batch) AS b
CROSS JOIN (SELECT COALESCE(SUM(records_count), 0) AS records_count FROM out_reconciliation) AS r
WHERE b.records_count <> r.records_count
UNION ALL
SELECT records_count, kept_count + rejected_count FROM core_batch WHERE records_count <> kept_count + rejected_count
