"""Words for the codes that quantities carry: units, resources, states of runs, reasons why something is not charged.

A code that the catalogue does not know is shown as it is: a site's own device types and units are words already.
"""

from __future__ import annotations

from models.catalogue import entries

KINDS = {"gpu": "GPU", "npu": "NPU", "dcu": "DCU", "mlu": "MLU", "gcu": "GCU", "fpga": "FPGA"}


def _word(kind: str, code: str, lang: str) -> str | None:
    found = entries().get(f"word.{kind}_{code.lower().replace('-', '_')}")
    return found[lang] if found else None


def unit_word(unit: str, lang: str) -> str:
    """`core-hour` is 核时 or core-hour."""
    return _word("unit", unit, lang) or unit


def state_word(state: str, lang: str) -> str:
    """`COMPLETED` or `completed` is 完成 or completed; `CANCELLED by 1001` is read by its first word."""
    return _word("state", state.partition(" ")[0], lang) or state


def reason_word(reason: str, lang: str) -> str:
    """Why use is not charged: `included`, `suspended`, `no-price`, or by policy `refund:node_fail`, `free:failed`."""
    policy, _, state = reason.partition(":")
    word = _word("reason", policy, lang) or policy
    if not state:
        return word
    return f"{word}（{state_word(state, lang)}）" if lang == "zh" else f"{word} ({state_word(state, lang)})"


def resource_word(resource: str, lang: str) -> str:
    """`cpu` is CPU, `gpu:a100` is GPU a100, `gpu` of no known type GPU."""
    kind, _, model = resource.partition(":")
    word = _word("resource", kind, lang) or KINDS.get(kind, kind)
    return f"{word} {model}" if model and model != "*" else word


def fate_word(fate: str, lang: str) -> str:
    """What became of a record: `billed`, `zero`, `held`, `superseded`, `rejected`."""
    return _word("fate", fate, lang) or fate


def check_word(check: str, lang: str) -> str:
    """What a check under `models/checks/` makes sure of."""
    return _word("check", check, lang) or check


def finding_word(reason: str, lang: str) -> str:
    """What a finding's reason means and what to do about it."""
    found = entries().get(f"finding.{reason}")
    return found[lang] if found else reason
