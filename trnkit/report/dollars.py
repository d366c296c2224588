"""Amounts in US dollars as text: every digit of a small price, and none that is only noise."""

from __future__ import annotations

from decimal import Decimal


def dollars(amount: float) -> str:
    """An amount without exponent: `0.0000002`, `38.5`, `0.08`."""
    text = f"{Decimal(repr(amount)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars_between(low: float, high: float) -> str:
    """A range, or the one amount that both are."""
    return dollars(low) if low == high else f"{dollars(low)} to {dollars(high)}"
