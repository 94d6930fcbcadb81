"""The tables of site.toml: which keys each may hold, and what is left out."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field

from models.site import ACCELERATORS
from models.toml_fields import Currency, Day, Filled, Pattern, Word, one_of, refusal, within
from models.toml_file import TomlTable, nearest

# How people write the zone of China when they do not write its IANA name.
_CHINA = ("beijing", "peking", "china", "shanghai", "北京", "上海", "中国", "cst", "+8", "+08", "prc")


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        near = nearest_zone(name)
        raise refusal("site.zone_near", near=near) if near else refusal("site.zone") from error
    return name


def nearest_zone(name: str) -> str | None:
    """The IANA zone that `name` was likely meant to be."""
    if any(word in name.lower() for word in _CHINA):
        return "Asia/Shanghai"
    zones = available_timezones()
    by_city = {zone.rpartition("/")[2].lower(): zone for zone in sorted(zones)}
    return by_city.get(name.lower()) or nearest(name, zones) or by_city.get(nearest(name, by_city) or "")


Zone = Annotated[str, AfterValidator(_zone)]
"""An IANA time zone."""


class SiteTable(TomlTable):
    """The file's beginning."""

    name: Filled
    name_en: str = ""
    timezone: Zone = "Asia/Shanghai"
    currency: Currency = "CNY"
    slot_minutes: Annotated[int, BeforeValidator(one_of(60, 30, 15))] = 60
    accelerators: list[Word] = Field(default=list(ACCELERATORS))


class RunawayTable(TomlTable):
    """[runaway]: from when on an open run is held from the bill."""

    grace_hours: Annotated[int, AfterValidator(within(0, 8760))] = 24
    days: Annotated[int, AfterValidator(within(1, 3660))] = 60


class IssuerTable(TomlTable):
    """[issuer]: who sends the bill; names left out are the site's."""

    name: str = ""
    name_en: str = ""
    department: str = ""
    address: str = ""
    phone: str = ""
    email: str = ""
    payee_account: str = ""
    dispute_days: Annotated[int, AfterValidator(within(1, 366))] = 10


class ClusterTable(TomlTable):
    """[[clusters]]."""

    name: Word


class TenantTable(TomlTable):
    """[[tenants]] without its projects."""

    id: Word
    name: Filled
    name_en: str = ""
    unit: str = ""
    unit_en: str = ""
    user_class: Word = "internal"
    cost_card: str = ""
    contact: str = ""


class ProjectTable(TomlTable):
    """[[tenants.projects]]; `name` left out is the id."""

    id: Word
    name: str = ""
    cost_card: str = ""


class RuleTable(TomlTable):
    """[[rules]]: days are half-open [valid_from, valid_to)."""

    tenant: Filled
    project: str = ""
    cluster: Pattern = "*"
    account: Pattern = "*"
    wckey: Pattern = "*"
    partition: Pattern = "*"
    user: Pattern = "*"
    valid_from: Day | None = None
    valid_to: Day | None = None


PARTS = ("runaway", "issuer", "clusters", "tenants", "rules")

HOMES = {
    "": tuple(SiteTable.model_fields),
    "[runaway]": tuple(RunawayTable.model_fields),
    "[issuer]": tuple(IssuerTable.model_fields),
    "[[clusters]]": tuple(ClusterTable.model_fields),
    "[[tenants]]": tuple(TenantTable.model_fields),
    "[[tenants.projects]]": tuple(ProjectTable.model_fields),
    "[[rules]]": tuple(RuleTable.model_fields),
}
"""Kinds of table as headers -> their keys, outer ones first: where a key belongs that stands elsewhere."""
