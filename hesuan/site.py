"""Reads site.toml into a `Site`, and explains everything that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path

from hesuan.site_checks import covered_faults, id_faults, reference_faults
from hesuan.site_tables import (
    HOMES,
    PARTS,
    ClusterTable,
    IssuerTable,
    ProjectTable,
    RuleTable,
    RunawayTable,
    SiteTable,
    TenantTable,
)
from models.errors import HesuanError
from models.site import Issuer, Project, Site, Tenant, TenantRule
from models.toml_file import Table, TomlError, TomlFile, read_toml
from models.toml_source import TomlPath

FILE_NAME = "site.toml"

Rows = list[tuple[TomlPath, Table]]


def read_site(directory: Path) -> Site:
    """The site that `directory` holds, from its site.toml.

    Raises:
        HesuanError: no site.toml there, or it cannot be read.
        TomlError: anything in it is wrong; each fault with its line and the fix.
    """
    path = directory / FILE_NAME
    file = read_toml(path, HOMES, no_file=HesuanError("site.no_file", directory=directory))
    head = file.check(SiteTable, (), file.data, nested=PARTS)
    runaway = file.check(RunawayTable, *file.part(file.data, "runaway", ()))
    issuer = file.check(IssuerTable, *file.part(file.data, "issuer", ()))
    clusters = _clusters(file)
    tenants, projects, listed = _tenants(file)
    rules = _rules(file, listed, clusters)
    if file.faults or not (head and runaway and issuer):
        raise TomlError(path, file.faults)
    return Site(
        name=head.name,
        name_en=head.name_en,
        timezone=head.timezone,
        currency=head.currency,
        slot_minutes=head.slot_minutes,
        clusters=clusters,
        accelerators=tuple(head.accelerators),
        runaway_grace_hours=runaway.grace_hours,
        runaway_days=runaway.days,
        issuer=_issuer(issuer, head),
        tenants=tenants,
        projects=projects,
        rules=rules,
    )


def _issuer(row: IssuerTable, site: SiteTable) -> Issuer:
    return Issuer(
        name=row.name or site.name,
        name_en=row.name_en or ("" if row.name else site.name_en),
        department=row.department,
        address=row.address,
        phone=row.phone,
        email=row.email,
        payee_account=row.payee_account,
        dispute_days=row.dispute_days,
    )


def _clusters(file: TomlFile) -> tuple[str, ...]:
    """Names of the clusters; none where one is at fault, so that rules that mean it are not blamed."""
    tables = list(file.rows(file.data, "clusters", ()))
    names = tuple(row.name for at, table in tables if (row := file.check(ClusterTable, at, table)))
    if not file.data.get("clusters") and ("clusters",) not in file.meant:
        file.add((), "site.no_cluster")
    file.faults += id_faults(_ids(file, tables, "name"))
    return names if len(names) == len(tables) else ()


def _tenants(file: TomlFile) -> tuple[tuple[Tenant, ...], tuple[Project, ...], dict[str, list[str]]]:
    """Tenants, projects, and the projects that each tenant lists, those at fault too."""
    tables = list(file.rows(file.data, "tenants", ()))
    tenants: list[Tenant] = []
    projects: list[Project] = []
    listed: dict[str, list[str]] = {}
    for at, table in tables:
        row = file.check(TenantTable, at, table, nested=("projects",))
        rows = list(file.rows(table, "projects", at))
        file.faults += id_faults(_ids(file, rows, "id"))
        listed |= {tenant: _words(rows, "id") for tenant in _words([(at, table)], "id")}
        found = [file.check(ProjectTable, place, project) for place, project in rows]
        if row:
            tenants.append(_tenant(row))
            projects += [Project(row.id, p.id, p.name or p.id, p.cost_card) for p in found if p]
    file.faults += id_faults(_ids(file, tables, "id"))
    return tuple(tenants), tuple(projects), listed


def _tenant(row: TenantTable) -> Tenant:
    return Tenant(
        tenant=row.id,
        name=row.name,
        name_en=row.name_en,
        unit=row.unit,
        unit_en=row.unit_en,
        user_class=row.user_class,
        cost_card=row.cost_card,
        contact=row.contact,
    )


def _rules(
    file: TomlFile, projects: Mapping[str, Collection[str]], clusters: Collection[str]
) -> tuple[TenantRule, ...]:
    """The rules in the file's order, checked against each other and what they name."""
    rules: list[TenantRule] = []
    lines: list[int] = []
    for order, (at, table) in enumerate(file.rows(file.data, "rules", ())):
        row = file.check(RuleTable, at, table)
        if not row:
            continue
        rule = TenantRule(order=order, **dict(row))
        file.check_days(at, rule.valid_from, rule.valid_to)
        file.faults += reference_faults(rule, partial(_line, file, at), projects, clusters)
        rules.append(rule)
        lines.append(file.line(at))
    file.faults += covered_faults(rules, lines)
    return tuple(rules)


def _line(file: TomlFile, at: TomlPath, key: str) -> int:
    return file.line((*at, key))


def _ids(file: TomlFile, rows: Rows, key: str) -> list[tuple[str, int]]:
    return [(word, file.line((*at, key))) for at, table in rows if isinstance(word := table.get(key), str)]


def _words(rows: Iterable[tuple[TomlPath, Table]], key: str) -> list[str]:
    return [word for _, table in rows if isinstance(word := table.get(key), str)]
