"""The tags that instances and what belongs to them get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.fleets import BATCH, EC2_FLEET, INSTANCE, fleets_of
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def instance_tags(template: LaunchTemplate, stack_set: StackSet) -> dict[str, str] | None:
    """Tags of the instances a template starts, its groups' propagated ones too; None: not known."""
    return _with_groups(template, stack_set) if _specified(template, "instance") else None


def written_tags(template: LaunchTemplate, stack_set: StackSet) -> dict[str, str] | None:
    """The same where the launch template itself gives instances no tag.

    A stack that is deployed with tags gives them to its Auto Scaling groups too, and these to their
    instances. None: not known, or nothing here starts the template.
    """
    is_known = template.data["TagSpecifications"].entries() is not None
    started = bool(fleets_of(template, stack_set))
    return _with_groups(template, stack_set) if is_known and started else None


def _with_groups(template: LaunchTemplate, stack_set: StackSet) -> dict[str, str] | None:
    found = [_read(_specified(template, "instance"))]
    found += [_handed_on(fleet.resource) for fleet in fleets_of(template, stack_set)]
    return _together(found)


def part_tags(template: LaunchTemplate, kind: str, stack_set: StackSet) -> dict[str, str] | None:
    """Tags of what belongs to the instances a template starts; None when they are not known.

    Args:
        template: The launch template.
        kind: The `ResourceType`, such as `volume`.
        stack_set: The set it is in.
    """
    if template.data["TagSpecifications"].entries() is None:
        return None
    found = [_read(_specified(template, kind))]
    for fleet in fleets_of(template, stack_set):
        to_volumes = properties_of(fleet.resource)["PropagateTagsToVolumeOnCreation"]
        of_instance = fleet.resource.type == INSTANCE and to_volumes.boolean() is True
        # AWS Batch speaks of the EC2 resources that it launches, and does not say which.
        if fleet.resource.type == BATCH or (kind == "volume" and of_instance):
            found.append(_handed_on(fleet.resource))
    return _together(found)


def _handed_on(resource: Resource) -> dict[str, str] | None:
    """Tags that what starts instances gives them; None when they are not known."""
    properties = properties_of(resource)
    if resource.type == BATCH:
        return _in_mapping(properties["ComputeResources"]["Tags"])
    if resource.type == EC2_FLEET:
        return _read(_of_kind(properties["TagSpecifications"], "instance"))
    own = properties["Tags"]
    # Node groups of EKS and PCS, which have a mapping, keep theirs for themselves.
    return {} if own.mapping() is not None else _read([own.entries()])


def _together(found: list[dict[str, str] | None]) -> dict[str, str] | None:
    carried: dict[str, str] = {}
    for tags in found:
        if tags is None:
            return None
        carried |= tags
    return carried


def tags_in(tags: TemplateValue) -> dict[str, str] | None:
    """Tags in a list; None when they are not known."""
    return _read([tags.entries()])


def _specified(template: LaunchTemplate, kind: str) -> list[tuple[TemplateValue, ...] | None]:
    return _of_kind(template.data["TagSpecifications"], kind)


def _of_kind(specifications: TemplateValue, kind: str) -> list[tuple[TemplateValue, ...] | None]:
    return [
        specification["Tags"].entries()
        for specification in specifications.entries() or ()
        if specification["ResourceType"].text() in (None, kind)
    ]


def _in_mapping(tags: TemplateValue) -> dict[str, str] | None:
    if tags.is_absent:
        return {}
    known = {str(key): tags[key].text() for key in tags.mapping() or {}}
    certain = {key: text for key, text in known.items() if text is not None}
    return certain if tags.mapping() is not None and len(certain) == len(known) else None


def _read(lists: list[tuple[TemplateValue, ...] | None]) -> dict[str, str] | None:
    carried: dict[str, str] = {}
    for tags in lists:
        for tag in tags or ():
            if tag["PropagateAtLaunch"].boolean() is False:
                continue
            key, value = tag["Key"].text(), tag["Value"].text()
            if key is None or value is None:
                return None
            carried[key] = value
    return None if None in lists else carried
