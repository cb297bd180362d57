"""Requests to a controlled device; docs/controlling.md describes them."""

from typing import Any

from ._control import Request

Amount = float | str


def do(name: str, amount: Amount | None, units: dict[str, float]) -> Request:
    """A stimulus with its amount: `do("sip", "50 ml", {})` or `do("sip", None, {"ml": 50})`."""
    if amount is not None and units or len(units) > 1:
        raise TypeError(f"{name}: one amount, like ml=50 or '50 ml'")
    value: Any = dict(units) if units else None if amount is None else str(amount)
    return {"do": name if value is None else {name: value}}


def task(name: str, amount: Amount | None, units: dict[str, float]) -> Request:
    """A task of the plugin's client."""
    return {"do": {"client": do(name, amount, units)["do"]}}


def fault(kind: str, on: str | None, count: int, more: dict[str, Any]) -> Request:
    """A fault of the device."""
    return {"fault": {"kind": kind, **({"on": on} if on else {}), "count": count, **more}}


def expect(event: str, within: Amount, where: str | None, facts: dict[str, Any], key: str = "expect") -> Request:
    """An event that must come, or, with `never`, must not."""
    conditions = [f"{name} == {_literal(value)}" for name, value in facts.items()]
    if where is not None:
        conditions.append(f"({where})" if conditions else where)
    return {key: event, "within": str(within), **({"where": " && ".join(conditions)} if conditions else {})}


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        quote = "'" if '"' in value else '"'
        if quote in value:
            raise ValueError(f"{value}: a text with both kinds of quotes cannot be compared")
        return f"{quote}{value}{quote}"
    return str(value)


def change(key: str, target: str, value: Any) -> Request:
    """`set` or `notify` of a characteristic, or of one field of it."""
    more: dict[str, Any] = {}
    if isinstance(value, (bytes, bytearray)):
        more = {"bytes": value.hex()}
    elif value is not None:
        more = {"value": value}
    return {"do": {key: target, **more}}
