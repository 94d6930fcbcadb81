"""`ceph df detail -f json`: what clients stored in each pool of a Ceph cluster.

Of Ceph's many ways to ask for space this one is taken, since one call tells all pools at one moment, and pools are what
block, object and file storage are all made of. `stored` is what clients wrote, before copies and erasure coding; releases
before Nautilus say the same under `bytes_used`. Directories of CephFS come by CSV.
"""

from __future__ import annotations

import json

import polars as pl

from ingest.other_rows import Fault
from models.errors import HesuanError

_SCHEMA = {
    "location": pl.String,
    "body": pl.Binary,
    "fileset": pl.String,
    "used_bytes": pl.Int64,
    "limit_bytes": pl.Int64,
    "files_count": pl.Int64,
}


def ceph_records(data: bytes, path: object) -> tuple[pl.DataFrame, list[Fault]]:
    """The pools as records of storage: the fileset is the pool, `by` is fileset; and what may be wrong.

    Raises:
        HesuanError: `other.json_broken`, `other.no_pools`.
    """
    try:
        said = json.loads(data)
    except ValueError as error:
        raise HesuanError("other.json_broken", path=path, cause=error) from error
    pools = said.get("pools") if isinstance(said, dict) else None
    if not isinstance(pools, list) or not all(isinstance(pool, dict) for pool in pools):
        raise HesuanError("other.no_pools", path=path)
    rows = [_row(number, pool) for number, pool in enumerate(pools, 1)]
    read = pl.DataFrame(rows, _SCHEMA, orient="row")
    return (
        read.with_columns(pl.lit("fileset").alias("by"), account=pl.lit(""), user_name=pl.lit("")),
        [
            Fault("no-owner", pl.col("fileset") == "", pl.col("location")),
            Fault("bad-amount", pl.col("used_bytes").is_null(), pl.col("fileset")),
        ],
    )


def _row(number: int, pool: dict[str, object]) -> tuple[object, ...]:
    figures = pool.get("stats")
    stats: dict[str, object] = figures if isinstance(figures, dict) else {}
    used = _whole(stats.get("stored", stats.get("bytes_used")))
    body = json.dumps(pool, ensure_ascii=False).encode()
    limit = _whole(stats.get("quota_bytes")) or None
    return (f"pool {number}", body, str(pool.get("name") or ""), used, limit, _whole(stats.get("objects")))


def _whole(value: object) -> int | None:
    """A count as Ceph says it: a whole number that is not negative and fits a BIGINT."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63 else None
