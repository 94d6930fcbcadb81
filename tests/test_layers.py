"""Who may import whom: the rooms of the house (ARCHITECTURE.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {
    "models": set(),
    "ingest": {"models"},
    "reports": {"models"},
    "dashboard": {"models", "reports"},
    "sample_data": set(),
    "hesuan": {"models", "ingest", "reports", "dashboard", "sample_data"},
}


def imported(file: Path) -> set[str]:
    """First words of everything that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    rooms = set(ALLOWED) | {"tests"}
    wrong = {
        str(f.relative_to(ROOT)): bad
        for f in files
        if (bad := (imported(f) & rooms) - ALLOWED[room] - {room})
    }
    assert wrong == {}
