"""TRN230: a Neuron type that the catalogue does not know is not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.instance_names import judge_neuron_name, judge_sagemaker_name
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.all_pools:
        for named in pool.neuron_types:
            in_ec2, severity = _starts_in_ec2(pool), None
            name = named.name if in_ec2 else named.name.removeprefix("ml.")
            wrong, misnamed = judge_neuron_name(name), judge_sagemaker_name(name)
            if misnamed is not None:
                severity = Severity.ERROR
                wrong = Objection(f"{named.name} is {misnamed.text}", misnamed.hint)
            if wrong is not None:
                yield in_document(pool.name, named.value, wrong, severity)


def _starts_in_ec2(pool: NodePool) -> bool:
    """Whether the nodes are EC2's; a NodePool of SageMaker HyperPod has SageMaker's names."""
    reference = pool.value["spec"]["template"]["spec"]["nodeClassRef"]
    return pool.tool != "Karpenter" or reference["kind"].text() == "EC2NodeClass"


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-east-2}
managedNodeGroups:
  - {name: trn, instanceType: %s, privateNetworking: true}
"""

RULE = DocumentRule(
    id="TRN230",
    title="instances of types outside the catalogue are not judged",
    severity=Severity.INFO,
    why="No findings would otherwise look like approval: what is known of interfaces, zones and "
    "Capacity Blocks comes from the catalogue. EC2 has no type of a SageMaker name.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    good=_CLUSTER % "trn2.48xlarge",
    bad=_CLUSTER % "trn3.48xlarge",
    check=_check,
)
