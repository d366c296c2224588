"""How many EFA interfaces a type has, against how many are attached or asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import count, from_catalogue

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType


def judge_efa_number(known: InstanceType, number: int) -> tuple[Severity, Objection] | None:
    """Judge a number of EFA interfaces that are attached.

    Returns:
        What is wrong; None when nothing is, or how many the type has is not known.
    """
    most = known.maximum_efa_interfaces
    if most is None or number == most or (most == 1 and number == 0):
        return None
    over = number > most
    if over:
        hint = f"attach {most}" if most else "attach a single plain interface"
    else:
        hint = f"attach {most}, one on each network card"
    text = f"attaches {count(number, 'EFA interface')}; {known.name} has {most if most else 'none'}"
    has = f"{count(most, 'EFA interface')}" if most else "no EFA"
    severity = Severity.ERROR if over else Severity.WARNING
    return severity, Objection(text, hint, from_catalogue(known, has))
