"""Job elements of `sacct --json` written by hand for the tests, one writer for each form that Slurm has had."""

from __future__ import annotations

import json
from typing import Any

Element = dict[str, Any]


def number(value: float | str | None) -> dict[str, Any]:
    """A number as data_parser v0.0.39 and newer writes it; None is not set, "infinite" has no end."""
    if value is None or value == "infinite":
        return {"set": False, "infinite": value == "infinite", "number": 0}
    return {"set": True, "infinite": False, "number": value}


def tres(**counts: int | None) -> list[dict[str, Any]]:
    """A TRES list; `gres_gpu_a100=4` is the gres gpu:a100."""
    parts = [(key.split("_", 1), count) for key, count in counts.items()]
    return [
        {
            "type": key[0],
            "name": key[1].replace("_", ":") if len(key) > 1 else "",
            "id": place,
            "count": count,
        }
        for place, (key, count) in enumerate(parts, start=1)
    ]


def old_element(**changes: Any) -> Element:
    """As 21.08 and 22.05 wrote it (openapi/dbv0.0.36 to 38): scalars, and null for what is not set."""
    element: Element = {
        "account": "hep",
        "allocation_nodes": 1,
        "array": {"job_id": 0, "limits": {"max": {"running": {"tasks": 0}}}, "task": None, "task_id": None},
        "association": {"account": "hep", "cluster": "alpha", "partition": None, "user": "alice"},
        "cluster": "alpha",
        "time": {
            "elapsed": 3600,
            "eligible": 1793341800,
            "end": 1793346600,
            "start": 1793343000,
            "submission": 1793341800,
            "suspended": 0,
            "limit": 60,
            "total": {"seconds": 7, "microseconds": 654321},
        },
        "het": {"job_id": 0, "job_offset": None},
        "job_id": 123,
        "name": "train",
        "nodes": "cpu01",
        "partition": "cpu",
        "qos": "normal",
        "reservation": {"id": 0, "name": 0},
        "state": {"current": "COMPLETED", "reason": "None"},
        "steps": [],
        "tres": {
            "allocated": tres(cpu=4, mem=8000, node=1, billing=4),
            "requested": tres(cpu=4, mem=8000, node=1),
        },
        "user": "alice",
        "wckey": {"wckey": "", "flags": []},
    }
    return changed(element, changes)


def new_element(**changes: Any) -> Element:
    """As 23.11 and newer write it (data_parser v0.0.40 and up): wrapped numbers, the state a list."""
    element = old_element()
    element["array"]["task_id"], element["array"]["task"] = number(None), ""
    element["het"]["job_offset"] = number(None)
    element["time"]["limit"] = number(60)
    element["state"]["current"] = ["COMPLETED"]
    element["reservation"]["name"] = ""
    return changed(element, changes)


def changed(element: Element, changes: dict[str, Any]) -> Element:
    """`element` with `time__start=5` as element["time"]["start"] = 5; the value `...` takes a key out."""
    for path, value in changes.items():
        *objects, key = path.split("__")
        inner = element
        for name in objects:
            inner = inner[name]
        if value is ...:
            del inner[key]
        else:
            inner[key] = value
    return element


def document(*elements: Any, indent: int | None = None, **rest: Any) -> bytes:
    """A whole document of these job elements."""
    return json.dumps(
        {"meta": {}, "errors": [], **rest, "jobs": list(elements)}, ensure_ascii=False, indent=indent
    ).encode()
