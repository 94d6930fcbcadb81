"""What all commands that write documents share: where to, in which formats, and whether they are drafts."""

from __future__ import annotations

from pathlib import Path

from hesuan.context import Context
from models.errors import HesuanError
from models.ledger import is_closed, ledger_reader


def out_folder(call: Context, period: str, out: Path | None) -> Path:
    """The folder asked for, by default `reports/PERIOD` of the site."""
    return out if out is not None else call.directory / "reports" / period


def asked_formats(said: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The formats of a comma separated list.

    Raises:
        HesuanError: `cli.bad_format`, one that is not `known`, or none at all.
    """
    asked = tuple(word.strip().lower() for word in said.split(",") if word.strip())
    wrong = [word for word in asked if word not in known]
    if wrong or not asked:
        raise HesuanError("cli.bad_format", found=", ".join(wrong) or said, known=", ".join(known))
    return asked


def is_draft(call: Context, period: str) -> bool:
    """Whether the ledger has not closed `period`."""
    with ledger_reader(call.paths.ledger) as con:
        return not is_closed(con, period)
