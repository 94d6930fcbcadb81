-- Whoever multiplies price by printed quantity gets the printed amount, to half a fen; the quantity is the priced use to
-- half a unit of its last printed place.
WITH step AS (
    SELECT
        l.*, COALESCE(u.base_per_unit, 1) AS base_per_unit,
        CASE l.quantity_decimals WHEN 0 THEN 1 WHEN 1 THEN 10 WHEN 2 THEN 100 WHEN 3 THEN 1000 WHEN 4 THEN 10000
                                 WHEN 5 THEN 100000 ELSE 1000000 END AS per_unit
    FROM out_charge_line AS l
    LEFT JOIN ref_unit AS u ON u.resource = l.resource
)
SELECT line, quantity, price, billed_amount, list_price, list_amount, priced_base
FROM step
WHERE ABS(CAST(quantity AS DECIMAL(19, 6)) * CAST(price AS DECIMAL(18, 8)) - billed_amount) > 0.005
   OR ABS(CAST(quantity AS DECIMAL(19, 6)) * CAST(list_price AS DECIMAL(18, 8)) - list_amount) > 0.005
   OR ABS(CAST(quantity * 1000000 AS HUGEINT) * base_per_unit - CAST(priced_base AS HUGEINT) * 1000000) * 2 * per_unit
      > CAST(base_per_unit AS HUGEINT) * 1000000
