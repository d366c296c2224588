"""The tags that instances and what belongs to them get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.fleets import fleets_of
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


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
    lists = _specified(template, "instance")
    for fleet in fleets_of(template, stack_set):
        own = properties_of(fleet.resource)["Tags"]
        lists.append(() if own.mapping() is not None else own.entries())
    return _read(lists)


def specified_tags(template: LaunchTemplate, kind: str) -> dict[str, str] | None:
    """Tags that a template itself gives to what it starts; None when they are not known.

    Args:
        template: The launch template.
        kind: The `ResourceType`, such as `volume`.
    """
    if template.data["TagSpecifications"].entries() is None:
        return None
    return _read(_specified(template, kind))


def tags_in(tags: TemplateValue) -> dict[str, str] | None:
    """Tags in a list; None when they are not known."""
    return _read([tags.entries()])


def _specified(template: LaunchTemplate, kind: str) -> list[tuple[TemplateValue, ...] | None]:
    return [
        specification["Tags"].entries()
        for specification in template.data["TagSpecifications"].entries() or ()
        if specification["ResourceType"].text() in (None, kind)
    ]


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
