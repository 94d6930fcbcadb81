-- core_tres: each distinct AllocTRES text, read once.
-- Grain: one row per distinct text (or CPU count, where a source has no AllocTRES) of core_version.
-- Reads: core_version.
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY alloc_tres NULLS FIRST, alloc_cpus_count NULLS FIRST) AS INTEGER) AS tres_no,
    alloc_tres, alloc_cpus_count
FROM (
    SELECT DISTINCT alloc_tres, CASE WHEN alloc_tres IS NULL THEN alloc_cpus_count END AS alloc_cpus_count
    FROM core_version
) AS distinct_texts
