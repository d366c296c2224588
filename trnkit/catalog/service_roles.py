"""The roles that services of AWS have in an account, and who makes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLinkedRole:
    """A role that one service of AWS alone can assume.

    Attributes:
        name: The role's name, the same in every account.
        service: The service's principal, which `create-service-linked-role` takes.
        made_with: What makes the service make it.
        made_for_api_callers: Whether that holds for whoever calls the API, CloudFormation too,
            and may create service-linked roles; if not, AWS wants it to exist before.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    service: str
    made_with: str
    made_for_api_callers: bool
    source: tuple[str, ...]
    date: str


@cache
def service_linked_roles() -> tuple[ServiceLinkedRole, ...]:
    """Return every role in the catalogue."""
    return tuple(ServiceLinkedRole(**entry) for entry in table("service_roles")["roles"])


def service_linked_role(service: str) -> ServiceLinkedRole:
    """Return the role of a service.

    Args:
        service: The service's principal, for example `spot.amazonaws.com`.

    Raises:
        KeyError: The catalogue has none.
    """
    return {role.service: role for role in service_linked_roles()}[service]
