"""TRN461: an account has one monitor over its services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.findings import Severity
from trnkit.rules.reading.anomaly_resources import MONITOR
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = anomaly_limits()
    seen: dict[tuple[str, str | None], str] = {}
    for resource in stack_set.resources(MONITOR):
        if properties_of(resource)["MonitorDimension"].text() != "SERVICE":
            continue
        # Of two under different conditions, only one may ever be made.
        made = (resource.template.path, resource.condition)
        first = seen.setdefault(made, resource.logical_id)
        twice = first != resource.logical_id
        yield Violation(
            message=f"{resource.logical_id}: watches all AWS services"
            + (f", like {first}" if twice else "")
            + f"; an account has {limits.service_monitors_per_account} such monitor"
            + ("" if twice else ", and many have it already"),
            hint="subscribe to the existing monitor by its ARN",
            resource=resource,
            path=("Properties", "MonitorDimension"),
            severity=Severity.ERROR if twice else Severity.INFO,
            evidence=f"catalogue, monitors over services ({limits.date})",
        )


_MONITOR = """\
Resources:
  Monitor:
    Type: AWS::CE::AnomalyMonitor
    Properties: {MonitorName: all, MonitorType: DIMENSIONAL, MonitorDimension: %s}
"""

RULE = TemplateRule(
    id="TRN461",
    title="an account has one monitor over its services",
    severity=Severity.INFO,
    why="The second is refused, with a message that speaks of a name clash.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/management-limits.html",
    good=_MONITOR % "LINKED_ACCOUNT",
    bad=_MONITOR % "SERVICE",
    check=_check,
)
