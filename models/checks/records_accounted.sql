-- Records in = kept + rejected, in every batch, as counted by the reader and as stored.
SELECT b.batch_id, b.records_count, b.kept_count, b.rejected_count
FROM core_batch AS b
WHERE b.records_count <> b.kept_count + b.rejected_count
