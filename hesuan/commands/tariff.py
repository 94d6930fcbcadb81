"""`hesuan tariff`: the price book checked, shown, and compared with itself or another."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hesuan.commands.simulate import simulate
from hesuan.commands.tariff_tables import show_difference, show_version
from hesuan.context import Context
from hesuan.language import LANGUAGE, words
from hesuan.tariff_words import Words
from models.catalogue import text
from models.errors import HesuanError
from models.tariff import PriceBook, Tariff
from models.tariff_diff import difference
from models.tariff_file import read_price_book
from models.tariff_hash import said, version_said
from models.tariff_rules import by_kind
from models.tariff_site_checks import site_warnings
from models.toml_file import Fault

FILE_NAME = "tariffs.toml"


def _help(name: str) -> str:
    return text(f"tariff_command.{name}", LANGUAGE)


HELP = _help("help")

app = typer.Typer(no_args_is_help=True)
app.command("simulate", help=words("simulate"))(simulate)

AsJson = Annotated[bool, typer.Option("--json", help=words("json"))]


@app.command("check", help=_help("help_check"))
def check(context: typer.Context, as_json: AsJson = False) -> int:
    """Read site.toml and tariffs.toml, say all that is wrong, then what is there; exit 1 for warnings, 2 for faults."""
    call: Context = context.obj
    book = _sound_book(call)
    if book is None:
        return 2
    warnings = site_warnings(book, call.site)
    if as_json:
        typer.echo(json.dumps(_check_said(book, warnings), ensure_ascii=False))
        return 1 if warnings else 0
    for version in book.versions:
        _say_version(call, version)
    for warning in warnings:
        call.answer(
            "tariff_command.warning",
            path=call.directory / FILE_NAME,
            line=warning.line,
            words=warning.text(call.lang),
        )
    call.say("tariff_command.checked", versions=len(book.versions), warnings=len(warnings))
    return 1 if warnings else 0


def _sound_book(call: Context) -> PriceBook | None:
    """The site's book; None with every fault of both files said, for one may be wrong as the other."""
    faults: list[HesuanError] = []
    try:
        call.site  # noqa: B018 - reading it finds its faults
    except HesuanError as error:
        faults.append(error)
    try:
        book = read_price_book(call.directory / FILE_NAME) if faults else call.book
    except HesuanError as error:
        faults.append(error)
    for each in faults:
        typer.echo(each.text(call.lang), err=True)
    return None if faults else book


def _rule_counts(version: Tariff) -> dict[str, int]:
    return {kind: len(rules) for kind, rules in by_kind(version.rules) if rules}


def _say_version(call: Context, version: Tariff) -> None:
    speak = Words(call.lang, "")
    counts = _rule_counts(version)
    rules = speak.listed(f"{speak.say(f'kind_{kind}')} {count}" for kind, count in counts.items())
    call.say(
        "tariff_command.version",
        version=version.version,
        days=speak.days(version.valid_from, version.valid_to),
        approved_by=version.approved_by,
        rows=len(version.prices),
        rules=rules or speak.say("no_rules"),
        hash=version.sha256[:12],
    )


def _check_said(book: PriceBook, warnings: Iterable[Fault]) -> dict[str, object]:
    return {
        "currency": book.currency,
        "versions": [
            {
                "id": version.version,
                "valid_from": said(version.valid_from),
                "valid_to": said(version.valid_to),
                "approved_by": version.approved_by,
                "rows": len(version.prices),
                "rules": _rule_counts(version),
                "sha256": version.sha256,
            }
            for version in book.versions
        ],
        "warnings": [
            {"line": warning.line, "key": warning.key, "zh": warning.text("zh"), "en": warning.text("en")}
            for warning in warnings
        ],
    }


@app.command("show", help=_help("help_show"))
def show(
    context: typer.Context,
    version: Annotated[str | None, typer.Argument(metavar="VERSION", help=_help("help_version"))] = None,
    as_json: AsJson = False,
) -> None:
    """Show the book, or one version: prices, then rules in the order in which they act."""
    call: Context = context.obj
    book = call.book
    chosen = book.versions if version is None else (_version_of(book, version, call.directory / FILE_NAME),)
    if as_json:
        listed = [version_said(each, book.currency) | {"sha256": each.sha256} for each in chosen]
        typer.echo(json.dumps(listed, ensure_ascii=False))
        return
    for each in chosen:
        show_version(each, book.currency, call.lang)


def _version_of(book: PriceBook, name: str, path: Path) -> Tariff:
    found = next((version for version in book.versions if version.version == name), None)
    if found is None:
        known = ", ".join(version.version for version in book.versions)
        raise HesuanError("tariff_command.no_version", version=name, path=path, known=known)
    return found


@app.command("diff", help=_help("help_diff"))
def diff(
    context: typer.Context,
    old: Annotated[str, typer.Argument(metavar="A", help=_help("help_old"))],
    new: Annotated[str | None, typer.Argument(metavar="B", help=_help("help_new"))] = None,
    other: Annotated[Path | None, typer.Option("--book", help=_help("help_book"))] = None,
    as_json: AsJson = False,
) -> None:
    """Show what version B changes of version A: terms, rows and rules, old and new price and percent."""
    call: Context = context.obj
    if new is None and other is None:
        raise HesuanError("tariff_command.diff_one", version=old)
    book = call.book
    other_book = call.read_book(other) if other else book
    if other and other_book.currency != book.currency:
        raise HesuanError(
            "tariff_command.other_currency", path=other, book=other_book.currency, site=book.currency
        )
    here = call.directory / FILE_NAME
    pair = _version_of(book, old, here), _version_of(other_book, new or old, other or here)
    found = difference(*pair)
    if not as_json:
        show_difference(pair, found, book.currency, call.lang)
        return
    typer.echo(
        json.dumps(
            {
                "old": {"id": pair[0].version, "sha256": pair[0].sha256},
                "new": {"id": pair[1].version, "sha256": pair[1].sha256},
                "terms": said(found.terms),
                "prices": said(found.prices),
                "rules": said(found.rules),
                "reordered": said(found.reordered),
            },
            ensure_ascii=False,
        )
    )
