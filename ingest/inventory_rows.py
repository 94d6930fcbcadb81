"""What was said of nodes, partitions, reservations and events -> rows of the raw tables; what cannot be read aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from ingest.inventory_said import NODE, PARTITION, RESERVATION, Inventory, Kind, Thing
from ingest.sacct_times import times
from models.errors import HesuanError

Cells = tuple[object, ...]

TABLES: dict[Kind, str] = {
    "node": "raw_node",
    "partition": "raw_partition",
    "reservation": "raw_reservation",
    "reservation-table": "raw_reservation",
    "event": "raw_node_event",
}
SOURCES: dict[Kind, str] = {
    "node": "scontrol-node",
    "partition": "scontrol-partition",
    "reservation": "scontrol-reservation",
    "reservation-table": "sacctmgr-reservation",
    "event": "sacctmgr-event",
}
# A snapshot says what was so at one moment; sacctmgr's tables carry their own times.
SNAPSHOTS: frozenset[Kind] = frozenset({"node", "partition", "reservation"})

_NUMBER = ("record_no", pa.int64())
_CLUSTER = ("cluster", pa.string())
_TAKEN = ("taken_s", pa.int64())
_SPAN = (("start_s", pa.int64()), ("end_s", pa.int64()))


def _texts(*names: str) -> tuple[tuple[str, pa.DataType], ...]:
    return tuple((name, pa.string()) for name in names)


_RESERVATION_SCHEMA = pa.schema(
    [_NUMBER, _CLUSTER, _TAKEN, *_texts("reservation"), *_SPAN, *_texts("nodes", "tres", "flags", "users", "accounts")]
)  # fmt: skip
SCHEMAS: dict[Kind, pa.Schema] = {
    "node": pa.schema(
        [_NUMBER, _CLUSTER, _TAKEN, *_texts("node", "state", "reason", "partitions", "cfg_tres", "gres")]
    ),
    "partition": pa.schema(
        [_NUMBER, _CLUSTER, _TAKEN, *_texts("partition", "state", "nodes", "tres", "billing_weights")]
    ),
    "reservation": _RESERVATION_SCHEMA,
    "reservation-table": _RESERVATION_SCHEMA,
    "event": pa.schema(
        [_NUMBER, _CLUSTER, *_texts("node"), *_SPAN, *_texts("state", "reason", "user_name", "tres")]
    ),
}
REJECTED = pa.schema(
    [_NUMBER, *_texts("location", "reason", "detail"), ("body", pa.binary())]
)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """The rows of a file: those of its raw table and those of raw_rejected, both without batch_id."""

    kept: pa.Table
    rejected: pa.Table


def to_rows(
    said: Inventory, *, cluster: str, taken_s: int | None, timezone: str | None, path: object
) -> Rows:
    """The rows that a file gives.

    Args:
        said: the file.
        cluster: of things that name none.
        taken_s: moment of the snapshot, UTC seconds; None for sacctmgr's tables.
        timezone: IANA zone of wall times.
        path: for messages.

    Raises:
        HesuanError: `inventory.timezone_missing`.
    """
    maker = _MAKERS[said.kind]
    starts, ends = _span(said, timezone, path)
    kept: list[Cells] = []
    rejected: list[Cells] = []
    for number, thing in enumerate(said.things, 1):
        start, end = starts[number - 1], ends[number - 1]
        fault = _fault(said.kind, thing, start, end)
        if fault:
            rejected.append((number, thing.location, *fault, thing.body))
        else:
            kept.append((number, *maker(thing, cluster, taken_s, (start, end))))
    return Rows(_table(kept, SCHEMAS[said.kind]), _table(rejected, REJECTED))


def _table(rows: Sequence[Cells], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([list(column) for column in columns], schema=schema)


def _span(
    said: Inventory, timezone: str | None, path: object
) -> tuple[Sequence[int | None], Sequence[int | None]]:
    """Start and end of each thing; all None where the kind has none."""
    names = {"reservation": ("StartTime", "EndTime")}.get(said.kind, ("TimeStart", "TimeEnd"))
    if said.kind in {"node", "partition"}:
        nothing: list[int | None] = [None] * len(said.things)
        return nothing, nothing
    found = []
    for name in names:
        column = pl.Series([thing.fields.get(name, "") for thing in said.things], dtype=pl.String)
        read = times(column, timezone)
        if read.naive.any():
            first = read.naive.arg_true()[0]
            raise HesuanError(
                "inventory.timezone_missing",
                path=path,
                location=said.things[first].location,
                value=column[first],
            )
        found.append(read.earlier.to_list())
    return found[0], found[1]


def _fault(kind: Kind, thing: Thing, start: int | None, end: int | None) -> tuple[str, str] | None:
    """Reason and detail of why a thing cannot be kept."""
    name, fields = _NAMES[kind], thing.fields
    timed = kind not in {"node", "partition"}
    # An event that goes on has no end; whatever else stands there must be a time.
    ended = kind != "event" or "TimeEnd" in fields
    faults = (
        (not fields, "field-count", "not as many fields as the header has"),
        (bool(name) and name not in fields, "no-name", f"{name} is missing"),
        (kind == "node" and "State" not in fields, "no-state", "State is missing"),
        (timed and start is None, "bad-time", "the start is missing or no time"),
        (timed and ended and end is None, "bad-time", "the end is missing or no time"),
        ((end or 0) < (start or 0) and end is not None, "end-before-start", "the end is before the start"),
    )
    return next(((reason, detail) for wrong, reason, detail in faults if wrong), None)


Span = tuple[int | None, int | None]


def _get(thing: Thing, *names: str) -> list[str]:
    return [thing.fields.get(name, "") for name in names]


def _node(thing: Thing, cluster: str, taken_s: int | None, _: Span) -> Cells:
    return (cluster, taken_s, *_get(thing, NODE, "State", "Reason", "Partitions", "CfgTRES", "Gres"))


def _partition(thing: Thing, cluster: str, taken_s: int | None, _: Span) -> Cells:
    return (cluster, taken_s, *_get(thing, PARTITION, "State", "Nodes", "TRES", "TRESBillingWeights"))


def _reservation(thing: Thing, cluster: str, taken_s: int | None, span: Span) -> Cells:
    words = _get(thing, "Nodes", "TRES", "Flags", "Users", "Accounts")
    return (cluster, taken_s, thing.fields[RESERVATION], *span, *words)


def _reservation_row(thing: Thing, cluster: str, _: int | None, span: Span) -> Cells:
    words = _get(thing, "NodeName", "TRES", "Flags")
    return (thing.fields.get("Cluster", cluster), None, thing.fields["Name"], *span, *words, "", "")


def _event(thing: Thing, cluster: str, _: int | None, span: Span) -> Cells:
    words = _get(thing, "State", "Reason", "User", "TRES")
    return (thing.fields.get("Cluster", cluster), thing.fields.get("NodeName", ""), *span, *words)


_NAMES: dict[Kind, str] = {
    "node": NODE,
    "partition": PARTITION,
    "reservation": RESERVATION,
    "reservation-table": "Name",
    "event": "",
}
_MAKERS: dict[Kind, Callable[[Thing, str, int | None, Span], Cells]] = {
    "node": _node,
    "partition": _partition,
    "reservation": _reservation,
    "reservation-table": _reservation_row,
    "event": _event,
}
