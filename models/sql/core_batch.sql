-- core_batch: the batches that say anything about the period.
-- Grain: one row per batch with a record in the period, or with none that could be read at all.
-- Reads: raw.raw_batch, core_record.
SELECT b.*
FROM raw.raw_batch AS b
WHERE b.kept_count = 0 AND b.rejected_count > 0
   OR EXISTS (SELECT 1 FROM core_record AS c WHERE c.batch_id = b.batch_id AND c.fate <> 'outside')
