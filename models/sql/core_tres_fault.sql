-- core_tres_fault: AllocTRES texts that cannot be read or that contradict themselves.
-- Grain: one row per text and reason. `bad-tres` holds the run from the bill; `typed-over-generic` is only reported.
-- Reads: core_tres_part, ref_accelerator.
-- Assumption: a word that stands twice cannot be read: whether the two are one or add up, the text does not say.
WITH relevant AS (
    SELECT p.tres_no, p.name, p.amount_milli
    FROM core_tres_part AS p
    LEFT JOIN ref_accelerator AS a ON p.name = 'gres/' || a.name OR STARTS_WITH(p.name, 'gres/' || a.name || ':')
    WHERE p.name IN ('cpu', 'mem', 'node', 'billing') OR a.name IS NOT NULL
)
SELECT tres_no, 'bad-tres' AS reason, MIN(name) AS detail
FROM relevant
WHERE amount_milli IS NULL OR amount_milli < 0
GROUP BY tres_no
UNION ALL
SELECT tres_no, 'bad-tres' AS reason, MIN(name) AS detail
FROM (SELECT tres_no, name FROM relevant GROUP BY tres_no, name HAVING COUNT(*) > 1) AS twice
GROUP BY tres_no
UNION ALL
SELECT g.tres_no, 'typed-over-generic' AS reason, g.name AS detail
FROM relevant AS g
JOIN relevant AS t ON t.tres_no = g.tres_no AND STARTS_WITH(t.name, g.name || ':')
GROUP BY g.tres_no, g.name, g.amount_milli
HAVING SUM(t.amount_milli) > g.amount_milli
