"""The one catalogue of what users read, Chinese and English: TOML files beside this module.

A key is `file.name`: `bill.title` stands in bill.toml under [title] as `zh` and `en`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

LANGUAGES = ("zh", "en")


@cache
def entries() -> dict[str, dict[str, str]]:
    """All texts: key -> language -> template with {names}."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            room = file.name.removesuffix(".toml")
            for name, languages in tomllib.loads(file.read_text(encoding="utf-8")).items():
                found[f"{room}.{name}"] = languages
    return found


def text(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang` (`zh` or `en`), its {names} filled in.

    Raises:
        KeyError: the key, the language or a value that the text names is missing: a fault of ours.
    """
    template = entries()[key][lang]
    return template.format(**values) if values else template
