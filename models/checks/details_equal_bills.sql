-- The details (runs, and users by day) and the lines that no use stands behind (credits) add up to their bill, to the fen.
SELECT b.tenant, b.billed_amount, COALESCE(r.fen, 0) AS runs_fen, COALESCE(d.fen, 0) AS days_fen, COALESCE(x.fen, 0) AS extra_fen
FROM out_bill AS b
LEFT JOIN (SELECT tenant, SUM(billed_fen) AS fen FROM out_run GROUP BY tenant) AS r ON r.tenant = b.tenant
LEFT JOIN (SELECT tenant, SUM(billed_fen) AS fen FROM out_user_day GROUP BY tenant) AS d ON d.tenant = b.tenant
LEFT JOIN (SELECT tenant, SUM(billed_fen) AS fen FROM out_charge_line WHERE kind <> 'usage' GROUP BY tenant) AS x ON x.tenant = b.tenant
WHERE b.billed_amount * 100 <> COALESCE(r.fen, 0) + COALESCE(x.fen, 0)
   OR b.billed_amount * 100 <> COALESCE(d.fen, 0) + COALESCE(x.fen, 0)
