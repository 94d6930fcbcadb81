"""The same month under another price book: who pays more, who less, by how much."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import duckdb
import pyarrow as pa

MONEY = pa.decimal128(18, 2)


@dataclass(frozen=True)
class Difference:
    """A tenant's bill under two books, before tax, in the bills' currency."""

    tenant: str
    name: str
    now: Decimal
    then: Decimal

    @property
    def change(self) -> Decimal:
        """What the other book adds; negative where it takes."""
        return self.then - self.now


def differences(now: duckdb.DuckDBPyConnection, then: duckdb.DuckDBPyConnection) -> tuple[Difference, ...]:
    """Every tenant of either mart, the largest rise first, the largest fall last."""
    query = "SELECT b.tenant, t.name, b.net FROM out_bill AS b JOIN ref_tenant AS t ON t.tenant = b.tenant"
    ours, theirs = ({row[0]: row for row in con.execute(query).fetchall()} for con in (now, then))
    nothing = Decimal("0.00")
    found = [
        Difference(
            tenant,
            (ours.get(tenant) or theirs[tenant])[1],
            ours[tenant][2] if tenant in ours else nothing,
            theirs[tenant][2] if tenant in theirs else nothing,
        )
        for tenant in ours.keys() | theirs.keys()
    ]
    return tuple(sorted(found, key=lambda each: (-each.change, each.tenant)))


def as_table(found: tuple[Difference, ...]) -> pa.Table:
    """The differences as a table: tenant, name, now, then, change."""
    return pa.table(
        {
            "tenant": pa.array([each.tenant for each in found], pa.string()),
            "name": pa.array([each.name for each in found], pa.string()),
            "now": pa.array([each.now for each in found], MONEY),
            "then": pa.array([each.then for each in found], MONEY),
            "change": pa.array([each.change for each in found], MONEY),
        }
    )
