"""What a site says of itself, as domain types. `hesuan/site.py` reads and checks site.toml into these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

UNASSIGNED = "unassigned"

# Generic resources (gres) whose units are whole accelerators, by the word before the type: gres/gpu:a100.
ACCELERATORS = ("gpu", "npu", "dcu", "mlu", "gcu", "xpu", "ppu", "vpu", "hpu", "fpga")


@dataclass(frozen=True)
class Issuer:
    """Who sends the bill: the letterhead and where to object. Empty text where the site did not say."""

    name: str
    name_en: str
    department: str
    address: str
    phone: str
    email: str
    payee_account: str
    dispute_days: int


@dataclass(frozen=True)
class Tenant:
    """Who receives a bill: a group of a unit. Its projects are the level below.

    Attributes:
        tenant: ASCII id, stable for ever; scripts and file names use it.
        user_class: the word that tariffs match, such as `internal`.
    """

    tenant: str
    name: str
    name_en: str
    unit: str
    unit_en: str
    user_class: str
    cost_card: str
    contact: str


@dataclass(frozen=True)
class Project:
    """A project of a tenant, with a cost card of its own where it has one."""

    tenant: str
    project: str
    name: str
    cost_card: str


@dataclass(frozen=True)
class TenantRule:
    """What matches goes to `tenant`; the first rule of the file that matches and is valid on the day wins.

    Attributes:
        order: place in the file, from 0.
        cluster, account, wckey, partition, user: exact words, or patterns with `*`; `*` alone is any.
        project: project of the use; empty: the Slurm account's name.
        valid_from, valid_to: local days, half-open [from, to); None is open.
    """

    order: int
    tenant: str
    project: str
    cluster: str
    account: str
    wckey: str
    partition: str
    user: str
    valid_from: date | None
    valid_to: date | None


@dataclass(frozen=True)
class Site:
    """A site: one directory with site.toml, tariffs.toml and the stores.

    Attributes:
        slot_minutes: 60, 30 or 15.
        accelerators: gres names that count as devices.
        runaway_grace_hours: an open run is held from the bill when it is this much over its time limit.
        runaway_days: the same for an open run whose time limit is unlimited or not known.
    """

    name: str
    name_en: str
    timezone: str
    currency: str
    slot_minutes: int
    clusters: tuple[str, ...]
    accelerators: tuple[str, ...]
    runaway_grace_hours: int
    runaway_days: int
    issuer: Issuer
    tenants: tuple[Tenant, ...]
    projects: tuple[Project, ...]
    rules: tuple[TenantRule, ...]
