-- No line without a bill, no tenant with use and without a bill.
SELECT l.tenant, 'line' AS what FROM out_charge_line AS l LEFT JOIN out_bill AS b ON b.tenant = l.tenant WHERE b.tenant IS NULL
UNION ALL
SELECT u.tenant, 'use' AS what FROM out_usage AS u LEFT JOIN out_bill AS b ON b.tenant = u.tenant WHERE b.tenant IS NULL
