"""Job ids: which rows are steps, and the numeric id of every run.

JobIDRaw is the real number of a job; JobID shows an array task as `123_4`, the waiting rest of an array as
`123_[5-9]`, a component of a heterogeneous job as `123+1`, and a step as either with a `.suffix`.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ingest.sacct_values import blank

_FORM = r"^(\d{1,10})(?:_(\d{1,9})|\+(\d{1,9})|(_\[).*)?$"
DERIVED = 1 << 32  # Slurm's own ids are of 32 bits: a job_id_raw from here on was made from JobID
_COMPONENT = 1 << 62


class JobIds(NamedTuple):
    """Ids of some rows.

    Attributes:
        raw: the numeric id; null where it could not be read.
        shown: JobID as sacct shows it.
        missing: no id stands there at all.
    """

    raw: pl.Series
    shown: pl.Series
    missing: pl.Series


def steps(frame: pl.DataFrame) -> pl.Series:
    """True for step rows: an id with a suffix (.batch .extern .interactive .TBD .0 .3+1)."""
    names = [name for name in ("JobIDRaw", "JobID") if name in frame.columns]
    found = frame[names[0]].str.contains(".", literal=True)
    for name in names[1:]:
        found = found | frame[name].str.contains(".", literal=True)
    return found


def _derived(shown: pl.Series) -> pl.Series:
    """Numeric ids from JobID alone.

    The tasks of an array have the same Submit, and often the same Start: under the array's id two of them would be
    one run. So a task or a component gets a number above Slurm's 32 bits, the same on every reading.
    """
    job, task, component, _ = (
        part.cast(pl.Int64, strict=False)
        for part in shown.str.extract_groups(_FORM).struct.unnest().get_columns()
    )
    above = (task + 1).fill_null(0) * DERIVED + ((component + 1) * DERIVED + _COMPONENT).fill_null(0)
    return job + above


def job_ids(frame: pl.DataFrame) -> JobIds:
    """The ids of rows that are no steps.

    Args:
        frame: with JobIDRaw, JobID or both as text.
    """
    if "JobIDRaw" in frame.columns:
        text = frame["JobIDRaw"]
        raw = text.cast(pl.Int64, strict=False)
        negative = (raw < 0).fill_null(value=False)
        shown = frame["JobID"] if "JobID" in frame.columns else text
        if (shown == "").any():
            shown = shown.zip_with(shown != "", text)
        return JobIds(raw.set(negative, None), shown, raw.is_null() & blank(text))
    shown = frame["JobID"]
    raw = shown.cast(pl.Int64, strict=False)
    if raw.null_count():
        raw = _derived(shown)
    return JobIds(raw, shown, raw.is_null() & blank(shown))
