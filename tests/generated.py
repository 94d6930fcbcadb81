"""A site with as many tenants and runs as a test likes: sacct text made by DuckDB, the same bytes for the same numbers."""

from __future__ import annotations

from pathlib import Path

import duckdb

PERIOD = "2026-09"
MONTH_S = 1_788_192_000  # 2026-09-01 00:00 UTC

SITE = """
name = "生成的中心"
name_en = "Generated Centre"
timezone = "UTC"
slot_minutes = 60
[[clusters]]
name = "c1"
"""
TARIFFS_HEAD = """
currency = "CNY"
[[vat]]
valid_from = 2026-01-01
rate = "0.06"
mode = "inclusive"
[[version]]
id = "v1"
approved_by = "资产处 2026-1 号"
valid_from = 2026-01-01
not_priced = ["mem", "node", "billing"]
"""
# Item, partition, resource, price: six lines for a tenant that uses them all.
ITEMS = (
    ("CPU-STD", "cpu", "cpu", "0.10"), ("CPU-FAT", "fat", "cpu", "0.16"), ("CPU-GPU", "gpu", "cpu", "0.02"),
    ("CPU-NPU", "npu", "cpu", "0.02"), ("GPU-A100", "gpu", "gpu:a100", "5.50"), ("NPU-910B", "npu", "npu:910b", "4.20"),
)  # fmt: skip


def make_site(directory: Path, tenants: int) -> Path:
    """site.toml and tariffs.toml for tenants t0001, t0002 …, each with the Slurm account of its name."""
    directory.mkdir(parents=True, exist_ok=True)
    ids = [f"t{n:04d}" for n in range(1, tenants + 1)]
    tables = [
        f'[[tenants]]\nid = "{name}"\nname = "课题组 {name}"\nname_en = "Group {name}"\n' for name in ids
    ]
    tables += [f'[[rules]]\ntenant = "{name}"\naccount = "{name}"\n' for name in ids]
    (directory / "site.toml").write_text(SITE + "".join(tables), encoding="utf-8")
    prices = [
        f'[[version.price]]\nitem = "{item}"\nname = "{item}"\nname_en = "{item}"\npartition = "{partition}"\n'
        f'resource = "{resource}"\nunit = "{"core" if resource == "cpu" else "device"}-hour"\nlist_price = "{price}"\n'
        for item, partition, resource, price in ITEMS
    ]
    (directory / "tariffs.toml").write_text(TARIFFS_HEAD + "".join(prices), encoding="utf-8")
    return directory


def make_records(file: Path, runs: int, tenants: int, *, users: int = 5, first_job: int = 1) -> Path:
    """`runs` ended runs of September 2026, spread over tenants, users, partitions and the days, as sacct prints them."""
    with duckdb.connect() as con:
        con.execute(
            f"""
            COPY (
                WITH picked AS (
                    SELECT {first_job} + i AS job, 1 + i % {tenants} AS tenant, i // {tenants} % {users} AS person,
                           hash(i) % 100 AS p, CAST(hash(i * 7 + 1) % 2500000 AS BIGINT) AS begin_s,
                           CAST(60 + hash(i * 11 + 3) % 40000 AS BIGINT) AS elapsed_s,
                           CAST(1 + hash(i * 13 + 5) % 8 AS BIGINT) AS size
                    FROM range({runs}) AS numbers (i)
                ), placed AS (
                    SELECT *, CASE WHEN p < 50 THEN 'cpu' WHEN p < 65 THEN 'fat' WHEN p < 85 THEN 'gpu' ELSE 'npu' END AS part
                    FROM picked
                )
                SELECT
                    job AS "JobIDRaw", job AS "JobID", printf('t%04d', tenant) AS "Account",
                    printf('u%04d_%d', tenant, person) AS "User", part AS "Partition", 'normal' AS "QOS",
                    CASE WHEN p % 10 = 0 THEN 'FAILED' ELSE 'COMPLETED' END AS "State",
                    {MONTH_S} + begin_s - 60 AS "Submit", {MONTH_S} + begin_s - 60 AS "Eligible",
                    {MONTH_S} + begin_s AS "Start", {MONTH_S} + begin_s + elapsed_s AS "End", elapsed_s AS "ElapsedRaw",
                    '00:00:00' AS "Suspended", 2880 AS "TimelimitRaw",
                    CASE part
                        WHEN 'gpu' THEN printf('cpu=%d,gres/gpu:a100=%d,mem=%dM,node=1', size * 8, size, size * 65536)
                        WHEN 'npu' THEN printf('cpu=%d,gres/npu:910b=%d,mem=%dM,node=1', size * 8, size, size * 65536)
                        ELSE printf('cpu=%d,mem=%dM,node=1', size * 16, size * 65536)
                    END AS "AllocTRES",
                    1 AS "NNodes", printf('%s%03d', part, job % 100) AS "NodeList", printf('job-%d', job % 1000) AS "JobName"
                FROM placed ORDER BY job
            ) TO '{file}' (FORMAT csv, HEADER, DELIMITER '|', QUOTE '')
            """
        )
    return file
