"""How `sacct --json` writes a value, and how sacct's text prints it: DuckDB macros that sacct_json_sql builds on."""

from __future__ import annotations

from typing import Final

# Flags of a state list in the order in which Slurm's job_state_string looks for them.
STATE_FLAGS: Final = (
    "COMPLETING", "STAGE_OUT", "CONFIGURING", "RESIZING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD",
    "SPECIAL_EXIT", "STOPPED", "REVOKED", "RESV_DEL_HOLD", "SIGNALING",
)  # fmt: skip

# NO_VAL, INFINITE, NO_VAL64, INFINITE64 and what they become in signed numbers.
SENTINELS: Final = (4294967294, 4294967295, 18446744073709551614, 18446744073709551615, -2, -1)

# Past this there are no UTC seconds of Slurm's, which keeps times in 32 bits: it is milliseconds, say.
LAST_TIME: Final = 4294967293

MACROS: Final = f"""
-- What lies at a path of a text that should be an object; NULL where it is none, such as a name that opens a brace.
CREATE MACRO member(x, path) AS TRY(json_extract_string(x, path));

CREATE MACRO is_object(x) AS starts_with(x, '{{') AND coalesce(TRY(json_type(x)), '') = 'OBJECT';

CREATE MACRO is_list(x) AS starts_with(x, '[') AND coalesce(TRY(json_type(x)), '') = 'ARRAY';

-- The text of a number, out of the object that data_parser makes of it; NULL where it is not set.
CREATE MACRO scalar(x) AS CASE
    WHEN NOT starts_with(x, '{{') THEN x
    WHEN member(x, '$.set') = 'false' OR member(x, '$.infinite') = 'true' THEN NULL
    ELSE coalesce(member(x, '$.number'), x) END;

CREATE MACRO said(x) AS CASE
    WHEN lower(scalar(x)) IN ('', 'infinity', '-infinity', 'nan', 'inf', '-inf') THEN NULL ELSE scalar(x) END;

-- Digits as they are; 5.0 and 5e3 by their whole part. NULL: unreadable.
CREATE MACRO whole(x) AS CASE
    WHEN regexp_full_match(x, '[+-]?[0-9]{{1,38}}') THEN TRY_CAST(x AS HUGEINT)
    WHEN regexp_full_match(x, '[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?')
        THEN TRY_CAST(floor(TRY_CAST(x AS DOUBLE)) AS HUGEINT) END;

CREATE MACRO known(v) AS CASE WHEN v IN {SENTINELS} THEN NULL ELSE v END;

-- UTC seconds of a whole number; 0 is "not yet".
CREATE MACRO utc(v) AS CAST(CASE WHEN v BETWEEN 1 AND {LAST_TIME} THEN v END AS BIGINT);

CREATE MACRO bad_time(x, v) AS x IS NOT NULL
    AND (v IS NULL OR (known(v) IS NOT NULL AND v NOT BETWEEN 0 AND {LAST_TIME}));

CREATE MACRO bad_number(x, v) AS x IS NOT NULL
    AND (v IS NULL OR (known(v) IS NOT NULL AND TRY_CAST(v AS BIGINT) IS NULL));

CREATE MACRO printed_state(current, plain) AS CASE
    WHEN is_list(current) THEN coalesce(
        list_filter({list(STATE_FLAGS)}, lambda flag: list_contains(from_json(current, '["VARCHAR"]'), flag))[1],
        from_json(current, '["VARCHAR"]')[1], '')
    ELSE coalesce(current, CASE WHEN NOT is_object(plain) THEN plain END, '') END;

-- A leading * is how sacct prints a work-load key that the user did not choose.
CREATE MACRO printed_wckey(x) AS CASE
    WHEN is_object(x) THEN
        CASE WHEN contains(member(x, '$.flags'), 'ASSIGNED_DEFAULT')
             AND NOT starts_with(coalesce(member(x, '$.wckey'), ''), '*') THEN '*' ELSE '' END
        || coalesce(member(x, '$.wckey'), '')
    ELSE coalesce(x, '') END;

CREATE MACRO reservation_name(x) AS CASE
    WHEN NOT is_object(x) THEN x
    WHEN json_type(x, '$.name') = 'VARCHAR' THEN member(x, '$.name') END;

-- A TRES list with each count as text and as a whole number; memory and burst buffers count MiB, and
-- sacct --noconvert says so with an M.
CREATE MACRO tres_list(x) AS list_transform(list_transform(
    CASE WHEN is_list(x) THEN TRY(from_json(x, '[{{"type":"VARCHAR","name":"VARCHAR","count":"VARCHAR"}}]')) END,
    lambda t: {{'kind': nullif(t.type, ''), 'name': t.type || coalesce('/' || nullif(t.name, ''), ''),
                'unit': CASE WHEN lower(t.type) IN ('mem', 'bb') THEN 'M' ELSE '' END, 'said': said(t.count)}}),
    lambda t: {{'kind': t.kind, 'name': t.name, 'unit': t.unit, 'said': t.said, 'value': whole(t.said)}});

-- Not told: counts that are not known, and those past 2^63, a counter that ran backwards (energy below 0).
CREATE MACRO tres_told(t) AS known(t.value) IS NOT NULL AND t.value < 9223372036854775808
    AND (t.value >= 0 OR t.kind <> 'energy');

-- AllocTRES as `sacct -P --noconvert` prints it: sorted by name, the typed gres before the plain one. A count that
-- is not whole stays as it is, so that nothing is lost.
CREATE MACRO printed_tres(list) AS array_to_string(list_sort(list_transform(
    list_filter(list, lambda t: tres_told(t)),
    lambda t: t.name || '=' || CASE WHEN regexp_full_match(t.said, '-?[0-9]+[.][0-9]*[1-9][0-9]*') THEN t.said
        ELSE CAST(t.value AS VARCHAR) END || t.unit)), ',');

CREATE MACRO tres_not_told(list) AS array_to_string(list_transform(
    list_filter(list, lambda t: t.kind <> 'energy' AND NOT tres_told(t)),
    lambda t: t.name || ' ' || coalesce(t.said, 'not set')), ', ');

CREATE MACRO tres_count(list, kind) AS known(list_filter(list, lambda t: t.name = kind)[1].value);

-- As ConsumedEnergyRaw prints it: a count below 0 is an unsigned one of 64 bits.
CREATE MACRO printed_energy(v) AS CAST(CASE WHEN v < 0 THEN v + 18446744073709551616 ELSE v END AS VARCHAR);

CREATE MACRO unreadable_tres(list) AS
    list_filter(list, lambda t: t.kind IS NULL OR (t.said IS NOT NULL AND t.value IS NULL))[1];
"""
