"""TRN535: a DaemonSet that lists instance types lists the Neuron types that it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import alternatives, from_catalogue
from trnkit.rules.reading_documents.node_pools import is_neuron_type
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.workloads import PodSpec

_EFA_PLUGIN = "aws-efa-k8s-device-plugin"
_NEURON_IMAGES = ("neuron-device-plugin", "neuron-monitor", "neuron-node-problem-detector")
# That a list for training leaves out Inferentia is no news.
_TRAINIUM = "trn"


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.all_pods:
        listed = pod.node_type_values or ()
        if pod.kind != "DaemonSet" or not any(is_neuron_type(_name(v)) for v in listed):
            continue
        images = " ".join(c.value["image"].text() or "" for c in pod.containers)
        if _EFA_PLUGIN in images:
            yield from _without_efa(pod, listed)
            yield from _missing(pod, listed, documents, with_efa=True)
        elif any(name in images for name in _NEURON_IMAGES):
            yield from _missing(pod, listed, documents, with_efa=False)


def _name(value: DocumentValue) -> str:
    return (value.text() or "").removeprefix("ml.")


def _without_efa(pod: PodSpec, listed: tuple[DocumentValue, ...]) -> Iterator[Violation]:
    for value in listed:
        known = find_instance_type(_name(value))
        if known is not None and known.maximum_efa_interfaces == 0:
            text = f"lists {known.name}, which has no EFA for the plugin to find"
            found = Objection(text, "remove it", from_catalogue(known, "no EFA"))
            yield in_document(pod.name, value, found, Severity.WARNING)


def _missing(
    pod: PodSpec, listed: tuple[DocumentValue, ...], documents: DocumentSet, *, with_efa: bool
) -> Iterator[Violation]:
    names = {_name(value) for value in listed}
    wanted = [
        kind.name
        for kind in map(find_instance_type, instance_type_names())
        if kind is not None and (kind.maximum_efa_interfaces if with_efa else True)
    ]
    # That a list leaves out a type is wrong for certain where nodes of it are in use.
    needed = [name for name in wanted if name in documents.types_in_use - names]
    absent = [name for name in wanted if name not in names and name.startswith(_TRAINIUM)]
    shown = needed or absent
    if shown:
        text = f"lists instance types without {alternatives(shown)}"
        reason = ", of which nodes are described beside it" if needed else ""
        found = Objection(f"{text}{reason}", "add the types that your nodes have")
        severity = Severity.WARNING if needed else Severity.INFO
        yield in_document(pod.name, listed[0], found, severity)


_SET = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: efa, namespace: kube-system}
spec:
  selector: {matchLabels: {name: efa}}
  template:
    metadata: {labels: {name: efa}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: node.kubernetes.io/instance-type
                    operator: In
                    values: [p5.48xlarge, trn1.32xlarge, trn1n.32xlarge%s]
      containers: [{name: plugin, image: example.com/eks/aws-efa-k8s-device-plugin:v0.5.20}]
"""

RULE = DocumentRule(
    id="TRN535",
    title="a device plugin that lists instance types lists the Neuron types it serves",
    severity=Severity.WARNING,
    why="On nodes of other types the plugin never runs: they have no devices to give, and pods "
    "that ask for them stay pending.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html",
    good=_SET % ", trn2.3xlarge, trn2.48xlarge, trn2u.48xlarge",
    bad=_SET % "",
    check=_check,
)
