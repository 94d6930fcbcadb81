-- raw.duckdb, schema version 1: what the sources said. Append-only: rows are never changed or deleted.
-- Times are UTC seconds; NULL is "not said" (Unknown, None, sentinels), never 0.

CREATE TABLE raw_meta (schema_version INTEGER NOT NULL, created_at_s BIGINT NOT NULL, program_version VARCHAR NOT NULL);

-- One file, or one pulled window, appended whole in one transaction.
CREATE TABLE raw_batch (
    batch_id BIGINT NOT NULL,          -- 1, 2, 3 … in order of arrival
    source VARCHAR NOT NULL,           -- 'sacct', 'storage', 'items', or one of the inventory's
    cluster VARCHAR NOT NULL,          -- the cluster, or storage system, named by the user; rows may name their own
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
    kept_count BIGINT NOT NULL,        -- rows in the raw table of the source
    rejected_count BIGINT NOT NULL,    -- rows in raw_rejected
    steps_count BIGINT NOT NULL,       -- rows seen and left out: steps, which are never billed; quotas of a kind that was not asked for
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
    codec VARCHAR NOT NULL,            -- 'lz4_raw'
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

-- Inventory, one row per thing and snapshot. Its batches have the source 'scontrol-node', 'scontrol-partition',
-- 'scontrol-reservation', 'sacctmgr-event' or 'sacctmgr-reservation'; raw_batch.read_at_s is the moment of a snapshot.
-- A snapshot is whole: what it does not name was not there at that moment.
CREATE TABLE raw_node (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,         -- 1-based place in the file
    cluster VARCHAR NOT NULL,
    taken_s BIGINT NOT NULL,           -- moment of the snapshot
    node VARCHAR NOT NULL,
    state VARCHAR NOT NULL,            -- as said, its parts joined by '+': 'MIXED+DRAIN'
    reason VARCHAR NOT NULL,
    partitions VARCHAR NOT NULL,       -- comma separated, '' where it is in none
    cfg_tres VARCHAR NOT NULL,         -- what it can give: 'cpu=8,mem=16000M,gres/gpu=4'
    gres VARCHAR NOT NULL              -- configured devices as said, tracked or not
);

CREATE TABLE raw_partition (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    taken_s BIGINT NOT NULL,
    partition VARCHAR NOT NULL,
    state VARCHAR NOT NULL,            -- 'UP', 'DOWN', 'DRAIN', 'INACTIVE'
    nodes VARCHAR NOT NULL,            -- host list as said
    tres VARCHAR NOT NULL,
    billing_weights VARCHAR NOT NULL   -- TRESBillingWeights as said
);

-- A reservation as a snapshot or the accounting database has it; natural key (cluster, reservation, start_s).
CREATE TABLE raw_reservation (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    taken_s BIGINT,                    -- moment of the snapshot; NULL from the accounting database, which keeps the past
    reservation VARCHAR NOT NULL,
    start_s BIGINT NOT NULL,
    end_s BIGINT NOT NULL,             -- planned in a snapshot, true in the accounting database once it is over
    nodes VARCHAR NOT NULL,            -- host list as said
    tres VARCHAR NOT NULL,             -- 'cpu=16': less than its nodes have where it holds single cores
    flags VARCHAR NOT NULL,            -- 'MAINT,IGNORE_JOBS,SPEC_NODES'
    users VARCHAR NOT NULL,
    accounts VARCHAR NOT NULL
);

-- A time during which the accounting database has a node down or drained; natural key (cluster, node, start_s).
CREATE TABLE raw_node_event (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    node VARCHAR NOT NULL,             -- '' for the cluster's own rows, which say what it registered
    start_s BIGINT NOT NULL,
    end_s BIGINT,                      -- NULL: not over yet
    state VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    user_name VARCHAR NOT NULL,
    tres VARCHAR NOT NULL              -- '' where the column was not asked for
);

-- Up to when a live source has been read without a gap; moved only after a pull's transaction.
CREATE TABLE raw_watermark (
    source VARCHAR NOT NULL, cluster VARCHAR NOT NULL, read_to_s BIGINT NOT NULL, batch_id BIGINT NOT NULL
);

-- What somebody kept on a storage system at one moment, as its quota report says it. Its batches have the source 'storage'.
-- A row is known by (system, fileset, account, user_name) and its local day: of a day the latest counts, of equal moments the
-- newest batch. What a report does not name was not read, and is carried on: gone is what a row says holds 0 bytes.
CREATE TABLE raw_storage (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,         -- 1-based place among the batch's records
    system VARCHAR NOT NULL,           -- the storage system, as the price book's storage:SYSTEM names it
    fileset VARCHAR NOT NULL,          -- fileset, project id, pool or directory tree; '' where the quota is of the whole system
    account VARCHAR NOT NULL,          -- group; '' where the row is not of a group
    user_name VARCHAR NOT NULL,        -- '' where the row is not of a user
    taken_s BIGINT NOT NULL,           -- moment of the snapshot
    used_bytes BIGINT NOT NULL,
    limit_bytes BIGINT,                -- hard limit, else the soft one; NULL: none
    files_count BIGINT                 -- NULL: not said
);

-- Co-location, licences, account fees, one-off items, as a person wrote them down. Its batches have the source 'items'.
-- A row is known by (kind, code, account, user_name, project, begin_s): all rows of the newest batch that names it count, so
-- two like ones in one file are two, and a later file that names it with quantity 0 takes it back.
CREATE TABLE raw_item (
    batch_id BIGINT NOT NULL,
    record_no BIGINT NOT NULL,
    kind VARCHAR NOT NULL,             -- 'colo', 'licence', 'account', 'item'
    code VARCHAR NOT NULL,             -- which rack, licence, plan or item
    account VARCHAR NOT NULL,
    user_name VARCHAR NOT NULL,
    project VARCHAR NOT NULL,          -- '': the tenant's rule says it
    begin_s BIGINT NOT NULL,           -- a local midnight
    end_s BIGINT,                      -- a local midnight, the first day on which it is no more; NULL: see unit
    quantity_milli BIGINT NOT NULL,    -- thousandths of the unit
    unit VARCHAR NOT NULL,             -- 'rack', 'licence', 'account': so many on each day, without an end until told otherwise;
                                       -- 'kWh' and the words of items: so many in all, without an end on the first day
    approved_by VARCHAR NOT NULL,
    note VARCHAR NOT NULL
);
