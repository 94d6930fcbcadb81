-- raw.duckdb, schema version 1: what the sources said. Append-only: rows are never changed or deleted.
-- Times are UTC seconds; NULL is "not said" (Unknown, None, sentinels), never 0.

CREATE TABLE raw_meta (schema_version INTEGER NOT NULL, created_at_s BIGINT NOT NULL, program_version VARCHAR NOT NULL);

-- One file, or one pulled window, appended whole in one transaction.
CREATE TABLE raw_batch (
    batch_id BIGINT NOT NULL,          -- 1, 2, 3 … in order of arrival
    source VARCHAR NOT NULL,           -- 'sacct'
    cluster VARCHAR NOT NULL,          -- the cluster named by the user; rows may name their own
    origin VARCHAR NOT NULL,           -- file name or command, for people
    format VARCHAR NOT NULL,           -- 'text', 'json'
    source_version VARCHAR,            -- Slurm release or data_parser where the source says it
    columns VARCHAR,                   -- column names as read, comma separated
    sha256 VARCHAR NOT NULL,           -- of the uncompressed bytes
    size_bytes BIGINT NOT NULL,
    window_start_s BIGINT,             -- asked window of a pull; NULL for a file
    window_end_s BIGINT,
    read_at_s BIGINT,                  -- when the source was asked, for a pull; NULL for a file
    records_count BIGINT NOT NULL,     -- allocation records in = kept + rejected
    kept_count BIGINT NOT NULL,        -- rows in raw_sacct
    rejected_count BIGINT NOT NULL,    -- rows in raw_rejected
    steps_count BIGINT NOT NULL,       -- step rows seen and left out: never billed
    ingested_at_s BIGINT NOT NULL,
    ingested_by VARCHAR NOT NULL,
    program_version VARCHAR NOT NULL
);

-- One version of one run, as one source said it. Natural key: (cluster, job_id_raw, submit_s, eligible_s, start_s).
CREATE TABLE raw_sacct (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,         -- 1-based place among the batch's records, steps included
    source_start_bytes BIGINT NOT NULL,   -- the record's bytes in the batch's uncompressed source, [start, end)
    source_end_bytes BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    job_id_raw BIGINT NOT NULL,
    job_id VARCHAR NOT NULL,           -- 123, 123_4, 123_[1-9%2], 123+1
    db_index VARCHAR,                  -- text: passes 2^63 since 24.11
    sluid VARCHAR,
    account VARCHAR NOT NULL,          -- '' where the source says none
    user_name VARCHAR NOT NULL,
    partition VARCHAR NOT NULL,
    qos VARCHAR NOT NULL,
    wckey VARCHAR NOT NULL,
    reservation VARCHAR NOT NULL,
    state VARCHAR NOT NULL,            -- as said: 'CANCELLED by 123'
    submit_s BIGINT,
    eligible_s BIGINT,
    start_s BIGINT,
    end_s BIGINT,
    elapsed_s BIGINT,                  -- ElapsedRaw: end - start - suspended; running: up to the dump
    suspended_s BIGINT,
    timelimit_s BIGINT,                -- NULL: unlimited or not said
    alloc_tres VARCHAR,                -- as said; NULL where the source has no such column
    alloc_cpus_count BIGINT,           -- AllocCPUS/NCPUS, used only where alloc_tres is NULL
    nodes_count BIGINT,
    node_list VARCHAR NOT NULL,
    energy VARCHAR,                    -- ConsumedEnergyRaw as said, joules
    total_cpu_ms BIGINT,               -- TotalCPU: used time, for efficiency only
    job_name VARCHAR NOT NULL          -- bad UTF-8 shown as U+FFFD; the true bytes are in raw_source
);

-- The batch's source bytes whole, in pieces, so that any record can be shown as it came.
CREATE TABLE raw_source (
    batch_id BIGINT NOT NULL,
    piece_no BIGINT NOT NULL,
    start_bytes BIGINT NOT NULL,       -- [start, end) in the uncompressed source
    end_bytes BIGINT NOT NULL,
    codec VARCHAR NOT NULL,            -- 'lz4'
    body BLOB NOT NULL
);

CREATE TABLE raw_rejected (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,
    location VARCHAR NOT NULL,         -- 'line 17'
    reason VARCHAR NOT NULL,           -- short stable code: 'bad-time', 'field-count' …
    detail VARCHAR NOT NULL,
    body BLOB NOT NULL                 -- its bytes
);

-- What was odd about a record that was kept.
CREATE TABLE raw_finding (
    batch_id BIGINT NOT NULL,
    location VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL
);

-- Up to when a live source has been read without a gap; moved only after a pull's transaction.
CREATE TABLE raw_watermark (
    source VARCHAR NOT NULL, cluster VARCHAR NOT NULL, read_to_s BIGINT NOT NULL, batch_id BIGINT NOT NULL
);
