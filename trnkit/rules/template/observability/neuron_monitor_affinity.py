"""TRN653: DaemonSets for Neuron devices run on the Neuron nodes there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.eks_groups import eks_groups
from trnkit.rules.reading.kubernetes_manifests import (
    manifests,
    name_of,
    pod_of,
    required_instance_types,
)
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    types = {kind.name for group in eks_groups(stack_set) for kind in group.neuron_types}
    for value, document in manifests(stack_set) if types else ():
        name = name_of(document)
        if document.get("kind") != "DaemonSet" or "neuron" not in name:
            continue
        admitted = required_instance_types(pod_of(document))
        left_out = sorted(types - admitted) if admitted is not None else []
        # A list of other families is for other nodes.
        if left_out and admitted and any(kind.startswith(("trn", "inf")) for kind in admitted):
            yield Violation(
                message=f"{value.resource.logical_id}: the DaemonSet {name} never runs on "
                f"{alternatives(left_out, 'and')}, which its node affinity does not list",
                hint=f"add {alternatives(left_out, 'and')} to the values of "
                "node.kubernetes.io/instance-type, or select nodes by a label",
                resource=value.resource,
                path=value.path,
            )


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
  Monitor:
    Type: Custom::AWSCDK-EKS-KubernetesResource
    Properties:
      Manifest: >-
        [{"kind": "DaemonSet", "metadata": {"name": "neuron-monitor"}, "spec": {"template": {
        "spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "node.kubernetes.io/instance-type",
        "operator": "In", "values": ["trn1.32xlarge\""""
_TAIL = "]}]}]}}}}}}}]\n"

RULE = TemplateRule(
    id="TRN653",
    title="DaemonSets for Neuron devices run on the Neuron nodes there are",
    severity=Severity.WARNING,
    why="The published DaemonSet of Neuron Monitor lists the instance types of its day. On a type "
    "that is not listed nothing runs, and nothing says so.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/infrastructure/"
    "monitoring.html",
    good=_HEAD + ', "trn2.48xlarge"' + _TAIL,
    bad=_HEAD + _TAIL,
    check=_check,
)
