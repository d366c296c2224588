"""VPC endpoints as rules see them: kind, service, and the VPC they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

VPC = "AWS::EC2::VPC"
_PREFIX = "com.amazonaws."
_FIPS = "-fips"


@dataclass(frozen=True, slots=True)
class VpcEndpoint:
    """An endpoint of a template; None is what is not known.

    Attributes:
        resource: The resource.
        properties: Its properties.
        kind: `Gateway` (also when not written), `Interface` and so on.
        service: What follows `com.amazonaws.` and the Region.
        vpc: Its VPC, when that is in the set.
    """

    resource: Resource
    properties: TemplateValue
    kind: str | None
    service: str | None
    vpc: Resource | None

    @property
    def name(self) -> str:
        """Its logical id."""
        return self.resource.logical_id

    @property
    def stands_for(self) -> str | None:
        """The service without the mark of a FIPS endpoint, which answers the same calls."""
        return None if self.service is None else self.service.replace(_FIPS, "")


def vpc_endpoints(stack_set: StackSet) -> Iterator[VpcEndpoint]:
    """Every VPC endpoint of the set."""
    for resource in stack_set.resources("AWS::EC2::VPCEndpoint"):
        properties = properties_of(resource)
        kind = properties["VpcEndpointType"]
        yield VpcEndpoint(
            resource,
            properties,
            "Gateway" if kind.is_absent else kind.text(),
            _service(properties["ServiceName"].tail()),
            properties["VpcId"].referred(VPC),
        )


def _service(name: str | None) -> str | None:
    """The service in a whole name, or in what follows a Region that is not known."""
    if name is None:
        return None
    if name.startswith("."):
        return name[1:] or None
    parts = name.split(".")
    return ".".join(parts[3:]) or None if name.startswith(_PREFIX) else None
