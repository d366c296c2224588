"""Zones of subnets in templates, in whatever terms they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.template_value import function_of, properties_of

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


def zone_of(subnet: Resource) -> tuple[str, str | None]:
    """Which zone, and in what terms: zones are only compared when told in the same terms."""
    properties = properties_of(subnet)
    zone_id, name = properties["AvailabilityZoneId"], properties["AvailabilityZone"]
    if zone_id.text() is not None:
        return "id", zone_id.text()
    if name.text() is not None:
        return "name", name.text()
    return "index", index_of_zones(name.raw)


def index_of_zones(raw: Any) -> str | None:
    """The number in `Fn::Select: [number, Fn::GetAZs: ...]`: other numbers are other zones."""
    function, arguments = function_of(raw)
    if function != "Fn::Select" or len(arguments) != 2:
        return None
    listed = function_of(arguments[1])[0] == "Fn::GetAZs"
    return str(arguments[0]) if listed and isinstance(arguments[0], int | str) else None
