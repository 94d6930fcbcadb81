"""What the price book names against what the site has: nothing here stops a bill, but somebody should look at it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from models.patterns import matches
from models.site import UNASSIGNED, Site
from models.tariff import PriceBook, Tariff
from models.tariff_rules import Factor, Meter, Quota
from models.toml_file import Fault, fault


def site_warnings(book: PriceBook, site: Site) -> tuple[Fault, ...]:
    """Warnings in the order of the lines of tariffs.toml: another currency, words that nothing in the site matches."""
    found = [each for version in book.versions for each in _version_warnings(version, site)]
    if book.currency != site.currency:
        found.append(fault(1, "tariff.site_currency", book=book.currency, site=site.currency))
    return tuple(sorted(found, key=lambda warning: warning.line))


def _version_warnings(version: Tariff, site: Site) -> Iterator[Fault]:
    classes = tuple(dict.fromkeys([*(tenant.user_class for tenant in site.tenants), UNASSIGNED]))
    tenants = [*(tenant.tenant for tenant in site.tenants), UNASSIGNED]
    for name, cluster, user_class, line in _places(version):
        if not _means(cluster, site.clusters):
            yield fault(line, "tariff.site_cluster", name=name, word=cluster, known=site.clusters)
        if not _means(user_class, classes):
            yield fault(line, "tariff.site_user_class", name=name, word=user_class, known=classes)
    granted: tuple[Factor | Quota, ...] = (*version.rules.factors, *version.rules.quotas)
    for rule in granted:
        for word in rule.tenants:
            if not _means(word, tenants):
                yield fault(rule.line_no, "tariff.site_tenants", name=rule.name, word=word)


def _places(version: Tariff) -> Iterator[tuple[str, str, str, int]]:
    """Name, cluster, user class and line of everything that says where it applies."""
    for price in version.prices:
        yield price.item, price.cluster, price.user_class, price.line_no
    placed: tuple[Meter | Factor, ...] = (*version.rules.meters, *version.rules.factors)
    for rule in placed:
        yield rule.name, rule.place.cluster, rule.place.user_class, rule.line_no
    for part in version.rules.contributions:
        yield part.name, part.cluster, "*", part.line_no


def _means(pattern: str, words: Collection[str]) -> bool:
    return any(matches(pattern, word) for word in words)
