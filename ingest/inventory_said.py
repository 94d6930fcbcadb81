"""Inventory as Slurm's tools say it, one thing after another: scontrol's text and JSON, sacctmgr's tables.

Every form is brought to the same fields under scontrol's or sacctmgr's own names, values still as text. A cluster has
thousands of nodes, not millions, so this is plain Python.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.errors import HesuanError

Kind = Literal["node", "partition", "reservation", "event", "reservation-table"]

NODE, PARTITION, RESERVATION = "NodeName", "PartitionName", "ReservationName"
_KINDS: dict[str, Kind] = {NODE: "node", PARTITION: "partition", RESERVATION: "reservation"}
_JSON_KINDS: dict[str, Kind] = {
    "nodes": "node",
    "partitions": "partition",
    "reservations": "reservation",
}
_BEGINS = re.compile(r"^(NodeName|PartitionName|ReservationName)=\S", re.MULTILINE)
_KEY = re.compile(r"(?:^|\s)([A-Za-z][\w/]*)=")
# What an administrator wrote, up to the name and time that Slurm puts behind it.
_REASON = re.compile(r"(?:^|\s)Reason=(.*?)(?:\s\[[^\]\[]*@[^\]\[]*\]|$)", re.MULTILINE)
_NOTHING = "No reservations in the system"
_EMPTY = frozenset({"(null)", "N/A", "None", "Unknown", "UNLIMITED"})
# sacctmgr prints the columns in the order asked for; these must be among them.
_TABLES: dict[Kind, tuple[str, ...]] = {
    "event": ("Cluster", "NodeName", "TimeStart", "TimeEnd", "State", "Reason", "User"),
    "reservation-table": ("Cluster", "Name", "NodeName", "TimeStart", "TimeEnd", "Flags", "TRES"),
}


@dataclass(frozen=True)
class Thing:
    """A node, partition, reservation or event.

    Attributes:
        location: for people: `line 17` or `node cpu01`.
        fields: by Slurm's own names; nothing said is absent.
        body: its bytes, or its JSON.
    """

    location: str
    fields: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Inventory:
    """A file of inventory.

    Attributes:
        kind: what its things are.
        format: `text`, `json` or `table`.
        things: in the file's order.
        moment_s: when JSON says that its things last changed, UTC seconds; None elsewhere.
        version: Slurm's release or data parser, where the file says it.
    """

    kind: Kind
    format: str
    things: tuple[Thing, ...]
    moment_s: int | None = None
    version: str | None = None


def read_inventory(data: bytes, path: object) -> Inventory:
    """What the bytes of a file say.

    Raises:
        HesuanError: `inventory.unknown_format`, `inventory.json_broken`, `inventory.column_missing`.
    """
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return _from_json(text, path)
    first = _BEGINS.search(text)
    if first is not None and not text[: first.start()].strip():
        return _from_text(text, _KINDS[first[1]])
    if text.strip().startswith(_NOTHING):
        return Inventory("reservation", "text", ())
    header, _, _ = text.partition("\n")
    columns = header.rstrip("\r").split("|")
    if "TimeStart" in columns:
        return _from_table(text, columns, path)
    raise HesuanError("inventory.unknown_format", path=path, seen=repr(header[:60]))


def _from_text(text: str, kind: Kind) -> Inventory:
    """Blocks of `scontrol show`, on one line each (-o) or over several, the later ones indented."""
    starts = [found.start() for found in _BEGINS.finditer(text)]
    ends = [*starts[1:], len(text)]
    things = []
    for start, end in zip(starts, ends, strict=True):
        line_no = text.count("\n", 0, start) + 1
        block = text[start:end].rstrip()
        things.append(Thing(f"line {line_no}", _fields(block), block.encode()))
    return Inventory(kind, "text", tuple(things))


def _fields(block: str) -> dict[str, str]:
    """Key=value pairs. The first of a name counts: what administrators wrote stands last and may look like one."""
    reason = _REASON.search(block)
    keys = list(_KEY.finditer(block))
    ends = [key.start() for key in keys[1:]] + [len(block)]
    fields: dict[str, str] = {}
    for key, end in zip(keys, ends, strict=True):
        value = block[key.end() : end].strip()
        if key[1] not in fields and value and value not in _EMPTY:
            fields[key[1]] = value
    if reason is not None:
        fields["Reason"] = reason[1]
    return fields


def _from_table(text: str, columns: Sequence[str], path: object) -> Inventory:
    """`sacctmgr --parsable2 show event` or `show reservation`: a `|` too many belongs to the reason."""
    kind: Kind = "event" if "State" in columns else "reservation-table"
    missing = [name for name in _TABLES[kind] if name not in columns]
    if missing:
        raise HesuanError(
            "inventory.column_missing",
            path=path,
            columns=", ".join(missing),
            what=kind.removesuffix("-table"),
            asked=_asked(kind),
        )
    free = columns.index("Reason") if kind == "event" else None
    things = []
    for line_no, line in enumerate(text.split("\n")[1:], 2):
        if line.strip():
            cells = _cells(line.rstrip("\r"), len(columns), free)
            pairs = zip(columns, cells, strict=False)
            fields = {name: cell for name, cell in pairs if cell and cell not in _EMPTY}
            complete = fields if len(cells) == len(columns) else {}
            things.append(Thing(f"line {line_no}", complete, line.encode()))
    return Inventory(kind, "table", tuple(things))


def _asked(kind: Kind) -> str:
    """What to ask sacctmgr for with format= to get all columns."""
    if kind == "event":
        return "cluster,nodename,start,end,state,reason,tres,user"
    return "cluster,name,nodenames,start,end,flags,tres"


def _cells(line: str, count: int, free: int | None) -> list[str]:
    cells = line.split("|")
    over = len(cells) - count
    if over > 0 and free is not None:
        return [*cells[:free], "|".join(cells[free : free + over + 1]), *cells[free + over + 1 :]]
    return cells


def _from_json(text: str, path: object) -> Inventory:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise HesuanError("inventory.json_broken", path=path, cause=error) from error
    found = [key for key in _JSON_KINDS if isinstance(document.get(key), list)]
    if len(found) != 1:
        raise HesuanError("inventory.unknown_format", path=path, seen=", ".join(document) or "{}")
    kind = _JSON_KINDS[found[0]]
    things = []
    for element in document[found[0]]:
        fields = _JSON_FIELDS[kind](element) if isinstance(element, dict) else {}
        kept = {name: value for name, value in fields.items() if value and value not in _EMPTY}
        name = element.get("name", "?") if isinstance(element, dict) else "?"
        body = json.dumps(element, ensure_ascii=False).encode()
        things.append(Thing(f"{kind} {name}", kept, body))
    parser = _inner(_inner(document, "meta"), "plugin").get("data_parser")
    moment = _number(document.get("last_update"))
    return Inventory(kind, "json", tuple(things), int(moment) if moment else None, parser)


def _number(value: Any) -> str:  # noqa: ANN401 - JSON's types
    """A number as text: plain, or `{set, infinite, number}` since Slurm 23.02; empty where none is set."""
    if isinstance(value, dict):
        return str(value.get("number", "")) if value.get("set") else ""
    return str(value) if isinstance(value, int) and value > 0 else ""


def _listed(value: Any, joint: str) -> str:  # noqa: ANN401 - JSON's types
    """A list of words, or the one word that older releases have there."""
    return joint.join(map(str, value)) if isinstance(value, list) else str(value or "")


def _inner(element: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under `key`; an empty one where there is none."""
    found = element.get(key)
    return found if isinstance(found, dict) else {}


def _json_node(element: Mapping[str, Any]) -> dict[str, str]:
    state = [_listed(element.get("state"), "+"), _listed(element.get("state_flags"), "+")]
    return {
        NODE: str(element.get("name") or ""),
        "State": "+".join(word for word in state if word).upper(),
        "Reason": str(element.get("reason") or ""),
        "Partitions": _listed(element.get("partitions"), ","),
        "CfgTRES": str(element.get("tres") or ""),
        "Gres": str(element.get("gres") or ""),
    }


def _json_partition(element: Mapping[str, Any]) -> dict[str, str]:
    nodes, tres, partition = (_inner(element, key) for key in ("nodes", "tres", "partition"))
    return {
        PARTITION: str(element.get("name") or ""),
        "State": _listed(partition.get("state"), "+"),
        "Nodes": str(nodes.get("configured") or ""),
        "TRES": str(tres.get("configured") or ""),
        "TRESBillingWeights": str(tres.get("billing_weights") or ""),
    }


def _json_reservation(element: Mapping[str, Any]) -> dict[str, str]:
    return {
        RESERVATION: str(element.get("name") or ""),
        "StartTime": _number(element.get("start_time")),
        "EndTime": _number(element.get("end_time")),
        "Nodes": str(element.get("node_list") or ""),
        "TRES": str(element.get("tres") or ""),
        "Flags": _listed(element.get("flags"), ","),
        "Users": str(element.get("users") or ""),
        "Accounts": str(element.get("accounts") or ""),
    }


_JSON_FIELDS = {"node": _json_node, "partition": _json_partition, "reservation": _json_reservation}
