"""What a gateway may ask: a declared operation, with the permission that it needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOperation:
    """One operation of an AWS API that changes nothing.

    Attributes:
        service: Service as boto3 calls it.
        name: The API's name, for example `DescribeImages`.
        permission: The IAM action; None when AWS answers whoever has valid credentials.
        also: Further IAM actions that AWS wants for it, as its page says.
        resources: ARNs that the permission can be narrowed to; `*` where IAM knows no narrower.
        purpose: What it is asked for, in a few words.
    """

    service: str
    name: str
    permission: str | None
    also: tuple[str, ...] = ()
    resources: tuple[str, ...] = ("*",)
    purpose: str
