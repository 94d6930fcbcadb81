"""Versions of the price book, and what differs between two, as tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from hesuan.tariff_words import Words
from models.format import UNKNOWN, change
from models.tariff import Price, Tariff
from models.tariff_diff import Difference, PriceChange, RuleChange, changed_fields
from models.tariff_rules import Rule, by_kind
from models.units import unit_of
from models.words import state_word, unit_word

# Where no terminal says how wide it is, nothing is cut.
FILE_WIDTH = 400


def _console() -> Console:
    return Console(
        width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False, markup=False, emoji=False
    )


def _table(speak: Words, columns: Sequence[str], right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(speak.say(f"column_{name}"), justify="right" if name in right else "left")
    return table


def show_version(version: Tariff, currency: str, lang: str) -> None:
    """Print one version: its terms, its prices, its rules in the order in which they act."""
    speak, console = Words(lang, currency), _console()
    _print_head(console, speak, version)
    for line in _terms(speak, version, lang):
        console.print(line)
    console.print()
    console.print(_prices(speak, version.prices, lang))
    console.print()
    rules = [(kind, rule) for kind, kind_rules in by_kind(version.rules) for rule in kind_rules]
    if rules:
        console.print(speak.say("rules_title"))
        table = _table(speak, ("rule", "name", "scope", "effect"))
        for kind, rule in rules:
            table.add_row(speak.say(f"kind_{kind}"), speak.name(rule), speak.scope(rule), speak.effect(rule))
        console.print(table)
        console.print()


def _print_head(console: Console, speak: Words, version: Tariff) -> None:
    console.print(
        speak.say(
            "head",
            version=version.version,
            days=speak.days(version.valid_from, version.valid_to),
            hash=version.sha256,
        )
    )


def _terms(speak: Words, version: Tariff, lang: str) -> list[str]:
    runs = speak.listed(
        f"{state_word(state, lang)} {speak.say(f'treatment_{treatment}')}"
        for state, treatment in version.runs
    )
    suspended = speak.listed(
        f"{pattern} {speak.say(f'treatment_{treatment}')}" for pattern, treatment in version.suspended
    )
    terms = {
        "approved_by": version.approved_by,
        "quantity_decimals": version.quantity_decimals,
        "not_priced": speak.value(version.not_priced),
        "runs": runs or UNKNOWN,
        "suspended": suspended or UNKNOWN,
    }
    return [speak.say(f"term_{name}", value=value) for name, value in terms.items()]


def _prices(speak: Words, prices: Sequence[Price], lang: str) -> Table:
    table = _table(
        speak, ("item", "name", "resource", "unit", "place", "list_price", "price"), ("list_price", "price")
    )
    for price in prices:
        table.add_row(
            price.item,
            speak.name(price),
            price.resource,
            unit_word(unit_of(price.resource).unit, lang),
            speak.row_place(price),
            speak.money(price.list_price),
            speak.money(price.price),
        )
    return table


def show_difference(pair: tuple[Tariff, Tariff], found: Difference, currency: str, lang: str) -> None:
    """Print what differs between the two versions of `pair`."""
    speak, console = Words(lang, currency), _console()
    for version in pair:
        _print_head(console, speak, version)
    if not found:
        console.print(speak.say("diff_none"))
        return
    if found.terms:
        table = _table(speak, ("term", "old", "new"))
        for term in found.terms:
            table.add_row(term.term, speak.value(term.old), speak.value(term.new))
        _print_part(console, speak.say("diff_terms"), table)
    if found.prices:
        _print_part(console, speak.say("diff_prices"), _price_changes(speak, found.prices))
    if found.rules:
        _print_part(console, speak.say("diff_rules"), _rule_changes(speak, found.rules))
    if found.reordered:
        kinds = speak.listed(speak.say(f"kind_{kind}") for kind in found.reordered)
        console.print(speak.say("diff_reordered", kinds=kinds))


def _print_part(console: Console, title: str, table: Table) -> None:
    console.print()
    console.print(title)
    console.print(table)


def _price_changes(speak: Words, changes: Sequence[PriceChange]) -> Table:
    columns = (
        "what",
        "item",
        "name",
        "resource",
        "place",
        "list_old",
        "list_new",
        "price_old",
        "price_new",
        "percent",
        "fields",
    )
    table = _table(speak, columns, columns[5:-1])
    for each in changes:
        row = each.new or each.old
        if row is None:
            continue
        before = [each.old.list_price, each.old.price] if each.old else [None, None]
        after = [each.new.list_price, each.new.price] if each.new else [None, None]
        table.add_row(
            speak.say(_what(each)),
            row.item,
            speak.name(row),
            row.resource,
            speak.row_place(row),
            *(
                UNKNOWN if amount is None else speak.money(amount)
                for pair in zip(before, after, strict=True)
                for amount in pair
            ),
            change(after[1], before[1]) if after[1] is not None else UNKNOWN,
            speak.value(changed_fields(each)),
        )
    return table


def _rule_changes(speak: Words, changes: Sequence[RuleChange]) -> Table:
    table = _table(speak, ("what", "rule", "name", "old", "new", "fields"))
    for each in changes:
        table.add_row(
            speak.say(_what(each)),
            speak.say(f"kind_{each.kind}"),
            each.name,
            *(_rule_text(speak, rule) for rule in (each.old, each.new)),
            speak.value(changed_fields(each)),
        )
    return table


def _rule_text(speak: Words, rule: Rule | None) -> str:
    return UNKNOWN if rule is None else speak.join([speak.scope(rule), speak.effect(rule)])


def _what(each: PriceChange | RuleChange) -> str:
    if each.old is None:
        return "added"
    return "removed" if each.new is None else "changed"
