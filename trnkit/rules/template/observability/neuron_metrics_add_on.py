"""TRN650: the observability add-on of a cluster with Neuron nodes collects their metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.catalog import container_insights_facts
from trnkit.findings import Severity
from trnkit.rules.reading.eks_add_ons import (
    add_ons,
    configuration,
    configured,
    is_on,
    may_serve,
)
from trnkit.rules.reading.eks_groups import eks_groups
from trnkit.rules.reading.template_value import as_mapping
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.rules.stack_set import StackSet

_COLLECTED = ("logs", "metrics_collected", "kubernetes")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    groups = [group for group in eks_groups(stack_set) if group.neuron_types]
    for add_on in add_ons(stack_set, container_insights_facts().add_on_name):
        if not any(may_serve(add_on, g.cluster() if g.is_managed else None) for g in groups):
            continue
        values, written = configuration(add_on), add_on["ConfigurationValues"].text() or ""
        # The newer agents collect by OpenTelemetry, and have settings of their own.
        fault = _fault(values) if values and "otel" not in written.lower() else None
        if fault is not None:
            what, is_meant = fault
            yield Violation(
                message=f"{add_on.resource.logical_id}: {what}, so no metrics of Neuron devices "
                "are collected",
                hint="set enhanced_container_insights to true, and leave "
                "accelerated_compute_metrics out or true, under "
                "agent.config.logs.metrics_collected.kubernetes",
                resource=add_on.resource,
                path=add_on["ConfigurationValues"].path,
                severity=Severity.INFO if is_meant else None,
            )


def _fault(values: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Why the configuration of the agent leaves Neuron metrics out, and whether that is meant.

    Returns:
        None when it collects them, or when it is of another form than the agent's classic one.
    """
    config = configured(values, "agent", "config")
    if as_mapping(config) is None or not config or "agents" in values:
        return None  # The add-on's own configuration collects them.
    collected = as_mapping(configured(config, *_COLLECTED))
    if collected is None:
        return "its agent configuration has no metrics_collected.kubernetes", False
    for key, by_default in (
        ("enhanced_container_insights", False),
        ("accelerated_compute_metrics", True),
    ):
        switch = collected.get(key)
        if switch is None and not by_default:
            return f"its agent configuration has no {key}", False
        if switch is not None and not is_on(switch):
            return f"its agent configuration turns {key} off", True
    return None


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      InstanceTypes: [trn2.48xlarge]
      AmiType: AL2023_x86_64_NEURON
  Observability:
    Type: AWS::EKS::Addon
    Properties:
      ClusterName: training
      AddonName: amazon-cloudwatch-observability
      ConfigurationValues: >-
        {"agent": {"config": {"logs": {"metrics_collected": {"kubernetes": {"""

RULE = TemplateRule(
    id="TRN650",
    title="the observability add-on of a cluster with Neuron nodes collects their metrics",
    severity=Severity.WARNING,
    why="NeuronCore and Neuron device metrics come with enhanced Container Insights only. An agent "
    "configuration of one's own replaces the one that turns it on.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "install-CloudWatch-Observability-EKS-addon.html",
    good=_HEAD + '"enhanced_container_insights": true}}}}}}\n',
    bad=_HEAD + "}}}}}}\n",
    check=_check,
)
