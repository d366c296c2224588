"""The Region a template is for, also when only its zones tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import region_of_zone_id
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from trnkit.rules.stack_set import StackSet, Template

_ZONE_NAME = re.compile("([a-z]{2,4}(?:-[a-z]+)+-[0-9]{1,2})[a-z]")


def region_of(template: Template, stack_set: StackSet) -> str | None:
    """The Region a template is for; None when neither a manifest nor its subnets tell."""
    return template.region or stack_set.derive(_regions_by_zone).get(template)


def _regions_by_zone(stack_set: StackSet) -> dict[Template, str]:
    """The Region of the zones that the subnets of a template name, where it is one."""
    found: dict[Template, set[str | None]] = {}
    for subnet in stack_set.resources("AWS::EC2::Subnet"):
        properties = properties_of(subnet)
        zone, name = properties["AvailabilityZoneId"].text(), properties["AvailabilityZone"].text()
        if zone is not None:
            found.setdefault(subnet.template, set()).add(region_of_zone_id(zone))
        named = _ZONE_NAME.fullmatch(name or "")
        if named is not None:
            found.setdefault(subnet.template, set()).add(named[1])
    return {
        template: region
        for template, regions in found.items()
        if len(regions) == 1 and (region := next(iter(regions))) is not None
    }
