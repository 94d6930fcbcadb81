"""All bills of a period in the formats asked for, over the machine's cores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from decimal import Decimal
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

import duckdb

from models.calendar import month_before
from models.mart import mart_path, mart_reader, open_mart, read_manifest
from reports.bill import Bill
from reports.files import write_table
from reports.load import load_bills, net_amounts
from reports.paper.bill import write_bill
from reports.tables import lines, runs
from reports.workbook import write_bill_workbook

FORMATS = ("pdf", "xlsx", "csv", "parquet")

# Bills that one process writes in a go: enough to pay for opening the mart, few enough to share evenly.
GROUP = 25


def write_bills(
    marts: Path,
    period: str,
    asked: Sequence[str],
    out: Path,
    *,
    formats: Sequence[str],
    lang: str,
    draft: bool,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Path, ...]:
    """Write the bills of the tenants `asked` for into `out`; gives the files in order of tenant and format.

    A bill is NUMBER.pdf and NUMBER.xlsx; its lines and every run are NUMBER-lines and NUMBER-runs as csv or parquet.
    More than a few bills are written by as many processes as there are cores.
    """
    mart = mart_path(marts, period)  # one for all of them, also where a build publishes another meanwhile
    groups = [tuple(asked[n : n + GROUP]) for n in range(0, len(asked), GROUP)]
    previous = _previous(marts, period)
    written: dict[int, tuple[Path, ...]] = {}

    def done(n: int, paths: tuple[Path, ...]) -> None:
        written[n] = paths
        if progress:
            progress(sum(len(groups[n]) for n in written), len(asked))

    workers = min(len(groups), os.cpu_count() or 1)
    if workers <= 1:
        for n, group in enumerate(groups):
            done(n, _write_group(mart, period, group, out, formats, lang, draft, previous))
    else:
        # DuckDB and its threads do not survive a fork.
        with ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=_end_with_parent
        ) as pool:
            jobs = {
                pool.submit(_write_group, mart, period, group, out, formats, lang, draft, previous): n
                for n, group in enumerate(groups)
            }
            for job in as_completed(jobs):
                done(jobs[job], job.result())
    return tuple(path for n in sorted(written) for path in written[n])


def _end_with_parent() -> None:
    """See to it that a process of the pool ends when the one that asked is killed: it would wait for work for ever."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def _previous(marts: Path, period: str) -> dict[str, Decimal] | None:
    """Net amounts of the month before; None where it was never built."""
    before = month_before(period)
    if before not in read_manifest(marts):
        return None
    with mart_reader(marts, before) as con:
        return net_amounts(con)


def _write_group(
    mart: Path,
    period: str,
    group: Sequence[str],
    out: Path,
    formats: Sequence[str],
    lang: str,
    draft: bool,
    previous: dict[str, Decimal] | None,
) -> tuple[Path, ...]:
    with open_mart(mart, period) as con:
        return tuple(
            path
            for bill in load_bills(con, group, draft=draft, previous=previous)
            for path in _write_one(con, bill, out, formats, lang)
        )


def _write_one(
    con: duckdb.DuckDBPyConnection, bill: Bill, out: Path, formats: Sequence[str], lang: str
) -> Iterator[Path]:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", bill.number)
    out.mkdir(parents=True, exist_ok=True)
    if "pdf" in formats:
        path = out / f"{name}.pdf"
        write_bill(bill, path, lang)
        yield path
    every_run = runs(con, bill.payer.tenant) if {"xlsx", "csv", "parquet"} & set(formats) else None
    if "xlsx" in formats and every_run is not None:
        path = out / f"{name}.xlsx"
        write_bill_workbook(bill, every_run, path, lang)
        yield path
    for suffix in ("csv", "parquet"):
        if suffix in formats and every_run is not None:
            for kind, table in (("lines", lines(con, bill.payer.tenant)), ("runs", every_run)):
                path = out / f"{name}-{kind}.{suffix}"
                write_table(table, path, kind)
                yield path
