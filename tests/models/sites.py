"""Sites and price books made in Python, for tests of the models."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from models.site import ACCELERATORS, Issuer, Project, Site, Tenant, TenantRule
from models.tariff import Price, PriceBook, Tariff, Vat


def tenant(name: str, **more: Any) -> Tenant:
    values = {
        "tenant": name,
        "name": name,
        "name_en": name,
        "unit": "",
        "unit_en": "",
        "user_class": "internal",
        "cost_card": "",
        "contact": "",
    }
    return Tenant(**(values | more))


def rule(order: int, name: str, **more: Any) -> TenantRule:
    values: dict[str, Any] = {
        "order": order, "tenant": name, "project": "", "cluster": "*", "account": "*", "wckey": "*", "partition": "*",
        "user": "*", "valid_from": None, "valid_to": None,
    }  # fmt: skip
    return TenantRule(**(values | more))


def site(**more: Any) -> Site:
    values: dict[str, Any] = {
        "name": "测试中心", "name_en": "Test centre", "timezone": "UTC", "currency": "CNY", "slot_minutes": 60, "clusters": (),
        "accelerators": ACCELERATORS, "runaway_grace_hours": 24, "runaway_days": 60,
        "issuer": Issuer("测试中心", "Test centre", "", "", "", "", "", 10),
        "tenants": (tenant("alpha"),), "projects": (), "rules": (rule(0, "alpha", account="alpha"),),
    }  # fmt: skip
    return Site(**(values | more))


def project(of: str, name: str, card: str = "") -> Project:
    return Project(of, name, name, card)


def price(item: str, resource: str, amount: str, **more: Any) -> Price:
    values: dict[str, Any] = {
        "item": item, "name": item, "name_en": item, "cluster": "*", "partition": "*", "qos": "*", "resource": resource,
        "user_class": "*", "list_price": Decimal(amount), "price": Decimal(amount), "line_no": 1,
    }  # fmt: skip
    return Price(**(values | more))


def tariff(*prices: Price, **more: Any) -> Tariff:
    values: dict[str, Any] = {
        "version": "v1", "valid_from": date(2000, 1, 1), "valid_to": None, "approved_by": "", "quantity_decimals": 4,
        "prices": prices, "runs": (), "suspended": (), "not_priced": ("mem", "node", "billing"), "sha256": "0" * 64, "line_no": 1,
    }  # fmt: skip
    return Tariff(**(values | more))


def book(*versions: Tariff, vat: tuple[Vat, ...] = ()) -> PriceBook:
    return PriceBook("CNY", versions, vat)
