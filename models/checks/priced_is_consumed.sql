-- Consumed + added by the meter = priced + free + refunded + unbilled, for every run, day and resource; nothing is negative, and what is not
-- priced says why.
SELECT run_no, span_no, resource, consumed_base, added_base, priced_base, free_base, refunded_base, unbilled_base
FROM core_use
WHERE consumed_base + added_base <> priced_base + free_base + refunded_base + unbilled_base
   OR priced_base < 0 OR free_base < 0 OR refunded_base < 0 OR unbilled_base < 0
   OR (free_base + refunded_base > 0 AND policy_reason = '') OR (unbilled_base > 0 AND unbilled_reason = '')
