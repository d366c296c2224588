"""TRN651: an alarm on a Neuron metric says what missing data mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import container_insights_facts
from trnkit.findings import Severity
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::CloudWatch::Alarm"):
        alarm = properties_of(resource)
        metric = next(filter(None, map(_neuron_metric, _metrics(alarm))), None)
        missing = alarm["TreatMissingData"]
        if metric is not None and missing.is_absent:
            yield Violation(
                message=f"{resource.logical_id}: is about {metric} and does not say what missing "
                "data mean, so without nodes, or without data, it stays INSUFFICIENT_DATA",
                hint="set TreatMissingData to breaching when silence is a fault, else to "
                "notBreaching",
                resource=resource,
                path=missing.path,
            )


def _metrics(alarm: TemplateValue) -> Iterator[TemplateValue]:
    """What has `Namespace` and `MetricName`: the alarm itself, and its queries."""
    yield alarm
    for query in alarm["Metrics"].entries() or ():
        yield query["MetricStat"]["Metric"]


def _neuron_metric(value: TemplateValue) -> str | None:
    name = value["MetricName"].text() or ""
    ours = value["Namespace"].text() == container_insights_facts().metric_namespace
    return name if ours and "neuron" in name else None


_HEAD = """\
Resources:
  Stuck:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: ContainerInsights
      MetricName: node_neuron_execution_errors_total
      Dimensions: [{Name: ClusterName, Value: training}]
      Statistic: Sum
      Period: 300
      EvaluationPeriods: 1
      Threshold: 0
      ComparisonOperator: GreaterThanThreshold
"""

RULE = TemplateRule(
    id="TRN651",
    title="an alarm on a Neuron metric says what missing data mean",
    severity=Severity.WARNING,
    why="Neuron metrics stop when nodes go or the agent lacks rights. The alarm that should tell "
    "of it then neither rings nor clears.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "alarms-and-missing-data.html",
    good=_HEAD + "      TreatMissingData: notBreaching\n",
    bad=_HEAD,
    check=_check,
)
