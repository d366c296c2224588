"""TRN654: an alarm is about a Neuron metric that there is."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from trnkit.catalog import container_insights_facts, neuron_metric_names
from trnkit.findings import Severity
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_LIKE = 0.75


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts, known = container_insights_facts(), neuron_metric_names()
    for resource in stack_set.resources("AWS::CloudWatch::Alarm"):
        alarm = properties_of(resource)
        queries = [q["MetricStat"]["Metric"] for q in alarm["Metrics"].entries() or ()]
        for metric in (alarm, *queries):
            name = metric["MetricName"].text() or ""
            ours = metric["Namespace"].text() == facts.metric_namespace and "neuron" in name
            if not ours or name in known or len(name) > 255:
                continue
            near = difflib.get_close_matches(name, known, n=1, cutoff=_LIKE)
            yield Violation(
                message=f"{resource.logical_id}: is about {name}, which is not among the "
                f"{len(known)} Neuron metrics that are known here",
                hint=did_you_mean(near, "look the name up among the metrics of the add-on"),
                resource=resource,
                path=metric["MetricName"].path,
                evidence=f"catalogue, Neuron metrics ({facts.date})",
            )


_HEAD = """\
Resources:
  Idle:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: ContainerInsights
      Dimensions: [{Name: ClusterName, Value: training}]
      Statistic: Average
      Period: 300
      EvaluationPeriods: 1
      Threshold: 5
      ComparisonOperator: LessThanThreshold
      TreatMissingData: breaching
      MetricName: """

RULE = TemplateRule(
    id="TRN654",
    title="an alarm is about a Neuron metric that there is",
    severity=Severity.INFO,
    why="CloudWatch takes any name, and an alarm on a metric that nobody sends never rings.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "Container-Insights-metrics-enhanced-EKS.html",
    good=f"{_HEAD}node_neuroncore_utilization\n",
    bad=f"{_HEAD}node_neuroncore_utilisation\n",
    check=_check,
)
