"""Reads tariffs.toml into a price book, and explains everything that is wrong with it at once.

The order of keys says nothing; the order of price rows does, the first row that matches wins. Among the patterns of
[version.suspended] the one with more letters wins, for keys of a table have no order in TOML. Rules beyond plain prices
are read by `models/tariff_rules_file.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path

from models.errors import HesuanError
from models.site import ACCELERATORS
from models.tariff import RUN_STATES, Price, PriceBook, Tariff, Treatment, Vat
from models.tariff_checks import (
    closest_first,
    price_faults,
    resource_fault,
    slot_faults,
    unit_fault,
    version_faults,
)
from models.tariff_hash import version_hash
from models.tariff_rule_reader import Ground
from models.tariff_rules_checks import carry_faults, idle_faults
from models.tariff_rules_file import read_rules
from models.tariff_tables import (
    HOMES,
    PLAIN_HOMES,
    VERSION_PARTS,
    BookTable,
    PriceTable,
    VatTable,
    VersionTable,
)
from models.toml_file import Table, TomlError, TomlFile, read_toml, shown
from models.toml_source import TomlPath
from models.units import unit_of

TREATMENTS: tuple[Treatment, ...] = ("bill", "refund", "free")
SUSPENDED_TREATMENTS: tuple[Treatment, ...] = ("bill", "free")

Treatments = tuple[tuple[str, Treatment], ...]


def read_price_book(
    path: Path,
    accelerators: Collection[str] = ACCELERATORS,
    *,
    tenants: Collection[str] | None = None,
    slot_minutes: int | None = None,
) -> PriceBook:
    """The price book that `path` (tariffs.toml) says.

    Args:
        path: the file.
        accelerators: words before the colon of a device, as the site has them: `gpu` of `gpu:a100`.
        tenants: ids of the site's tenants, for rules that name one; None: not checked.
        slot_minutes: the site's accounting slot, on which time bands must begin and end; None: not checked.

    Raises:
        HesuanError: no such file, or it cannot be read.
        TomlError: anything in it is wrong; each fault with its line and the fix.
    """
    file = read_toml(path, HOMES, no_file=HesuanError("tariff.no_file", path=path, directory=path.parent))
    head = file.check(BookTable, (), file.data, nested=("vat", "version"))
    currency = head.currency if head else ""
    tables = list(file.rows(file.data, "version", ()))
    ground = Ground(None, accelerators, tenants)
    read = [_version(file, at, table, currency, ground) for at, table in tables]
    versions = sorted((version for version in read if version), key=lambda version: version.valid_from)
    if not file.data.get("version") and ("version",) not in file.meant:
        file.add((), "tariff.no_version")
    in_time = version_faults(versions, complete=len(versions) == len(tables))
    file.faults += in_time
    vat = _vat(file, versions)
    book = PriceBook(currency, _closed(versions), vat)
    file.faults += carry_faults(versions)
    if not in_time:
        file.faults += idle_faults(book.versions)
    if slot_minutes:
        file.faults += slot_faults(book, slot_minutes)
    if file.faults:
        raise TomlError(path, file.faults)
    return book


def _closed(versions: Sequence[Tariff]) -> tuple[Tariff, ...]:
    """Versions in order of time, an open one ended where the next begins."""
    return tuple(
        replace(version, valid_to=version.valid_to or (following and following.valid_from))
        for version, following in zip_longest(versions, versions[1:])
    )


def _vat(file: TomlFile, versions: Sequence[Tariff]) -> tuple[Vat, ...]:
    """The tax rates in order of time, the first not later than the first version."""
    tables = list(file.rows(file.data, "vat", ()))
    rates: list[Vat] = []
    for at, table in tables:
        row = file.check(VatTable, at, table)
        if not row:
            continue
        if row.mode == "none" and row.rate is not None:
            file.add((*at, "rate"), "tariff.vat_none_rate", value=shown(table["rate"]))
        if row.mode != "none" and row.rate is None:
            file.add(at, "toml.missing", name="rate")
        if rates and row.valid_from <= rates[-1].valid_from:
            file.add(
                (*at, "valid_from"),
                "tariff.vat_order",
                valid_from=row.valid_from,
                before=rates[-1].valid_from,
            )
        elif rates and row.valid_from.day != 1:
            file.add((*at, "valid_from"), "tariff.vat_month", valid_from=row.valid_from)
        rates.append(Vat(row.valid_from, row.mode, row.rate or Decimal(0)))
    if not file.data.get("vat") and ("vat",) not in file.meant:
        file.add((), "tariff.no_vat")
    elif rates and versions and len(rates) == len(tables) and rates[0].valid_from > versions[0].valid_from:
        file.add(
            ("vat", 0, "valid_from"),
            "tariff.vat_late",
            valid_from=rates[0].valid_from,
            version=versions[0].version,
            begins=versions[0].valid_from,
        )
    return tuple(rates)


def _version(file: TomlFile, at: TomlPath, table: Table, currency: str, ground: Ground) -> Tariff | None:
    """One [[version]] with its tables; None where its own keys are at fault."""
    head = file.check(VersionTable, at, table, nested=VERSION_PARTS)
    prices = _prices(file, at, table, ground.accelerators)
    runs = _treatments(file, *file.part(table, "runs", at), RUN_STATES)
    suspended = _suspended(file, *file.part(table, "suspended", at), ground.accelerators)
    rules = read_rules(file, at, table, replace(ground, items=_items(table, prices)))
    if not head:
        return None
    in_order = file.check_days(at, head.valid_from, head.valid_to)
    for index, word in enumerate(head.not_priced):
        _check_resource(file, (*at, "not_priced", index), word, ground.accelerators)
    version = Tariff(
        version=head.id,
        valid_from=head.valid_from,
        valid_to=head.valid_to,
        approved_by=head.approved_by,
        quantity_decimals=head.quantity_decimals,
        prices=prices,
        runs=runs,
        suspended=suspended,
        not_priced=tuple(sorted(set(head.not_priced))),
        sha256="",
        line_no=file.line(at),
        rules=rules,
    )
    return replace(version, sha256=version_hash(version, currency)) if in_order else None


def _prices(file: TomlFile, at: TomlPath, table: Table, accelerators: Collection[str]) -> tuple[Price, ...]:
    """The rows of [[version.price]] that are well-formed, checked against each other."""
    rows = file.rows(table, "price", at)
    prices = tuple(price for place, row in rows if (price := _price(file, place, row, accelerators)))
    if not table.get("price") and (*at, "price") not in file.meant:
        file.add(at, "tariff.no_price")
    file.faults += price_faults(prices)
    return prices


def _items(table: Table, prices: Sequence[Price]) -> dict[str, str] | None:
    """The items of a version with their units; None where a row could not be read, or there is none."""
    rows = table.get("price")
    if not prices or not isinstance(rows, list) or len(rows) > len(prices):
        return None
    return {price.item: unit_of(price.resource).unit for price in prices}


def _price(file: TomlFile, at: TomlPath, table: Table, accelerators: Collection[str]) -> Price | None:
    row = file.check(PriceTable, at, table)
    if not row or not _check_resource(file, (*at, "resource"), row.resource, accelerators):
        return None
    if wrong_unit := unit_fault(row.resource, row.unit, file.line((*at, "unit"))):
        file.faults.append(wrong_unit)
    return Price(
        item=row.item,
        name=row.name,
        name_en=row.name_en or row.name,
        cluster=row.cluster,
        partition=row.partition,
        qos=row.qos,
        resource=row.resource,
        user_class=row.user_class,
        list_price=row.list_price,
        price=row.list_price if row.price is None else row.price,
        line_no=file.line(at),
    )


def _check_resource(file: TomlFile, at: TomlPath, word: str, accelerators: Collection[str]) -> bool:
    wrong = resource_fault(word, accelerators, file.line(at))
    if wrong:
        file.faults.append(wrong)
    return not wrong


def _treatments(file: TomlFile, at: TomlPath, table: Table, known: Collection[str]) -> Treatments:
    """[version.runs] in the order of the alphabet."""
    for state in table:
        if state not in known:
            file.add_unknown((*at, state), state, known)
    return _checked(file, at, {state: table[state] for state in sorted(table) if state in known}, TREATMENTS)


def _suspended(file: TomlFile, at: TomlPath, table: Table, accelerators: Collection[str]) -> Treatments:
    """[version.suspended], patterns with more letters and fewer stars first: so the closest match comes first."""
    known: list[str] = []
    for word in table:
        place = (*at, word)
        if word == "cpu":
            file.add(place, "tariff.suspended_cpu")
        elif any(word in keys for keys in PLAIN_HOMES.values()):
            file.add_unknown(place, word, ())
        elif word == "*" or _check_resource(file, place, word, accelerators):
            known.append(word)
    return _checked(file, at, {word: table[word] for word in closest_first(known)}, SUSPENDED_TREATMENTS)


def _checked(file: TomlFile, at: TomlPath, table: Table, choices: tuple[Treatment, ...]) -> Treatments:
    """The pairs of `table` whose treatment is one of `choices`."""
    for word, treatment in table.items():
        if treatment not in choices:
            file.add((*at, word), "toml.choice", name=word, value=shown(treatment), choices=choices)
    return tuple((word, treatment) for word, treatment in table.items() if treatment in choices)
