"""What every command knows: the site's directory, the language, how much to say, who asks and when."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hesuan.site import FILE_NAME, read_site
from models.build import SitePaths
from models.calendar import period
from models.catalogue import text
from models.errors import HesuanError
from models.site import Site
from models.tariff import PriceBook
from models.tariff_file import read_price_book


@dataclass
class Context:
    """One call of the command.

    Attributes:
        directory: the site.
        lang: `zh` or `en`.
        quiet: say nothing but results that were asked for and errors.
    """

    directory: Path
    lang: str
    quiet: bool

    @cached_property
    def paths(self) -> SitePaths:
        """Where the site keeps its stores."""
        return SitePaths(self.directory)

    @cached_property
    def site(self) -> Site:
        """What site.toml says."""
        return read_site(self.directory)

    @cached_property
    def book(self) -> PriceBook:
        """What tariffs.toml says."""
        return self.read_book(self.directory / "tariffs.toml")

    def read_book(self, path: Path) -> PriceBook:
        """What a price book says, checked against the site: its devices, tenants and accounting slot."""
        tenants = tuple(tenant.tenant for tenant in self.site.tenants)
        return read_price_book(
            path, self.site.accelerators, tenants=tenants, slot_minutes=self.site.slot_minutes
        )

    @cached_property
    def now_s(self) -> int:
        """The moment of the call, UTC seconds."""
        return int(time.time())

    @cached_property
    def who(self) -> str:
        """The operating-system account that calls."""
        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            return f"uid {os.getuid()}"

    def say(self, key: str, **values: object) -> None:
        """Print a text of the catalogue, unless --quiet."""
        if not self.quiet:
            self.answer(key, **values)

    def answer(self, key: str, **values: object) -> None:
        """Print a text of the catalogue that was asked for, --quiet or not: a line stays a line, whatever its length."""
        typer.echo(text(key, self.lang, **values))

    def month(self, said: str) -> str:
        """The billing period that a command was given, for commands that read a mart.

        What site.toml says does not matter here: a bill can be printed while next month's rules are being written.

        Raises:
            HesuanError: the directory is no site, or `said` is no month.
        """
        if not (self.directory / FILE_NAME).exists():
            raise HesuanError("site.no_file", directory=self.directory)
        return period(said, "UTC").name

    @contextmanager
    def progress(self, key: str) -> Iterator[Advance]:
        """A progress bar on the terminal for the length of the block; nothing where there is no terminal."""
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        shown = not self.quiet and console.is_terminal
        with Progress(*columns, console=console, disable=not shown, transient=True) as bar:
            yield Advance(bar, text(key, self.lang))


class Advance:
    """Moves one progress bar."""

    def __init__(self, bar: Progress, words: str) -> None:
        self._bar = bar
        self._words = words
        self._task = bar.add_task(words, total=None)

    def to(self, done: int, total: int, what: str = "") -> None:
        """`done` of `total`, with a word on what is being done."""
        self._bar.update(
            self._task, completed=done, total=total, description=f"{self._words} {what}".rstrip()
        )
