"""What the emulated CloudFormation asks of a resource type."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

Properties = Mapping[str, Any]
"""Properties of a resource as the template gives them, references resolved."""

Clients = Callable[[str], Any]
"""Gives the boto3 client of a service in the stack's region."""


class Proof(Enum):
    """What stands behind a resource of the emulated AWS."""

    SERVICE = "service state"
    """A service that boto3 asks afterwards; its answer is compared with the template."""

    SCHEMA = "registry schema only"
    """Nothing but the type's schema in the CloudFormation registry, which was checked."""


class Refused(Exception):
    """A resource that AWS would not make: the reason that the stack's event gives.

    Args:
        message: AWS's words as far as they are known.
        code: The error code of the service, such as ``InvalidParameterValue``.
        service: The service's name as CloudFormation writes it, such as ``Ec2``.
    """

    def __init__(self, message: str, *, code: str = "InvalidRequest", service: str = "") -> None:
        self.code = code
        self.text = message
        told = f"{message} (Service: {service}, Status Code: 400, Error Code: {code})"
        super().__init__(told if service else message)


@dataclass(frozen=True)
class Place:
    """Where a resource is being made, and by whom."""

    account: str
    region: str
    stack_name: str
    logical_id: str
    clients: Clients

    def name(self, longest: int = 255) -> str:
        """A physical name as CloudFormation makes them: stack, logical id, twelve characters."""
        tail = random_id(12, string.ascii_letters + string.digits)
        return f"{self.stack_name}-{self.logical_id}"[: longest - 13] + f"-{tail}"

    def arn(self, service: str, rest: str) -> str:
        """The ARN of something of this account in this region."""
        return f"arn:{partition_of(self.region)}:{service}:{self.region}:{self.account}:{rest}"


@dataclass(frozen=True)
class Made:
    """A resource after it was made or changed.

    Attributes:
        physical_id: What ``Ref`` gives.
        attributes: What ``Fn::GetAtt`` gives.
    """

    physical_id: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


class Readable(Protocol):
    """A resource type that a service can be asked about."""

    name: str
    proof: Proof

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its properties as the service tells them now, in the template's shape.

        Only what the service tells is in the answer. None: the service does not know it.
        """
        ...


class ResourceType(Readable, Protocol):
    """One resource type of the emulated CloudFormation."""

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it, or raise `Refused` or botocore's `ClientError`."""
        ...

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it in place; changes that replace it do not come here."""
        ...

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; what is gone already is no error."""
        ...


def partition_of(region: str) -> str:
    """The partition of a region.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
    """
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def random_id(length: int, alphabet: str = "0123456789abcdef") -> str:
    """Characters by chance, as AWS ends its ids with."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def tag_list(tags: Any) -> list[dict[str, str]]:
    """Tags of a template as a list of keys and values, whatever shape the type has."""
    if isinstance(tags, Mapping):
        return [{"Key": str(k), "Value": str(v)} for k, v in tags.items()]
    return [{"Key": str(tag["Key"]), "Value": str(tag.get("Value", ""))} for tag in tags or []]


def own_tags(tags: Any) -> list[dict[str, str]]:
    """Tags without those that AWS itself sets (``aws:``)."""
    return [tag for tag in tag_list(tags) if not tag["Key"].startswith("aws:")]
