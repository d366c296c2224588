"""TRN243: Neuron nodes boot an image with Neuron's driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.image_names import judge_image_name
from trnkit.rules.judging.image_parameters import misnamed
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    told: set[tuple[int, object]] = set()
    for pool in documents.pools:
        found = _of_parallelcluster(pool) if pool.tool == "ParallelCluster" else _of_eks(pool)
        for violation in found:
            value = violation.value
            place = (id(value.document), value.path) if value else (0, ())
            if place not in told:  # Several pools may have one class.
                told.add(place)
                yield violation


def _of_eks(pool: NodePool) -> Iterator[Violation]:
    image = pool.image
    for value in (image.family, *image.names):
        text = value.text()
        wrong_name = misnamed(text.strip()) if text else None
        if wrong_name is not None:
            fault, right = wrong_name
            found = Objection(f"{value.path[-1]} {text}: {fault}", f"write {right}")
            yield in_document(pool.name, value, found)
            continue
        verdict = judge_image_name(text) if text else None
        if verdict is not None:
            severity, wrong = verdict
            # What runs at the start may install the driver.
            if severity is Severity.ERROR and image.scripts and "Windows" not in wrong.text:
                severity = Severity.WARNING
            named = Objection(f"{value.path[-1]} {text} {wrong.text}", wrong.hint)
            yield in_document(pool.name, value, named, severity)


def _of_parallelcluster(pool: NodePool) -> Iterator[Violation]:
    """ParallelCluster's own images have no Neuron software."""
    if pool.image.is_own or pool.image.scripts:
        return
    text = "has neither an image of its own nor a start script; ParallelCluster's images come "
    hint = "write Image.CustomAmi, or install Neuron's driver in CustomActions.OnNodeConfigured"
    found = Objection(f"{text}without Neuron's driver", hint)
    yield in_document(pool.name, pool.types[0].value, found, Severity.WARNING)


_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: train}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: trn2}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [trn2.48xlarge]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: trn2}
spec:
  amiFamily: AL2023
  amiSelectorTerms: [{name: amazon-eks-node-al2023-x86_64-%s-1.33-*}]
"""

RULE = DocumentRule(
    id="TRN243",
    title="Neuron nodes boot an image with Neuron's driver",
    severity=Severity.ERROR,
    why="Without the driver there are no Neuron devices: the device plugin finds none, and pods "
    "and jobs that ask for them wait.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html",
    good=_POOL % "neuron",
    bad=_POOL % "nvidia",
    check=_check,
)
