"""Amounts in words: as exact as they are known, and never zero when nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.layout.cost.lines import Money

UNKNOWN_WORD = "unknown"
_CENTS_BELOW = 1000
_SMALL = 1


def dollars(value: float) -> str:
    """`$26,101`, `$35.76`, `$0.003351`: four digits that count, or cents."""
    if value == 0:
        return "$0"
    if value < _SMALL:
        digits = f"{value:.4g}"
        return f"${value:.12f}".rstrip("0") if "e" in digits else f"${_padded(digits)}"
    return f"${value:,.0f}" if value >= _CENTS_BELOW else f"${value:,.2f}"


def amount(money: Money) -> str:
    """One figure, a range, `at least` or `unknown`."""
    if money.high is None:
        return f"at least {dollars(money.low)}" if money.low > 0 else UNKNOWN_WORD
    low, high = dollars(money.low), dollars(money.high)
    return low if low == high else f"{low} to {high}"


def per_thousand(money: Money) -> str:
    """An amount for a thousand units: TFLOP-hours cost fractions of a cent."""
    return amount(money * 1000)


def number(value: float, digits: int = 2) -> str:
    """`10,672`, `1.33`, `96`: no zeros after the point."""
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _padded(digits: str) -> str:
    """Two digits after the point at least, as money is written."""
    whole, _, cents = digits.partition(".")
    return f"{whole}.{cents.ljust(2, '0')}"
