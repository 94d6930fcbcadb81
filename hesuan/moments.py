"""Moments and spans of time as users type them."""

from __future__ import annotations

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

from models.calendar import midnight_s
from models.errors import HesuanError


def moment(said: str, zone: str) -> int:
    """UTC seconds, from 1970 on, of a day, a wall time in the site's zone, a time with its offset, or epoch seconds.

    Raises:
        HesuanError: `cli.bad_moment`.
    """
    try:
        if re.fullmatch(r"[0-9]{9,12}", said):
            return int(said)
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", said):
            found_s = midnight_s(date.fromisoformat(said), zone)
        else:
            found = datetime.fromisoformat(said)
            found_s = int((found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone))).timestamp())
    except (ValueError, OverflowError) as error:
        raise HesuanError("cli.bad_moment", found=said) from error
    if found_s < 0:
        raise HesuanError("cli.bad_moment", found=said)
    return found_s


def span(said: str, zone: str) -> tuple[int, int]:
    """`START..END` as [start, end) in UTC seconds.

    Raises:
        HesuanError: `cli.bad_moment`, `inventory.bad_covers`.
    """
    start, dots, end = said.partition("..")
    if not dots:
        raise HesuanError("inventory.bad_covers", found=said)
    found = moment(start.strip(), zone), moment(end.strip(), zone)
    if found[0] >= found[1]:
        raise HesuanError("inventory.bad_covers", found=said)
    return found
