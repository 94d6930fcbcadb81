"""What the sample must add up to, worked out from the list of its jobs: no SQL, no hesuan, no file of sacct.

The rules, as a tariff's reader would apply them by hand to each run:

- A run holds what AllocTRES says from its begin to its end, or to the moment of reading while it is open. What of that
  lies in the period counts, local day by local day.
- CPU is not consumed while a run is suspended. When in its life it was suspended is not known, so the loss is spread
  evenly: up to a moment t the run has consumed floor(cores x 1000 x (held - suspended) x (t - begin) / held)
  core-milliseconds, and a day is the difference of two such values. Devices go on being consumed; a tariff that makes
  them free while suspended charges the same share of them.
- The tenant is that of the first rule of site.toml that matches and is valid on the day; else `unassigned`.
- The price is the first row that matches of the version valid on the day. A run whose state the version refunds or
  frees is consumed and not charged.
- A line is a tenant's use under one row of one version: its quantity is rounded half up to the version's places, its
  amount is price x quantity, half up to the fen. The prices hold VAT: net = total / (1 + rate), half up to the fen.
- An open run beyond its time limit and the grace is held; the damaged record is rejected; neither is consumed.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Any

from sample_data.run import DAY, HOUR, MONTH_S, Run

HERE = Path(__file__).parent
MS_PER_HOUR = 3_600_000
FEN = Decimal("0.01")
# First day, and the day after the last, of the two months of which the sample tells.
PERIODS = {"2026-08": (date(2026, 8, 1), date(2026, 9, 1)), "2026-09": (date(2026, 9, 1), date(2026, 10, 1))}
SEPTEMBER = PERIODS["2026-09"][0]
GRACE_S = 24 * HOUR

Table = dict[str, Any]


def expected() -> Table:
    """The committed figures: what hesuan's own result is compared with."""
    found: Table = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
    return found


def work_out(runs: Sequence[Run], steps: dict[str, int]) -> Table:
    """The figures of expected.json, from all runs and the number of step rows by cluster."""
    site = tomllib.loads((HERE / "site.toml").read_text(encoding="utf-8"))
    tariffs = tomllib.loads((HERE / "tariffs.toml").read_text(encoding="utf-8"))
    records = {
        cluster: {
            "allocations": sum(run.cluster == cluster for run in runs),
            "kept": sum(run.cluster == cluster and run.readable for run in runs),
            "rejected": sum(run.cluster == cluster and not run.readable for run in runs),
            "steps": count,
        }
        for cluster, count in steps.items()
    }
    return {
        "records": records,
        "periods": {name: _period(runs, site, tariffs, *days) for name, days in PERIODS.items()},
    }


def _period(runs: Sequence[Run], site: Table, tariffs: Table, first: date, after: date) -> Table:
    use: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    run_keys: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    priced: dict[tuple[str, int, int, str], int] = defaultdict(int)
    not_charged: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for run in runs:
        for day, resource, consumed, active in _consumed(run, first, after):
            tenant, user_class = _tenant(run, day, site)
            use[tenant][resource] += consumed
            run_keys[tenant].add((run.cluster, run.job_id_raw, run.submit, run.start))
            number, version = _version(tariffs, day)
            row = _price_row(run, resource, user_class, version)
            treatment = version["runs"].get(run.state.split()[0].lower(), "bill")
            charged = active if _free_while_suspended(version, resource) else consumed
            if treatment == "bill":
                priced[tenant, number, row, resource] += charged
            else:
                not_charged[tenant][f"{treatment} {resource}"] += charged
            if consumed > charged:
                not_charged[tenant][f"suspended {resource}"] += consumed - charged
    return {
        "held_runs": sum(_runaway(run) for run in runs),
        "core_ms": sum(held["cpu"] for held in use.values()),
        "device_ms": _device_sums(use),
        "tenants": {
            tenant: {
                "runs": len(run_keys[tenant]),
                "consumed_ms": dict(sorted(use[tenant].items())),
                "not_charged_ms": dict(sorted(not_charged[tenant].items())),
                **_bill(
                    [(key, ms) for key, ms in sorted(priced.items()) if key[0] == tenant and ms], tariffs
                ),
            }
            for tenant in sorted(use)
        },
    }


def _device_sums(use: dict[str, dict[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for held in use.values():
        for resource, amount in held.items():
            if resource != "cpu":
                sums[resource] += amount
    return dict(sorted(sums.items()))


def _runaway(run: Run) -> bool:
    """Open, and beyond its time limit, what it was suspended, and the grace."""
    if run.start is None or run.end is not None or run.reach is None:
        return False
    return run.reach - run.start > run.timelimit * 60 + run.suspended + GRACE_S


def _consumed(run: Run, first: date, after: date) -> Iterator[tuple[date, str, int, int]]:
    """(day, resource, consumed, the part while not suspended) in core- or device-milliseconds."""
    begin = run.begin if run.begin is not None else run.start
    if begin is None or run.reach is None or run.reach <= begin or _runaway(run) or not run.readable:
        return
    held = run.reach - begin
    day = max(first, _day(begin))
    while day < after and _midnight(day) < run.reach:
        start, end = max(begin, _midnight(day)), min(run.reach, _midnight(day + timedelta(days=1)))
        for resource, count in _resources(run):
            whole = count * 1000 * (end - start)
            rate = Fraction(count * 1000 * (held - run.suspended), held)
            active = (rate * (end - begin)).__floor__() - (rate * (start - begin)).__floor__()
            yield day, resource, active if resource == "cpu" else whole, active
        day += timedelta(days=1)


def _resources(run: Run) -> Iterator[tuple[str, int]]:
    yield "cpu", run.held.cpus
    for kind, model, count in run.held.devices:
        yield f"{kind}:{model or 'untyped'}", count


def _midnight(day: date) -> int:
    return MONTH_S + (day - SEPTEMBER).days * DAY


def _day(seconds: int) -> date:
    return SEPTEMBER + timedelta(days=(seconds - MONTH_S) // DAY)


def _tenant(run: Run, day: date, site: Table) -> tuple[str, str]:
    """Tenant and user class; Slurm marks a default WCKey with a star, which is no part of it."""
    words = {
        "cluster": run.cluster,
        "account": run.account,
        "wckey": run.wckey.lstrip("*"),
        "partition": run.partition,
        "user": run.user,
    }
    for rule in site["rules"]:
        valid = rule.get("valid_from", date.min) <= day < rule.get("valid_to", date.max)
        if valid and all(fnmatchcase(word, rule.get(name, "*")) for name, word in words.items()):
            (tenant,) = (tenant for tenant in site["tenants"] if tenant["id"] == rule["tenant"])
            return tenant["id"], tenant.get("user_class", "internal")
    return "unassigned", "unassigned"


def _version(tariffs: Table, day: date) -> tuple[int, Table]:
    """The last version that has begun, and its place."""
    return [(n, version) for n, version in enumerate(tariffs["version"]) if version["valid_from"] <= day][-1]


def _price_row(run: Run, resource: str, user_class: str, version: Table) -> int:
    words = {
        "cluster": run.cluster,
        "partition": run.partition,
        "qos": run.qos,
        "resource": resource,
        "user_class": user_class,
    }
    for place, row in enumerate(version["price"]):
        if all(fnmatchcase(word, row.get(name, "*")) for name, word in words.items()):
            return place
    raise LookupError(f"no price for {words} in {version['id']}")


def _free_while_suspended(version: Table, resource: str) -> bool:
    return any(
        fnmatchcase(resource, pattern) and treatment == "free"
        for pattern, treatment in version.get("suspended", {}).items()
    )


def _bill(priced: Sequence[tuple[tuple[str, int, int, str], int]], tariffs: Table) -> Table:
    lines = []
    for (_, number, place, resource), amount_ms in priced:
        version = tariffs["version"][number]
        row = version["price"][place]
        step = Decimal(1).scaleb(-version["quantity_decimals"])
        quantity = _half_up(Fraction(amount_ms, MS_PER_HOUR), step)
        price, list_price = Decimal(row.get("price", row["list_price"])), Decimal(row["list_price"])
        lines.append(
            {
                "version": version["id"],
                "item": row["item"],
                "resource": resource,
                "priced_ms": amount_ms,
                "quantity": str(quantity),
                "price": str(price),
                "amount": str((quantity * price).quantize(FEN, ROUND_HALF_UP)),
                "list_amount": str((quantity * list_price).quantize(FEN, ROUND_HALF_UP)),
            }
        )
    total = sum((Decimal(line["amount"]) for line in lines), Decimal("0.00"))
    net = _half_up(Fraction(total) / (1 + Fraction(tariffs["vat"][0]["rate"])), FEN)
    return {"lines": lines, "net": str(net), "tax": str(total - net), "gross": str(total)}


def _half_up(value: Fraction, step: Decimal) -> Decimal:
    """`value` (not negative) to a multiple of `step`, half up."""
    count = (value / Fraction(step) + Fraction(1, 2)).__floor__()
    return (count * step).quantize(step)
