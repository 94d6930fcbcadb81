"""Rows of text columns -> rows of raw_sacct: cast, checked, counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from ingest.sacct_fields import BLANK, KEPT, SENTINELS_32, SENTINELS_64
from ingest.sacct_ids import JobIds, job_ids, steps
from ingest.sacct_times import Times, choose, times
from ingest.sacct_values import Column, duration_ms, limit_s, number, seconds

# What was odd about a row: line (Int64, the place in the chunk), reason, detail.
NOTE = {"line": pl.Int64, "reason": pl.String, "detail": pl.String}
_TIMES = ("Submit", "Eligible", "Start", "End")


@dataclass(frozen=True)
class Typed:
    """What came of some rows.

    Attributes:
        rows: raw_sacct's columns from `cluster` to `job_name`, and `line`; only rows that can be kept.
        steps: lines of step rows.
        faults: rows that cannot be kept, each once, as NOTE.
        findings: what was odd about the kept ones, as NOTE.
        naive: wall times without a zone that could not be read, as NOTE.
        zoned_count: times that could be read.
    """

    rows: pl.DataFrame
    steps: pl.Series
    faults: pl.DataFrame
    findings: pl.DataFrame
    naive: pl.DataFrame
    zoned_count: int


class _Notes(NamedTuple):
    """Collects notes about rows of `frame`."""

    frame: pl.DataFrame
    found: list[pl.DataFrame]

    def add(self, mask: pl.Series, reason: str, detail: pl.Expr) -> None:
        if mask.any():
            self.found.append(
                self.frame.filter(mask).select("line", pl.lit(reason).alias("reason"), detail.alias("detail"))
            )

    def all(self) -> pl.DataFrame:
        return pl.concat(self.found) if self.found else pl.DataFrame(schema=NOTE)


def _said(name: str, wanted: str) -> pl.Expr:
    return pl.format(f"{name} is '{{}}', not {wanted}", pl.col(name).str.slice(0, 60))


def _source(frame: pl.DataFrame, column: str) -> str | None:
    """The name by sacct of the column that fills raw_sacct's `column`, None where the file has none."""
    return next((name for name in KEPT[column] if name in frame.columns), None)


def _nothing(count: int, dtype: type[pl.Int64 | pl.String]) -> pl.Series:
    return pl.repeat(None, count, dtype=dtype, eager=True)


def _ids(frame: pl.DataFrame, faults: _Notes) -> JobIds:
    ids = job_ids(frame)
    name = "JobIDRaw" if "JobIDRaw" in frame.columns else "JobID"
    faults.add(ids.missing, "no-job-id", pl.lit(f"{name} is empty"))
    faults.add(ids.raw.is_null() & ~ids.missing, "bad-job-id", _said(name, "a job id"))
    return ids


def _times(frame: pl.DataFrame, timezone: str | None, faults: _Notes, findings: _Notes) -> dict[str, Times]:
    read = {}
    for name in _TIMES:
        text = frame[name] if name in frame.columns else pl.repeat("", frame.height, eager=True)
        read[name] = times(text, timezone)
        if name in frame.columns:
            faults.add(read[name].bad, "bad-time", _said(name, "a time"))
            faults.add(
                read[name].naive, "bad-time", _said(name, "a time with a zone; name the zone with --timezone")
            )
            findings.add(
                read[name].gap,
                "time-not-existing",
                pl.format(
                    f"{name} {{}} does not exist in {timezone}: read by the offset before the clock change",
                    pl.col(name),
                ),
            )
    return read


def _needed(frame: pl.DataFrame, column: str, faults: _Notes) -> Column:
    """A duration on which the charge depends: a row whose value cannot be read is not kept."""
    name = _source(frame, column)
    if name is None:
        return Column(_nothing(frame.height, pl.Int64), pl.repeat(False, frame.height, eager=True))
    read = seconds(frame[name])
    faults.add(read.bad, "bad-number", _said(name, "a duration"))
    return read


def _optional(frame: pl.DataFrame, findings: _Notes, faults: _Notes) -> dict[str, pl.Series]:
    """Numbers without which a row can still be billed; without AllocTRES, AllocCPUS is not one of them."""
    readers: dict[str, Callable[[pl.Series], Column]] = {
        "timelimit_s": limit_s,
        "alloc_cpus_count": number,
        "nodes_count": number,
        "total_cpu_ms": lambda text: duration_ms(text, plain_unit_ms=1000),
    }
    values = {}
    for column, reader in readers.items():
        name = _source(frame, column)
        if name is None:
            values[column] = _nothing(frame.height, pl.Int64)
            continue
        read = reader(frame[name])
        values[column] = read.values
        if column == "alloc_cpus_count" and "AllocTRES" not in frame.columns:
            faults.add(read.bad, "bad-number", _said(name, "a number"))
        else:
            findings.add(read.bad, "unreadable-value", _said(name, "a number: left empty"))
    return values


def _decided(
    frame: pl.DataFrame, read: dict[str, Times], elapsed: Column, suspended: Column, findings: _Notes
) -> dict[str, pl.Series]:
    """The four times in UTC seconds; a repeated hour that nothing decides is read as its first, with a finding."""
    start, end, start_open, end_open = choose(read["Start"], read["End"], elapsed, suspended)
    undecided = {"Start": start_open, "End": end_open}
    for name in ("Submit", "Eligible"):
        # A job is submitted and eligible before it starts, which may leave only the earlier reading.
        after_start = (read[name].later > start).fill_null(value=False)
        undecided[name] = read[name].later.is_not_null() & ~after_start
    for name, mask in undecided.items():
        if name in frame.columns:
            findings.add(
                mask,
                "time-ambiguous",
                pl.format(
                    f"{name} {{}} is in the hour that a clock change repeats: taken as the first of the two",
                    pl.col(name),
                ),
            )
    return {
        "submit_s": read["Submit"].earlier,
        "eligible_s": read["Eligible"].earlier,
        "start_s": start,
        "end_s": end,
    }


def _texts(frame: pl.DataFrame, cluster: str) -> dict[str, pl.Series]:
    """The columns that stay text: NULL or '' where the source has no such column, as raw_sacct says."""

    def said(column: str) -> pl.Series:
        name = _source(frame, column)
        return pl.repeat("", frame.height, eager=True) if name is None else frame[name]

    def or_null(column: str, nothings: Sequence[str]) -> pl.Series:
        name = _source(frame, column)
        if name is None:
            return _nothing(frame.height, pl.String)
        text = frame[name]
        return text.set(text.is_in(nothings), None)

    names = ("account", "user_name", "partition", "qos", "wckey", "reservation", "node_list", "job_name")
    texts = {column: said(column) for column in names}
    texts |= {column: or_null(column, [""]) for column in ("db_index", "sluid")}
    texts["energy"] = or_null("energy", [*BLANK, *SENTINELS_64, *(str(value) for value in SENTINELS_32)])
    own = said("cluster")
    texts["cluster"] = own.set(own == "", cluster)
    texts["state"] = frame["State"].str.strip_chars()
    texts["alloc_tres"] = (
        frame["AllocTRES"] if "AllocTRES" in frame.columns else _nothing(frame.height, pl.String)
    )
    return texts


def typed(frame: pl.DataFrame, *, cluster: str, timezone: str | None) -> Typed:
    """Cast rows of text.

    Args:
        frame: `line` (Int64) and, by sacct's names, the columns of the file that raw_sacct keeps, as text without
            nulls.
        cluster: of rows that name none.
        timezone: IANA zone of wall times, or None.
    """
    is_step = steps(frame)
    step_lines = frame["line"].filter(is_step)
    if is_step.any():
        frame = frame.filter(~is_step)
    faults, findings = _Notes(frame, []), _Notes(frame, [])
    ids = _ids(frame, faults)
    read = _times(frame, timezone, faults, findings)
    elapsed = _needed(frame, "elapsed_s", faults)
    suspended = _needed(frame, "suspended_s", faults)
    numbers = _optional(frame, findings, faults)
    columns = (
        _texts(frame, cluster)
        | _decided(frame, read, elapsed, suspended, findings)
        | numbers
        | {
            "job_id_raw": ids.raw,
            "job_id": ids.shown,
            "elapsed_s": elapsed.values,
            "suspended_s": suspended.values,
        }
    )
    rows = pl.DataFrame({"line": frame["line"]} | {column: columns[column] for column in KEPT})
    fault_rows = faults.all().unique("line", keep="first", maintain_order=True)
    notes = findings.all()
    if fault_rows.height:
        kept = ~pl.col("line").is_in(fault_rows["line"].implode())
        rows, notes = rows.filter(kept), notes.filter(kept)
    naive = _Notes(frame, [])
    for name in _TIMES:
        if name in frame.columns:
            naive.add(read[name].naive, name, pl.col(name))
    return Typed(
        rows=rows,
        steps=step_lines,
        faults=fault_rows,
        findings=notes,
        naive=naive.all(),
        zoned_count=sum(frame.height - one.earlier.null_count() for one in read.values()),
    )
