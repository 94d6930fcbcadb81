-- core_tres_part: the words of each AllocTRES text: name and amount.
-- Grain: one row per word of each text of core_tres; a text without words has none.
-- Reads: core_tres, ref_suffix.
-- Units: `amount_milli` is thousandths of what the word counts: cpus, nodes, devices, billing units, and MiB for mem.
--   A mem without suffix is MiB; K, M, G, T, P, E are powers of 1024 of KiB (62.50G = 64,000 MiB), and nothing else may carry one. NULL: not readable,
--   or more than anybody has: 10^9 of anything, 10^12 MiB of memory (which also keeps a month of it within BIGINT).
-- Assumptions: where a source has no AllocTRES, its CPU count stands for cpu and everything else is not tracked.
WITH word AS (
    SELECT tres_no, UNNEST(STRING_SPLIT(alloc_tres, ',')) AS word FROM core_tres WHERE alloc_tres <> ''
),
split AS (
    SELECT tres_no, word, LOWER(TRIM(SPLIT_PART(word, '=', 1))) AS name, TRIM(SPLIT_PART(word, '=', 2)) AS amount
    FROM word
),
read AS (
    SELECT
        s.tres_no, s.word, s.name, x.suffix, x.mib_num, x.mib_den,
        CAST(TRY_CAST(CASE WHEN NOT REGEXP_MATCHES(TRIM(s.word), '^[^=]+= *-?[0-9]+([.][0-9]+)?[KMGTPE]?$') THEN NULL
                           WHEN x.suffix IS NULL OR x.suffix = '' THEN s.amount
                           ELSE SUBSTR(s.amount, 1, LENGTH(s.amount) - 1) END AS DECIMAL(21, 6)) * 1000000 AS HUGEINT) AS micro
    FROM split AS s
    LEFT JOIN ref_suffix AS x
      ON x.suffix = CASE WHEN REGEXP_MATCHES(s.amount, '^[0-9.]+[KMGTPE]$') THEN RIGHT(s.amount, 1) ELSE '' END
),
counted AS (
    SELECT
        tres_no, name,
        CASE WHEN name = 'mem' THEN CAST((micro * mib_num * 2 + 1000 * mib_den) // (2000 * mib_den) AS HUGEINT)
             WHEN suffix = '' THEN CAST((micro * 2 + 1000) // 2000 AS HUGEINT) END AS amount_milli
    FROM read
    UNION ALL
    SELECT tres_no, 'cpu' AS name, CAST(alloc_cpus_count AS HUGEINT) * 1000 AS amount_milli
    FROM core_tres
    WHERE alloc_tres IS NULL AND alloc_cpus_count IS NOT NULL
)
SELECT
    tres_no, name,
    CASE WHEN amount_milli <= CASE WHEN name = 'mem' THEN 1000000000000000 ELSE 1000000000000 END THEN amount_milli END AS amount_milli
FROM counted
