"""What a check is, and which there are.

To add one, write a file in `checks/` that assigns `CHECK`, with a new id. Nothing else lists it:
the folder is scanned, and docs/preflight.md is made of what the checks say of themselves.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.operations.preflight import checks
from trnkit.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trnkit.aws.read_operation import ReadOperation
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightCheck:
    """One question to the account.

    Attributes:
        id: `TRN9nn`, never used again.
        name: What `--only` and `--skip` take beside the id.
        title: What must hold, in one line.
        why: What happens otherwise.
        source: The page on which it rests.
        needs: Every operation that it may ask.
        run: Asks, and answers. It may raise `AwsFailure`, which makes the rest unknown.
    """

    id: str
    name: str
    title: str
    why: str
    source: str
    needs: tuple[ReadOperation, ...]
    run: Callable[[AccountView], Iterable[CheckResult]]

    def as_rule(self) -> Rule:
        """Its documentation as a rule's, for reports."""
        return Rule(
            id=self.id,
            title=self.title,
            severity=Severity.ERROR,
            why=self.why,
            source=self.source,
            good="",
            bad="",
        )


@cache
def list_checks() -> tuple[PreflightCheck, ...]:
    """Every check, by id."""
    names = [module.name for module in pkgutil.iter_modules(checks.__path__)]
    found = [import_module(f"{checks.__name__}.{name}").CHECK for name in names]
    return tuple(sorted(found, key=lambda check: check.id))
