"""Price rows and rules in words, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from models.catalogue import text
from models.format import UNKNOWN, number, places_of, symbol
from models.format import price as plain_price
from models.tariff import Price
from models.tariff_rules import (
    Band,
    Contribution,
    Credit,
    Factor,
    LastMonth,
    Meter,
    Place,
    Pool,
    Quota,
    Rule,
)


class Words:
    """The words of one language and currency."""

    def __init__(self, lang: str, currency: str) -> None:
        self._lang = lang
        self._symbol = symbol(currency)

    def say(self, name: str, **values: object) -> str:
        """A text of the catalogue."""
        return text(f"tariff_command.{name}", self._lang, **values)

    def join(self, parts: Iterable[str]) -> str:
        """Parts of a description, those that say nothing left out."""
        return {"zh": "；", "en": "; "}[self._lang].join(part for part in parts if part)

    def listed(self, parts: Iterable[str]) -> str:
        """A list of words."""
        return {"zh": "、", "en": ", "}[self._lang].join(parts)

    def money(self, price: Decimal) -> str:
        """A price with all its decimals: ¥0.06."""
        return f"{self._symbol}{'' if len(self._symbol) == 1 else ' '}{plain_price(price)}"

    def name(self, named: Price | Rule) -> str:
        """A name in the language; meters, which no bill shows, have one only."""
        if self._lang == "zh" or isinstance(named, Meter):
            return named.name
        return named.name_en

    def place(self, place: Place) -> str:
        """Where something applies; empty for everywhere."""
        words = {
            "cluster": place.cluster,
            "partition": place.partition,
            "qos": place.qos,
            "user_class": place.user_class,
        }
        return self.join(self.say(f"in_{name}", word=word) for name, word in words.items() if word != "*")

    def row_place(self, price: Price) -> str:
        """Where a price row applies; a dash for everywhere."""
        return self.place(Place(price.cluster, price.partition, price.qos, price.user_class)) or UNKNOWN

    def days(self, valid_from: date | None, valid_to: date | None) -> str:
        """Half-open days."""
        match valid_from, valid_to:
            case None, None:
                return ""
            case _, None:
                return self.say("from", day=valid_from)
            case None, _:
                return self.say("to", day=valid_to)
        return self.say("from_to", valid_from=valid_from, valid_to=valid_to)

    def scope(self, rule: Rule) -> str:
        """What a rule applies to: items or resource, places, tenants."""
        resource = rule.resource if isinstance(rule, Meter | Contribution) else self.listed(rule.items)
        place = self.place(rule.place) if isinstance(rule, Meter | Factor) else ""
        tenant = rule.tenant if isinstance(rule, Credit | Contribution) else ""
        if isinstance(rule, Factor | Quota) and rule.tenants != ("*",):
            tenant = self.listed(rule.tenants)
        return self.join([resource, place, self.say("tenant", tenant=tenant) if tenant else ""])

    def effect(self, rule: Rule) -> str:
        """What a rule does."""
        match rule:
            case Meter():
                parts = self._meter(rule) or [self.say("as_held")]
            case Band():
                parts = self._band(rule)
            case Factor():
                parts = [_times(rule.factor), self.say(f"on_{rule.on}")]
            case LastMonth():
                parts = self._last_month(rule)
            case Pool():
                parts = self._pool(rule)
            case Quota():
                parts = self._quota(rule)
            case Credit():
                parts = [self.money(rule.amount), self.days(rule.valid_from, rule.valid_to)]
            case Contribution():
                parts = self._contribution(rule)
        return self.join(parts)

    def _meter(self, rule: Meter) -> list[str]:
        weights = self.listed(f"{resource} {_times(weight)}" for resource, weight in rule.weights)
        parts = [
            self.say(f"weights_{rule.combine}", weights=weights) if weights else "",
            self.say("minimum", seconds=rule.minimum_s) if rule.minimum_s else "",
            self.say("granularity", seconds=rule.granularity_s) if rule.granularity_s > 1 else "",
            self.say("board_share") if rule.board_share else "",
        ]
        return [part for part in parts if part]

    def _band(self, rule: Band) -> list[str]:
        window = (
            self.say("window", first_day=rule.first_day, last_day=rule.last_day) if rule.first_day else ""
        )
        weekdays = self.listed(self.say(f"weekday_{day}") for day in rule.weekdays)
        is_timed = rule.from_minute != rule.to_minute
        clock = f"{_clock(rule.from_minute)}–{_clock(rule.to_minute)}" if is_timed else ""
        return [_times(rule.factor), window, weekdays, clock, self.say(f"by_{rule.by}")]

    def _last_month(self, rule: LastMonth) -> list[str]:
        owner = self.say(f"owner_{rule.owner}")
        steps = self.listed(
            self.say("share_step", share=f"{share.normalize():f}", factor=_times(factor))
            for share, factor in rule.steps
        )
        return [self.say("share", owner=owner, allotment=_amount(rule.allotment)), steps]

    def _pool(self, rule: Pool) -> list[str]:
        steps = [
            self.say("pool_step", above=_amount(step.above), price=self.money(step.price))
            if step.price == step.list_price
            else self.say(
                "pool_step_list",
                above=_amount(step.above),
                price=self.money(step.price),
                list_price=self.money(step.list_price),
            )
            for step in rule.steps
        ]
        owner = self.say(f"owner_{rule.owner}")
        return [self.say("pool_owner", owner=owner, reset=self._reset(rule)), *steps]

    def _quota(self, rule: Quota) -> list[str]:
        owner, amount = self.say(f"owner_{rule.owner}"), _amount(rule.amount)
        free = self.say("quota_amount", owner=owner, amount=amount, reset=self._reset(rule))
        return [free, self.days(rule.valid_from, rule.valid_to)]

    def _contribution(self, rule: Contribution) -> list[str]:
        rate = self.money(rule.rate)
        earns = self.say("contribution_rate", cluster=rule.cluster, nodes=rule.nodes, rate=rate)
        return [earns, self.days(rule.valid_from, rule.valid_to)]

    def _reset(self, rule: Pool | Quota) -> str:
        return self.say(
            f"reset_{rule.reset}", day=f"{rule.contract_from:%m-%d}" if rule.contract_from else ""
        )

    def value(self, value: object) -> str:
        """A term's value; a dash where it is not written."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self.listed(map(str, value)) or UNKNOWN
        return UNKNOWN if value is None else str(value)


def _times(factor: Decimal) -> str:
    return f"×{factor.normalize():f}"


def _amount(value: Decimal) -> str:
    plain = value.normalize()
    return number(plain, places_of(plain))


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
