"""The language of this call, known before the command line is parsed, so that --help speaks it too."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping, Sequence

from models.catalogue import LANGUAGES, text


def language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """`--lang` of the command line, else HESUAN_LANG, else `zh`; words that are no language count as not said."""
    asked = [after for before, after in itertools.pairwise(arguments) if before == "--lang"]
    asked += [word.removeprefix("--lang=") for word in arguments if word.startswith("--lang=")]
    said = [*asked, environment.get("HESUAN_LANG", "")]
    return next((word for word in said if word in LANGUAGES), "zh")


LANGUAGE = language(sys.argv[1:], os.environ)


def words(name: str) -> str:
    """Help text `cli.NAME` in the language of this call."""
    return text(f"cli.{name}", LANGUAGE)
