-- out_run_charge: each run's and cell's part of its bill lines, to the fen.
-- Grain: one row per run, cell and bill line.
-- Reads: core_line_part, out_charge_line.
-- Units: fen (hundredths of the billing currency). Amounts are never computed from a price here: they are the line's
--   printed amount, split by priced quantity with the largest remainder, so they add up to the line. Ties go by run
--   and cell.
WITH part AS (
    SELECT
        l.line, l.tenant, l.priced_base AS whole_base, l.billed_fen AS whole_fen, l.list_fen AS whole_list_fen,
        p.run_no, p.span_no, p.priced_base, p.project
    FROM core_line_part AS p
    JOIN out_charge_line AS l ON l.line = p.line
),
floored AS (
    SELECT
        *,
        CAST(whole_fen AS HUGEINT) * priced_base // whole_base AS fen,
        CAST(whole_fen AS HUGEINT) * priced_base % whole_base AS rest,
        CAST(whole_list_fen AS HUGEINT) * priced_base // whole_base AS list_fen,
        CAST(whole_list_fen AS HUGEINT) * priced_base % whole_base AS list_rest
    FROM part
),
ranked AS (
    SELECT
        *,
        whole_fen - SUM(fen) OVER (PARTITION BY line) AS left_fen,
        ROW_NUMBER() OVER (PARTITION BY line ORDER BY rest DESC, run_no, span_no) AS place,
        whole_list_fen - SUM(list_fen) OVER (PARTITION BY line) AS left_list_fen,
        ROW_NUMBER() OVER (PARTITION BY line ORDER BY list_rest DESC, run_no, span_no) AS list_place
    FROM floored
)
SELECT
    run_no, span_no, line, tenant, project, priced_base,
    CAST(fen + CASE WHEN place <= left_fen THEN 1 ELSE 0 END AS BIGINT) AS billed_fen,
    CAST(list_fen + CASE WHEN list_place <= left_list_fen THEN 1 ELSE 0 END AS BIGINT) AS list_fen
FROM ranked
