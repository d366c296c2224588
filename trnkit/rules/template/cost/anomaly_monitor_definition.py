"""TRN460: an anomaly monitor is defined as Cost Explorer takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.findings import Severity
from trnkit.rules.reading.anomaly_resources import MONITOR, json_in
from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_WITHOUT_SPECIFICATION = ("SERVICE", "LINKED_ACCOUNT")
_OF_CUSTOM = "LINKED_ACCOUNT"
_WITH_SPECIFICATION = ("TAG", "COST_CATEGORY")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(MONITOR):
        properties = properties_of(resource)
        specification = properties["MonitorSpecification"]
        for value, text, hint in (*_kind(properties), *_specification(specification)):
            yield Violation(
                message=f"{resource.logical_id}: {text}",
                hint=hint,
                resource=resource,
                path=value.path,
            )


def _kind(properties: TemplateValue) -> Iterator[tuple[TemplateValue, str, str]]:
    kind, dimension = properties["MonitorType"].text(), properties["MonitorDimension"]
    specification = properties["MonitorSpecification"]
    name = dimension.text()
    if kind == "CUSTOM":
        if specification.is_absent:
            yield specification, "is CUSTOM and watches nothing", "add MonitorSpecification"
        if name is not None:
            text = f"is CUSTOM and has the dimension {name}, which exclude each other"
            yield dimension, text, "remove MonitorDimension"
    elif kind == "DIMENSIONAL":
        if dimension.is_absent:
            yield dimension, "is DIMENSIONAL without a dimension", "add MonitorDimension"
        elif name in _WITHOUT_SPECIFICATION and specification.text() is not None:
            text = f"watches every {name} and has a specification, which exclude each other"
            yield specification, text, "remove MonitorSpecification"
        elif name in _WITH_SPECIFICATION and specification.is_absent:
            yield specification, f"watches {name} without a key", "add MonitorSpecification"


def _specification(value: TemplateValue) -> Iterator[tuple[TemplateValue, str, str]]:
    try:
        parsed = json_in(value)
    except ValueError:
        yield value, "has a specification that is no JSON", "write an Expression as JSON text"
        return
    dimension = as_mapping((as_mapping(parsed) or {}).get("Dimensions")) or {}
    if "Key" in dimension and dimension["Key"] != _OF_CUSTOM:
        text = (
            f"watches the dimension {dimension['Key']}; a CUSTOM monitor takes {_OF_CUSTOM} alone"
        )
        yield value, text, "watch accounts, a tag or a cost category, or be DIMENSIONAL"
    most = anomaly_limits().values_per_monitor
    for part in (as_mapping(parsed) or {}).values():
        values = as_list((as_mapping(part) or {}).get("Values")) or []
        if len(values) > most:
            text = f"watches {len(values)} values; a monitor takes {most}"
            yield value, text, "make several monitors"


_MONITOR = """\
Resources:
  Monitor:
    Type: AWS::CE::AnomalyMonitor
    Properties:
      MonitorName: team=ml
      MonitorType: CUSTOM
      MonitorSpecification: '%s'
"""

RULE = TemplateRule(
    id="TRN460",
    title="an anomaly monitor is defined as Cost Explorer takes it",
    severity=Severity.ERROR,
    why="Cost Explorer refuses the monitor, and the deployment fails; nothing before looks at it.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalyMonitor.html",
    good=_MONITOR % '{"Tags": {"Key": "team", "Values": ["ml"]}}',
    bad=_MONITOR % "team=ml",
    check=_check,
)
