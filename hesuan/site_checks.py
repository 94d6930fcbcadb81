"""What can be wrong between the tables of site.toml that are each well-formed: pure checks that return faults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date

from models.patterns import covers_all, matches
from models.site import UNASSIGNED, TenantRule
from models.toml_file import Fault, fault, nearest, shown


def id_faults(ids: Sequence[tuple[str, int]]) -> list[Fault]:
    """Ids of one kind, each with its line: reserved, used twice, or different only in case."""
    faults: list[Fault] = []
    first_of: dict[str, tuple[str, int]] = {}
    for word, line in ids:
        first, first_line = first_of.setdefault(word.lower(), (word, line))
        if word.lower() == UNASSIGNED:
            faults.append(fault(line, "site.id_reserved", value=shown(word)))
        elif first_line != line:
            key = "site.id_twice" if first == word else "site.id_case"
            faults.append(fault(line, key, value=shown(word), first=shown(first), line=first_line))
    return faults


def reference_faults(
    rule: TenantRule,
    line_of: Callable[[str], int],
    projects: Mapping[str, Collection[str]],
    clusters: Collection[str],
) -> list[Fault]:
    """What a rule names and the site does not know.

    Args:
        rule: the rule.
        line_of: the line of one of its keys.
        projects: those that each tenant lists.
        clusters: all of the site; none where they are at fault themselves.
    """
    faults: list[Fault] = []
    listed = projects.get(rule.tenant)
    if listed is None:
        faults.append(_unknown(line_of("tenant"), "site.rule_tenant", rule.tenant, projects))
    elif rule.project and listed and rule.project not in listed:
        faults.append(
            _unknown(line_of("project"), "site.rule_project", rule.project, listed, tenant=rule.tenant)
        )
    if clusters and not any(matches(rule.cluster, cluster) for cluster in clusters):
        faults.append(_unknown(line_of("cluster"), "site.rule_cluster", rule.cluster, clusters))
    return faults


def _unknown(line: int, key: str, word: str, known: Collection[str], **values: object) -> Fault:
    if near := nearest(word, known):
        return fault(line, f"{key}_near", value=shown(word), near=near, **values)
    return fault(line, key, value=shown(word), **values)


def covered_faults(rules: Sequence[TenantRule], lines: Sequence[int]) -> list[Fault]:
    """Rules that an earlier one leaves nothing to match, on any day. `lines`: where each rule stands."""
    return [
        fault(lines[place], "site.rule_covered", line=lines[earlier], tenant=rules[earlier].tenant)
        for place, rule in enumerate(rules)
        if (earlier := _covering(rules[:place], rule)) is not None
    ]


def _covering(earlier: Sequence[TenantRule], rule: TenantRule) -> int | None:
    """Place of the first of `earlier` that takes everything that `rule` could match."""
    return next(
        (
            place
            for place, other in enumerate(earlier)
            if covers_all(_patterns(other), _patterns(rule))
            and (other.valid_from or date.min) <= (rule.valid_from or date.min)
            and (rule.valid_to or date.max) <= (other.valid_to or date.max)
        ),
        None,
    )


def _patterns(rule: TenantRule) -> tuple[str, ...]:
    return rule.cluster, rule.account, rule.wckey, rule.partition, rule.user
