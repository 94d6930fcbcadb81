-- Each bill is the sum of its lines, before tax and as printed, and net + tax = gross.
SELECT b.tenant, b.billed_amount, b.net, b.tax, b.gross, COALESCE(l.billed_amount, 0) AS lines_amount, COALESCE(l.billed_cost, 0) AS lines_cost
FROM out_bill AS b
LEFT JOIN (
    SELECT tenant, SUM(billed_amount) AS billed_amount, SUM(billed_cost) AS billed_cost FROM out_charge_line GROUP BY tenant
) AS l ON l.tenant = b.tenant
WHERE b.billed_amount <> COALESCE(l.billed_amount, 0) OR b.net <> COALESCE(l.billed_cost, 0) OR b.net + b.tax <> b.gross
   OR (b.tax_mode = 'inclusive' AND b.gross <> b.billed_amount) OR (b.tax_mode <> 'inclusive' AND b.net <> b.billed_amount)
