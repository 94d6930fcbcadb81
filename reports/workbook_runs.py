"""Sheet 明细: every run of the bill, as far as a sheet holds them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from models.calendar import to_local
from models.words import reason_word
from reports.workbook_cells import EXCEL_EPOCH, Book
from reports.workbook_kit import HEADER_HEIGHT, finish_table, header_format, header_width, limited_width
from reports.workbook_rows import RowKind, RowsSheet, row_styles

# An Excel sheet has 1,048,576 rows; one is the header.
SHEET_RUNS = 1_048_575
# Every zone's clock changes on a quarter of a UTC hour.
QUARTER_S = 900
UNIX_EPOCH_DAYS = (date(1970, 1, 1) - EXCEL_EPOCH).days
COLUMNS: dict[str, RowKind] = {
    "cluster": "text",
    "job_id": "text",
    "job_name": "text",
    "project": "text",
    "account": "text",
    "user": "text",
    "partition": "text",
    "qos": "text",
    "state": "text",
    "submit_s": "moment",
    "start_s": "moment",
    "end_s": "moment",
    "core_hours": "hours",
    "device_hours": "hours",
    "devices": "text",
    "billed_cost": "money",
    "treatment": "text",
}
# Column of the amounts, for formulas over the sheet.
BILLED_COLUMN = "P"
WIDTHS = {"moment": 19, "hours": 12, "money": 13}


def local_serials(seconds: pa.ChunkedArray, zone: str) -> pl.Series:
    """UTC seconds as Excel's days of the wall time in `zone`, Float64; NULL stays NULL.

    The zone is asked once for each quarter of an hour that occurs, not once for each run.
    """
    utc = seconds.fill_null(0).to_numpy()
    quarters, place = np.unique(utc // QUARTER_S, return_inverse=True)
    offsets = np.array([_offset_s(int(quarter) * QUARTER_S, zone) for quarter in quarters], dtype=np.int64)
    serials = pl.Series(UNIX_EPOCH_DAYS + (utc + offsets[place]) / 86_400, dtype=pl.Float64)
    known = pl.Series(seconds.is_valid().to_numpy(), dtype=pl.Boolean)
    return serials.set(~known, None)


def _offset_s(seconds: int, zone: str) -> int:
    offset = to_local(seconds, zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def write_runs(
    sheet: RowsSheet, book: Book, runs: pa.Table, zone: str, *, limit: int = SHEET_RUNS
) -> tuple[int, Decimal]:
    """Write the runs; when there are more than `limit`, the last row says where the rest is.

    Args:
        sheet: a new sheet of `book`.
        book: the open workbook.
        runs: columns as `reports.bill.RunRow` names them, in the order in which they shall stand.
        zone: IANA name, also in the headers of the moments.
        limit: rows under the header, at most `SHEET_RUNS`.

    Returns:
        How many runs were written, and the sum of their amounts.
    """
    shown = runs if runs.num_rows <= limit else runs.slice(0, limit - 1)
    frame = _frame(shown, zone, book)
    rest = None
    if shown.num_rows < runs.num_rows:
        said = book.word("rest", rest=runs.num_rows - shown.num_rows, total=runs.num_rows)
        rest = (said, book.format(bold=True))
    headers = [
        (book.word(f"run_{name}", zone=zone), header_format(book, left=kind in ("text", "moment")))
        for name, kind in COLUMNS.items()
    ]
    for col, (name, kind) in enumerate(COLUMNS.items()):
        body = WIDTHS[kind] if kind in WIDTHS else _text_width(frame[name])
        sheet.set_column(col, col, limited_width(body, header_width(headers[col][0])))
    sheet.put(headers, frame, list(COLUMNS.values()), row_styles(book), height=HEADER_HEIGHT, last_line=rest)
    finish_table(sheet, shown.num_rows, shown.num_rows + (rest is not None), len(COLUMNS))
    return shown.num_rows, pc.sum(shown["billed_cost"]).as_py() or Decimal(0)


def _frame(runs: pa.Table, zone: str, book: Book) -> pl.DataFrame:
    plain = pl.DataFrame(runs.select(list(COLUMNS)))
    treatments = {name: _treatment_word(name, book) for name in plain["treatment"].unique()}
    moments = [
        local_serials(runs[name], zone).alias(name) for name, kind in COLUMNS.items() if kind == "moment"
    ]
    return plain.with_columns(
        *moments, pl.col("treatment").replace_strict(treatments, return_dtype=pl.String)
    )


def _treatment_word(treatment: str, book: Book) -> str:
    """`priced` (or `bill`) is billed; anything else is a reason why it is not, or not wholly."""
    return book.word("billed") if treatment in {"priced", "bill"} else reason_word(treatment, book.lang)


def _text_width(values: pl.Series) -> int:
    """Places of the widest: a Chinese character has three bytes and takes two places."""
    places = (values.str.len_bytes() + values.str.len_chars()) / 2
    widest = places.max()
    return round(widest) if isinstance(widest, float) else 0
