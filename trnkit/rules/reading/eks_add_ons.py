"""EKS add-ons and the configuration that they are given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import yaml

from trnkit.rules.reading.eks_groups import CLUSTER
from trnkit.rules.reading.template_value import TemplateValue, as_mapping, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

ADD_ON = "AWS::EKS::Addon"
_LONGEST = 65_536


def add_ons(stack_set: StackSet, name: str) -> Iterator[TemplateValue]:
    """The properties of every add-on of a name."""
    for resource in stack_set.resources(ADD_ON):
        properties = properties_of(resource)
        if properties["AddonName"].text() == name:
            yield properties


def may_serve(add_on: TemplateValue, cluster: Resource | None) -> bool:
    """Whether an add-on may be that of a cluster: of it, or of one that is not known."""
    found = add_on["ClusterName"].referred(CLUSTER)
    return cluster is None or found is None or found is cluster


def configuration(add_on: TemplateValue) -> Mapping[str, Any] | None:
    """`ConfigurationValues`, parsed, every value as JSON or YAML has it.

    Returns:
        An empty mapping when there are none; None when they are not known or cannot be parsed.
    """
    values = add_on["ConfigurationValues"]
    text = values.text()
    if values.is_absent:
        return {}
    if text is None or len(text) > _LONGEST:
        return None
    try:
        parsed: Any = json.loads(text)
    except (ValueError, RecursionError):
        parsed = _yaml(text)
    return cast("Mapping[str, Any]", parsed) if isinstance(parsed, Mapping) else None


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def configured(values: Mapping[str, Any], *path: str) -> Any:
    """The value at a path; None when it is not there."""
    found: Any = values
    for key in path:
        found = (as_mapping(found) or {}).get(key)
    return found


def is_on(value: Any) -> bool:
    """Whether a switch is on, however it is written."""
    return value is True or str(value).lower() == "true"
