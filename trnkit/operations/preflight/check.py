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
class CheckRule(Rule):
    """A check as the rules are documented; an account is no text, so it has no examples.

    Attributes:
        name: What `--only` and `--skip` take beside the id.
        permissions: The IAM actions with which it is answered.
    """

    name: str
    permissions: tuple[str, ...]


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
        worst: The severity of the worst that it finds; what is unknown is a warning.
        run: Asks, and answers. It may raise `AwsFailure`, which makes the rest unknown.
    """

    id: str
    name: str
    title: str
    why: str
    source: str
    needs: tuple[ReadOperation, ...]
    run: Callable[[AccountView], Iterable[CheckResult]]
    worst: Severity = Severity.ERROR

    @property
    def permissions(self) -> tuple[str, ...]:
        """The IAM actions with which it is answered."""
        wanted = {action for o in self.needs for action in (o.permission, *o.also) if action}
        return tuple(sorted(wanted))

    def as_rule(self) -> CheckRule:
        """Its documentation as a rule's, for reports."""
        return CheckRule(
            id=self.id,
            title=self.title,
            severity=self.worst,
            why=self.why,
            source=self.source,
            good="",
            bad="",
            name=self.name,
            permissions=self.permissions,
        )


@cache
def list_checks() -> tuple[PreflightCheck, ...]:
    """Every check, by id."""
    names = [module.name for module in pkgutil.iter_modules(checks.__path__)]
    found = [import_module(f"{checks.__name__}.{name}").CHECK for name in names]
    return tuple(sorted(found, key=lambda check: check.id))
