"""The sample's files as `hesuan demo` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# A month to compare with (its last days), then the complete one.
PERIODS = ("2026-08", "2026-09")


@dataclass(frozen=True)
class Source:
    """One file of sacct records; `timezone` is None where its times carry their zone."""

    cluster: str
    file: str
    timezone: str | None


SOURCES = (
    Source("cpu1", "sacct-cpu1.txt.gz", None),
    Source("gpu1", "sacct-gpu1.txt.gz", "Asia/Shanghai"),
)


def folder() -> Path:
    """Where the sample lies."""
    return Path(__file__).parent
