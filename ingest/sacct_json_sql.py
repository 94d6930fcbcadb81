"""The SQL that turns job elements of `sacct --json` into raw_sacct's columns, and what it takes for granted.

Input: a table `element(record_no, source_start_bytes, source_end_bytes, body)`, one job's JSON each. All
paths that any release of Slurm uses are taken from `body` together, as text, and then cast.

What the releases do differently (Slurm 21.08 to 26.05: openapi/dbv0.0.36 to 38, data_parser v0.0.39 to v0.0.45):

- a number is a scalar, null, or {"set", "infinite", "number"}; unset, infinite and null are NULL here;
- the state is a word, or a list: the base state and flags. Of a list, the word that sacct's text prints is taken:
  a flag goes before the base state, in the order of `job_state_string` in Slurm's slurm_protocol_defs.c;
- the JSON tells the tasks of a pending array as a bitmap (0x9C6); sacct prints them as 1-2,6-8,11 (`bit_fmt`);
- a reservation's name was a number (0, or a stray pointer) until 22.05: then it is not known.

65534, Slurm's 16-bit "no value", is no sentinel here: every number that is kept has 32 or 64 bits in Slurm, and a run
may well last 65534 s.
"""

from __future__ import annotations

from typing import Final

# Column of the taken list -> path in the job element.
PATHS: Final = {
    "job_id": "$.job_id",
    "array_job": "$.array.job_id",
    "array_task": "$.array.task_id",
    "array_tasks": "$.array.task",
    "array_limit": "$.array.limits.max.running.tasks",
    "het_job": "$.het.job_id",
    "het_offset": "$.het.job_offset",
    "sluid": "$.sluid",
    "cluster": "$.cluster",
    "association_cluster": "$.association.cluster",
    "account": "$.account",
    "association_account": "$.association.account",
    "user_name": "$.user",
    "association_user": "$.association.user",
    "partition": "$.partition",
    "qos": "$.qos",
    "wckey": "$.wckey",
    "reservation": "$.reservation",
    "state": "$.state",
    "state_current": "$.state.current",
    "submit": "$.time.submission",
    "eligible": "$.time.eligible",
    "started_at": "$.time.start",
    "ended_at": "$.time.end",
    "elapsed": "$.time.elapsed",
    "suspended": "$.time.suspended",
    "timelimit": "$.time.limit",
    "cpu_seconds": "$.time.total.seconds",
    "cpu_microseconds": "$.time.total.microseconds",
    "allocated": "$.tres.allocated",
    "requested": "$.tres.requested",
    "allocation_nodes": "$.allocation_nodes",
    "nodes": "$.nodes",
    "name": "$.name",
}

# Objects of an element in which no key may stand twice: which of the two counts is not known.
KEYED: Final = ("$", "$.time", "$.tres", "$.array", "$.het", "$.state")

# Which of the taken columns are numbers.
NUMBERS: Final = (
    "job_id", "array_job", "array_task", "array_limit", "het_job", "het_offset", "submit", "eligible", "started_at", "ended_at",
    "elapsed", "suspended", "timelimit", "cpu_seconds", "cpu_microseconds", "allocation_nodes",
)  # fmt: skip

# What lies in the element, as text. An element that is no JSON, or no object, has only NULLs.
_TAKEN = f"""
SELECT record_no, source_start_bytes, source_end_bytes, kind, twice, steps_count,
       {", ".join(f"taken[{place}] AS {name}" for place, name in enumerate(PATHS, start=1))}
FROM (
    SELECT record_no, source_start_bytes, source_end_bytes, kind,
           CASE WHEN kind = 'OBJECT' THEN json_extract_string(body, {list(PATHS.values())}) END AS taken,
           CASE WHEN kind = 'OBJECT' THEN list_filter(json_keys(body, {list(KEYED)}),
               lambda keys: len(keys) <> len(list_distinct(keys)))[1] END AS twice,
           CASE WHEN kind = 'OBJECT' THEN json_array_length(body, '$.steps') END AS steps_count
    FROM (SELECT *, TRY(json_type(body)) AS kind FROM element))
"""

_SAID = f"""
SELECT * REPLACE ({", ".join(f"said({name}) AS {name}" for name in NUMBERS)}),
       tres_list(allocated) AS tres, tres_list(requested) AS tres_requested
FROM ({_TAKEN})
"""

_WHOLE = f"""
SELECT *, {", ".join(f"whole({name}) AS {name}_v" for name in NUMBERS)}, unreadable_tres(tres) AS tres_unreadable
FROM ({_SAID})
"""

# The first thing wrong with an element, as a stable code; NULL: it is kept.
_REASON: Final = """CASE
    WHEN kind IS NULL THEN 'bad-json'
    WHEN kind <> 'OBJECT' THEN 'not-an-object'
    WHEN twice IS NOT NULL THEN 'duplicate-key'
    WHEN job_id IS NULL OR (job_id_v IS NOT NULL AND known(job_id_v) IS NULL) THEN 'no-job-id'
    WHEN bad_number(job_id, job_id_v) OR job_id_v < 1 THEN 'bad-job-id'
    WHEN bad_time(submit, submit_v) OR bad_time(eligible, eligible_v) OR bad_time(started_at, started_at_v)
        OR bad_time(ended_at, ended_at_v) THEN 'bad-time'
    WHEN coalesce(submit, eligible, started_at, ended_at) IS NULL THEN 'no-time'
    WHEN bad_number(elapsed, elapsed_v) OR bad_number(suspended, suspended_v) THEN 'bad-number'
    WHEN (allocated IS NOT NULL AND tres IS NULL) OR tres_unreadable IS NOT NULL THEN 'bad-tres' END"""

_DETAIL: Final = """CASE reason
    WHEN 'bad-json' THEN 'not valid JSON'
    WHEN 'not-an-object' THEN 'a job must stand here, not ' || lower(kind)
    WHEN 'duplicate-key' THEN 'a key stands twice in one object; the keys: ' || array_to_string(twice, ', ')
    WHEN 'no-job-id' THEN 'no job_id'
    WHEN 'bad-job-id' THEN 'job_id is ' || job_id
    WHEN 'bad-time' THEN 'not UTC seconds: ' || array_to_string(list_filter([
        CASE WHEN bad_time(submit, submit_v) THEN 'submission ' || submit END,
        CASE WHEN bad_time(eligible, eligible_v) THEN 'eligible ' || eligible END,
        CASE WHEN bad_time(started_at, started_at_v) THEN 'start ' || started_at END,
        CASE WHEN bad_time(ended_at, ended_at_v) THEN 'end ' || ended_at END], lambda said: said IS NOT NULL), ', ')
    WHEN 'no-time' THEN 'none of time.submission, eligible, start, end; is this squeue --json?'
    WHEN 'bad-number' THEN 'not whole seconds: elapsed ' || coalesce(elapsed, 'null')
        || ', suspended ' || coalesce(suspended, 'null')
    WHEN 'bad-tres' THEN CASE WHEN tres IS NULL THEN 'tres.allocated is no list' ELSE 'tres.allocated has an entry of type '
        || coalesce(tres_unreadable.kind, 'null') || ' and count ' || coalesce(tres_unreadable.said, 'null') END END"""

RUN: Final = f"""
CREATE TABLE run AS
SELECT record_no, source_start_bytes, source_end_bytes, reason, left({_DETAIL}, 500) AS detail, steps_count,
       TRY_CAST(job_id_v AS BIGINT) AS job_id_raw,
       known(array_job_v) AS array_job, known(array_task_v) AS array_task, coalesce(array_tasks, '') AS array_tasks,
       known(array_limit_v) AS array_limit, known(het_job_v) AS het_job, known(het_offset_v) AS het_offset,
       nullif(sluid, '') AS sluid,
       coalesce(nullif(cluster, ''), nullif(association_cluster, '')) AS cluster,
       coalesce(nullif(account, ''), association_account, '') AS account,
       coalesce(nullif(user_name, ''), association_user, '') AS user_name,
       coalesce(partition, '') AS partition, coalesce(qos, '') AS qos, printed_wckey(wckey) AS wckey,
       coalesce(reservation_name(reservation), '') AS reservation,
       whole(member(reservation, '$.id')) > 0 AS in_reservation,
       printed_state(state_current, state) AS state,
       utc(submit_v) AS submit_s, utc(eligible_v) AS eligible_s, utc(started_at_v) AS start_s, utc(ended_at_v) AS end_s,
       TRY_CAST(known(elapsed_v) AS BIGINT) AS elapsed_s, TRY_CAST(known(suspended_v) AS BIGINT) AS suspended_s,
       TRY_CAST(known(timelimit_v) * 60 AS BIGINT) AS timelimit_s,
       printed_tres(tres) AS tres_text, tres_not_told(tres) AS not_told, tres_count(tres, 'cpu') AS tres_cpus, tres_count(tres, 'energy') AS energy_j,
       coalesce(nullif(known(allocation_nodes_v), 0), tres_count(tres, 'node'),
           CASE WHEN len(tres) = 0 THEN tres_count(tres_requested, 'node') END, known(allocation_nodes_v)) AS nodes,
       coalesce(nodes, '') AS node_list,
       TRY_CAST(known(cpu_seconds_v) * 1000 + coalesce(known(cpu_microseconds_v), 0) // 1000 AS BIGINT) AS total_cpu_ms,
       coalesce(name, '') AS job_name,
       array_to_string(list_filter([
           CASE WHEN bad_number(timelimit, timelimit_v) THEN 'time.limit ' || timelimit END,
           CASE WHEN bad_number(cpu_seconds, cpu_seconds_v) THEN 'time.total.seconds ' || cpu_seconds END,
           CASE WHEN bad_number(allocation_nodes, allocation_nodes_v) THEN 'allocation_nodes ' || allocation_nodes END],
           lambda said: said IS NOT NULL), ', ') AS left_out
FROM (SELECT *, {_REASON} AS reason FROM ({_WHOLE}))
"""

# The bitmap of a pending array's tasks as ranges; evenly spaced tasks over more than 10 places as first-last:step.
TASKS: Final = """
CREATE TABLE task_range AS
WITH bitmap AS (
    SELECT record_no, upper(array_tasks[3:]) AS digits FROM run WHERE regexp_full_match(array_tasks, '0x[0-9A-Fa-f]+')),
place AS (SELECT record_no, digits, unnest(range(0, 4 * length(digits))) AS task FROM bitmap),
task AS (
    SELECT record_no, task FROM place
    WHERE ((strpos('0123456789ABCDEF', digits[length(digits) - task // 4]) - 1) >> (task % 4)) & 1 = 1),
spaced AS (
    SELECT record_no, task, task - lag(task) OVER one AS step, task - row_number() OVER one AS island
    FROM task WINDOW one AS (PARTITION BY record_no ORDER BY task)),
span AS (SELECT record_no, min(task) AS first, max(task) AS last FROM spaced GROUP BY record_no, island),
listed AS (
    SELECT record_no, string_agg(CASE WHEN first = last THEN CAST(first AS VARCHAR) ELSE first || '-' || last END,
        ',' ORDER BY first) AS tasks FROM span GROUP BY record_no),
whole_array AS (
    SELECT record_no, min(task) AS first, max(task) AS last, min(step) AS step, max(step) AS widest
    FROM spaced GROUP BY record_no)
SELECT record_no,
       CASE WHEN last - first > 10 AND step = widest AND step > 1 THEN first || '-' || last || ':' || step ELSE tasks END
           AS tasks
FROM listed JOIN whole_array USING (record_no)
"""

# JobID as sacct prints it (slurmdb_get_job_id_str): 123_[1-9%2], 123_4, 123+1, 123.
_JOB_ID: Final = """CASE
    WHEN array_tasks <> '' THEN array_job || '_[' || coalesce(tasks, array_tasks)
        || CASE WHEN array_limit > 0 AND NOT contains(array_tasks, '%') THEN '%' || array_limit ELSE '' END || ']'
    WHEN array_job > 0 AND array_task IS NOT NULL THEN array_job || '_' || array_task
    WHEN het_job > 0 AND het_offset IS NOT NULL THEN het_job || '+' || het_offset
    ELSE CAST(job_id_raw AS VARCHAR) END"""

# $cluster: the name of the cluster for elements that name none.
RECORDS: Final = f"""
SELECT record_no, source_start_bytes, source_end_bytes, coalesce(cluster, $cluster) AS cluster, job_id_raw,
       {_JOB_ID} AS job_id, CAST(NULL AS VARCHAR) AS db_index, sluid, account, user_name, partition, qos, wckey,
       reservation, state, submit_s, eligible_s, start_s, end_s, elapsed_s, suspended_s, timelimit_s,
       CASE WHEN tres_text IS NOT NULL THEN tres_text WHEN NOT started THEN '' END AS alloc_tres,
       TRY_CAST(coalesce(tres_cpus, CASE WHEN tres_text = '' THEN 0 END) AS BIGINT) AS alloc_cpus_count,
       TRY_CAST(nodes AS BIGINT) AS nodes_count, node_list, printed_energy(energy_j) AS energy, total_cpu_ms, job_name
FROM (SELECT *, start_s IS NOT NULL OR elapsed_s > 0 AS started FROM run) LEFT JOIN task_range USING (record_no)
WHERE reason IS NULL ORDER BY record_no
"""

REJECTED: Final = """
SELECT record_no, 'record ' || record_no AS location, reason, detail FROM run WHERE reason IS NOT NULL
ORDER BY record_no
"""

FINDINGS: Final = """
SELECT location, reason, left(detail, 500) AS detail FROM (
    SELECT record_no, 'record ' || record_no AS location, 'json-lost-run' AS reason, 'job ' || job_id_raw || ' ('
        || state || ') ended and held ' || tres_text || ', but the JSON tells no start and ' || coalesce(elapsed_s, 0)
        || ' s elapsed; ingest the text form of sacct for this window, too' AS detail
    FROM run WHERE reason IS NULL AND start_s IS NULL AND end_s IS NOT NULL AND tres_text <> ''
    UNION ALL
    SELECT record_no, 'record ' || record_no, 'json-no-reservation', 'job ' || job_id_raw
        || ' ran in a reservation whose name the JSON does not tell; where prices depend on it, ingest the text form'
    FROM run WHERE reason IS NULL AND in_reservation AND reservation = ''
    UNION ALL
    SELECT record_no, 'record ' || record_no, 'no-tres', 'job ' || job_id_raw
        || ' started, but the JSON has no tres.allocated: what it held is not known'
    FROM run WHERE reason IS NULL AND tres_text IS NULL AND (start_s IS NOT NULL OR elapsed_s > 0)
    UNION ALL
    SELECT record_no, 'record ' || record_no, 'unreadable-value', 'job ' || job_id_raw || ': left empty as unreadable: '
        || left_out
    FROM run WHERE reason IS NULL AND left_out <> ''
    UNION ALL
    SELECT record_no, 'record ' || record_no, 'tres-not-told', 'job ' || job_id_raw
        || ' held a count that is not known, and AllocTRES leaves it out: ' || not_told
    FROM run WHERE reason IS NULL AND not_told <> ''
    UNION ALL
    SELECT min(record_no), 'record ' || min(record_no), 'other-cluster', 'records name cluster ' || cluster
        || ', not ' || $cluster || ': ' || count(*) || ' of them, kept under their own name'
    FROM run WHERE reason IS NULL AND cluster <> $cluster GROUP BY cluster)
ORDER BY record_no, reason
"""
