"""Kubernetes manifests that a template applies, as the CDK and others write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_TYPES = ("Custom::AWSCDK-EKS-KubernetesResource", "AWSQS::Kubernetes::Resource")
_LONGEST = 1_000_000
_KEYS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


def manifest_values(stack_set: StackSet) -> Iterator[TemplateValue]:
    """Where manifests stand."""
    for resource in stack_set.resources(*_TYPES):
        yield properties_of(resource)["Manifest"]


def manifests(stack_set: StackSet) -> Iterator[tuple[TemplateValue, Mapping[str, Any]]]:
    """Every object of manifests that are wholly known JSON, with its place."""
    for value in manifest_values(stack_set):
        text = value.text() or ""
        try:
            parsed: Any = json.loads(text) if len(text) <= _LONGEST else None
        except (ValueError, RecursionError):
            continue
        for document in as_list(parsed) or [parsed]:
            known = as_mapping(document)
            if known is not None:
                yield value, known


def required_instance_types(pod: Any) -> frozenset[str] | None:
    """The instance types that a pod's node affinity admits; None when it admits any."""
    found: set[str] = set()
    affinity = _at(pod, "affinity", "nodeAffinity")
    required = _at(affinity, "requiredDuringSchedulingIgnoredDuringExecution")
    terms = as_list(_at(required, "nodeSelectorTerms")) or []
    for term in terms:
        listed = [
            as_list(_at(expression, "values")) or []
            for expression in as_list(_at(term, "matchExpressions")) or []
            if _at(expression, "key") in _KEYS and _at(expression, "operator") == "In"
        ]
        if not listed:
            return None
        found |= {str(value) for values in listed for value in values if isinstance(value, str)}
    return frozenset(found) if terms else None


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = (as_mapping(value) or {}).get(key)
    return value


def pod_of(document: Mapping[str, Any]) -> Any:
    """The pod's specification in a DaemonSet, Deployment or Job."""
    return _at(document, "spec", "template", "spec")


def name_of(document: Mapping[str, Any]) -> str:
    """The object's name; empty when it has none."""
    name = _at(document, "metadata", "name")
    return name if isinstance(name, str) else ""
