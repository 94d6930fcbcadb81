-- ledger.duckdb, schema version 1: what was decided and issued. Append-only.

CREATE TABLE ledger_meta (schema_version INTEGER NOT NULL, created_at_s BIGINT NOT NULL);

-- States of periods as they were decided; the newest row of a period counts.
CREATE TABLE ledger_period (period VARCHAR NOT NULL, state VARCHAR NOT NULL, decided_at_s BIGINT NOT NULL, decided_by VARCHAR NOT NULL);

-- Price-book versions that a closed period's bills used, by the hash of what they said.
CREATE TABLE ledger_tariff (version VARCHAR NOT NULL, sha256 VARCHAR NOT NULL, period VARCHAR NOT NULL, recorded_at_s BIGINT NOT NULL);
