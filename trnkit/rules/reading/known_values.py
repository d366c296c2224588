"""What the value of a template can be besides plain text and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


class _Unknown:
    """The single value `UNKNOWN`: something only a deployment can tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()

_MAX_BITS = 1000
"""No number of a template has more."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A `Ref` or `Fn::GetAtt` of a resource in one of the templates.

    Attributes:
        resource: The resource referred to.
        attribute: The attribute of a `GetAtt`; None for a `Ref`.
    """

    resource: Resource
    attribute: str | None = None


def is_endless(value: Any) -> bool:
    """Whether a value is a number so long that Python would refuse to write it."""
    return isinstance(value, int) and value.bit_length() > _MAX_BITS


def plain_text(value: Any) -> str | None:
    """A plain value as CloudFormation would write it; None for any other."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    known = isinstance(value, int | float) and not is_endless(value)
    return str(value) if known else None
