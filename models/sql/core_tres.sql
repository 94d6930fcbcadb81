-- core_tres: each distinct TRES text, read once: what runs held, what nodes have, what reservations keep.
-- Grain: one row per distinct text (or CPU count, where a source has no AllocTRES) of core_version and the inventory.
-- Reads: core_version, raw.raw_node, raw.raw_reservation.
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY alloc_tres NULLS FIRST, alloc_cpus_count NULLS FIRST) AS INTEGER) AS tres_no,
    alloc_tres, alloc_cpus_count
FROM (
    SELECT alloc_tres, CASE WHEN alloc_tres IS NULL THEN alloc_cpus_count END AS alloc_cpus_count FROM core_version
    UNION
    SELECT cfg_tres, CAST(NULL AS BIGINT) FROM raw.raw_node
    UNION
    SELECT tres, CAST(NULL AS BIGINT) FROM raw.raw_reservation
) AS distinct_texts
