"""The sample site's two months, the figures worked out for them, and how its tables are read back."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from sample_data.expected import expected

PERIODS = ("2026-08", "2026-09")
SEPTEMBER = "2026-09"
Rows = list[dict[str, str]]


def rows_of(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def said_of(period: str) -> dict[str, Any]:
    found: dict[str, Any] = expected()["periods"][period]
    return found


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
