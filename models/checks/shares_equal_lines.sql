-- The runs' parts of a line add up to it, to the fen and to the base unit.
SELECT l.line, l.billed_fen, s.billed_fen AS runs_fen, l.list_fen, s.list_fen AS runs_list_fen, l.priced_base, s.priced_base AS runs_base
FROM out_charge_line AS l
LEFT JOIN (
    SELECT line, SUM(billed_fen) AS billed_fen, SUM(list_fen) AS list_fen, SUM(priced_base) AS priced_base
    FROM out_run_charge
    GROUP BY line
) AS s ON s.line = l.line
WHERE l.kind = 'usage' AND (s.line IS NULL OR l.billed_fen <> s.billed_fen OR l.list_fen <> s.list_fen OR l.priced_base <> s.priced_base)
