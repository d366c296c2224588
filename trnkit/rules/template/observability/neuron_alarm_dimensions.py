"""TRN640: an alarm on a Neuron metric of nodes has dimensions that the metric is sent with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import container_insights_facts
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = container_insights_facts()
    for resource in stack_set.resources("AWS::CloudWatch::Alarm"):
        alarm = properties_of(resource)
        queries = [q["MetricStat"]["Metric"] for q in alarm["Metrics"].entries() or ()]
        for metric in (alarm, *queries):
            name = metric["MetricName"].text() or ""
            sent = facts.dimensions_of(name)
            given = _names(metric["Dimensions"])
            if metric["Namespace"].text() != facts.metric_namespace or sent is None:
                continue
            if given is None or any(given == set(one) for one in sent):
                continue
            with_what = alternatives(sorted(given), "and") if given else "no dimensions"
            near = _nearest(sent, given)
            yield Violation(
                message=f"{resource.logical_id}: is about {name} with {with_what}, which is not "
                "sent so: the alarm never gets data",
                hint=f"take exactly {', '.join(near)}; CloudWatch adds up no dimensions by itself",
                resource=resource,
                path=metric["Dimensions"].path,
                evidence=f"catalogue, Neuron metrics ({facts.date})",
            )


def _names(dimensions: TemplateValue) -> set[str] | None:
    """Names of the dimensions; None when one of them is not known."""
    entries = dimensions.entries()
    if entries is None:
        return None
    names = [entry["Name"].text() for entry in entries]
    return None if None in names else {name for name in names if name is not None}


def _nearest(sets: tuple[tuple[str, ...], ...], given: set[str]) -> tuple[str, ...]:
    """The set that shares most with what was given; of several the smallest."""
    return max(sets, key=lambda one: (len(given & set(one)), -len(one)))


_HEAD = """\
Resources:
  Idle:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: ContainerInsights
      MetricName: node_neuroncore_utilization
      Statistic: Average
      Period: 300
      EvaluationPeriods: 1
      Threshold: 5
      ComparisonOperator: LessThanThreshold
      TreatMissingData: breaching
      Dimensions:
        - {Name: ClusterName, Value: training}
"""

RULE = TemplateRule(
    id="TRN640",
    title="an alarm on a Neuron metric of nodes has dimensions that the metric is sent with",
    severity=Severity.WARNING,
    why="Each set of dimensions is a metric of its own. An alarm on a set that nobody sends stays "
    "without data, whatever happens on the node.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "Container-Insights-metrics-enhanced-EKS.html",
    good=_HEAD,
    bad=f"{_HEAD}        - {{Name: NodeName, Value: ip-10-0-0-1.us-east-2.compute.internal}}\n",
    check=_check,
)
