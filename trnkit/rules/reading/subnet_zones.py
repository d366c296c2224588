"""Zones of subnets in templates, in whatever terms they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.template_value import function_of, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource

SUBNET = "AWS::EC2::Subnet"


def subnet_named(value: TemplateValue) -> Resource | str | None:
    """What tells a subnet from others: the resource, or its id; None when that is not known."""
    if isinstance(value.value, Reference):
        return value.referred(SUBNET)
    text = value.text()
    # A list in one text, or a parameter's, is not one subnet.
    return text if text is not None and "," not in text else None


def zone_of(subnet: Resource) -> tuple[str, str | None]:
    """Which zone, and in what terms: zones are only compared when told in the same terms."""
    properties = properties_of(subnet)
    zone_id, name = properties["AvailabilityZoneId"], properties["AvailabilityZone"]
    if zone_id.text() is not None:
        return "id", zone_id.text()
    if name.text() is not None:
        return "name", name.text()
    return "index", index_of_zones(name.raw)


def several_zones(subnets: Iterable[TemplateValue]) -> dict[str, list[str]]:
    """The zones of subnets and who is in each, when they certainly are in more than one."""
    zones: dict[str, dict[str, list[str]]] = {}
    for value in subnets:
        subnet = value.referred(SUBNET)
        terms, zone = zone_of(subnet) if subnet is not None else ("", None)
        if subnet is not None and zone is not None:
            zones.setdefault(terms, {}).setdefault(zone, []).append(subnet.logical_id)
    return next((found for found in zones.values() if len(found) > 1), {})


def index_of_zones(raw: Any) -> str | None:
    """The number in `Fn::Select: [number, Fn::GetAZs: ...]`: other numbers are other zones."""
    function, arguments = function_of(raw)
    if function != "Fn::Select" or len(arguments) != 2:
        return None
    listed = function_of(arguments[1])[0] == "Fn::GetAZs"
    return str(arguments[0]) if listed and isinstance(arguments[0], int | str) else None
