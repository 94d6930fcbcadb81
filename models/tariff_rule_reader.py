"""What the readers of a price book's rules share: the words that a rule names are checked against what there is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from models.patterns import matches
from models.tariff_checks import resource_fault
from models.toml_file import Table, TableModel, TomlFile, nearest, shown
from models.toml_source import TomlPath


@dataclass(frozen=True)
class Ground:
    """What the rules of a version are checked against.

    Attributes:
        items: the version's items -> the unit of each; None where a row of prices is at fault, so that rules that
            mean it are not blamed.
        accelerators: words before the colon of a device.
        tenants: ids of the site's tenants; None: not known here.
    """

    items: Mapping[str, str] | None
    accelerators: Collection[str]
    tenants: Collection[str] | None


@dataclass(frozen=True)
class RuleReader:
    """An open file and the ground of one version; every fault is noted in the file."""

    file: TomlFile
    ground: Ground

    def resource(self, at: TomlPath, word: str) -> bool:
        """Whether `word` is a resource."""
        wrong = resource_fault(word, self.ground.accelerators, self.file.line(at))
        if wrong:
            self.file.faults.append(wrong)
        return not wrong

    def items(self, at: TomlPath, patterns: Sequence[str]) -> None:
        """Each pattern means an item of the version."""
        items = self.ground.items
        if items is None:
            return
        for index, pattern in enumerate(patterns):
            if any(matches(pattern, item) for item in items):
                continue
            near = nearest(pattern, items)
            place = (*at, "items", index)
            if near:
                self.file.add(place, "tariff.item_near", value=shown(pattern), near=near)
            else:
                self.file.add(place, "tariff.item_unknown", value=shown(pattern), known=tuple(items))

    def tenant(self, at: TomlPath, tenant: str) -> None:
        """The tenant is one of the site's."""
        tenants = self.ground.tenants
        if tenants is None or tenant in tenants:
            return
        near = nearest(tenant, tenants)
        if near:
            self.file.add((*at, "tenant"), "tariff.tenant_near", tenant=tenant, near=near)
        else:
            self.file.add((*at, "tenant"), "tariff.tenant_unknown", tenant=tenant)

    def contract(self, at: TomlPath, reset: str, contract_from: date | None) -> None:
        """The first day of a contract year is given where, and only where, the use of a contract year counts."""
        if reset == "contract" and contract_from is None:
            self.file.add((*at, "reset"), "tariff.no_contract_from")
        if reset != "contract" and contract_from is not None:
            self.file.add((*at, "contract_from"), "tariff.contract_from_idle", reset=reset)

    def steps(
        self,
        at: TomlPath,
        table: Table,
        model: type[TableModel],
        key: str,
        value: Callable[[TableModel], Decimal],
    ) -> tuple[TableModel, ...]:
        """The steps of the rule at `at`, whose `key` rises; none where there are none or one is at fault."""
        if not table.get("steps") and (*at, "steps") not in self.file.meant:
            self.file.add(at, "tariff.no_steps")
        read = [
            (place, self.file.check(model, place, step)) for place, step in self.file.rows(table, "steps", at)
        ]
        steps = [(place, step) for place, step in read if step]
        if len(steps) < len(read):
            return ()
        for (_, before), (place, step) in pairwise(steps):
            if value(step) <= value(before):
                self.file.add(
                    (*place, key), "tariff.steps_rise", name=key, value=value(step), before=value(before)
                )
        return tuple(step for _, step in steps)
