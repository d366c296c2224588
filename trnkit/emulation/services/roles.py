"""Roles, which another service keeps: who may assume them, and which policies they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Roles:
    """What services ask of IAM about the roles of an account.

    Attributes:
        let_assume: Whether a role exists and lets a service assume it; by account, the role's ARN
            and the service's principal.
        attach: Attach a managed policy to a role, and say whether both exist; by account, the
            role's name and the policy's ARN.
        detach: Take it away again; what is not attached is no error.
    """

    let_assume: Callable[[str, str, str], bool]
    attach: Callable[[str, str, str], bool]
    detach: Callable[[str, str, str], None]


_held: list[Roles] = []


def set_roles(roles: Roles) -> None:
    """Say who answers for roles.

    Args:
        roles: What is asked.
    """
    _held[:] = [roles]


def roles() -> Roles | None:
    """Who answers for roles; None: nobody does, so that nothing is known of any."""
    return _held[0] if _held else None
