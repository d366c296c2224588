"""TRN540: Neuron's driver on the nodes and its runtime in the pods go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.neuron_skew import driver_of_image_name, judge_skew
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.judging.neuron_skew import HostDriver
    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    hosts = [driver for pool in documents.pools for driver in _drivers_of(pool)]
    for pod in documents.pods:
        for container in pod.containers:
            image = container.value["image"]
            found = judge_skew(image.text() or "", hosts)
            if found is not None:
                name = f"{pod.name}: container {container.name}"
                yield in_document(name, image, found)


def _drivers_of(pool: NodePool) -> list[HostDriver | None]:
    """What is known of each image that nodes of a pool may boot."""
    image = pool.image
    if image.is_own or not image.names or _may_install(pool):
        return [None]
    return [driver_of_image_name((name.text() or "").strip()) for name in image.names]


def _may_install(pool: NodePool) -> bool:
    """Whether what runs at the start may bring another driver."""
    return any("neuron" in (script.text() or "neuron") for script in pool.image.scripts)


_DOCUMENTS = """\
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
  amiSelectorTerms: [{alias: al2023@v20260714}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: pretrain}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk%s-ubuntu24.04
          resources: {limits: {aws.amazon.com/neuron: 16}}
"""

RULE = DocumentRule(
    id="TRN540",
    title="driver on the nodes and runtime in the pods go together",
    severity=Severity.WARNING,
    why="The driver is the node's and the runtime the container's. Where one is too old for the "
    "other, nrt_init fails: the pod starts, and finds no device.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/components/runtime.html",
    good=_DOCUMENTS % "2.32.0",
    bad=_DOCUMENTS % "2.29.0",
    check=_check,
)
