"""TRN335: an EFA-enabled file system has a metadata configuration, and clients that use EFA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_efa import clients_over_tcp, judge_efa_metadata
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    over_tcp = clients_over_tcp(documents.types_in_use)
    if documents.may_have_other_efa:
        over_tcp = None  # GPUs, say, for which the file system may be meant.
    for found in documents.file_systems:
        if found.efa.boolean() is not True:
            continue
        metadata = found.metadata
        wrong = judge_efa_metadata(given=not metadata.is_absent or found.is_restored)
        if wrong is not None:
            named = Objection(f"{metadata.path[-1]} {wrong.text}", wrong.hint, wrong.evidence)
            yield in_document(found.name, metadata, named)
        if over_tcp is not None:
            nodes = f"nodes of {over_tcp}"
            text = f"{found.efa.path[-1]} is true, but {nodes} mount the file system over TCP"
            evidence = f"the FSx guide excludes {over_tcp} as clients over EFA"
            hint = "remove it, or add nodes that reach Lustre over EFA, such as trn1.32xlarge"
            yield in_document(found.name, found.efa, Objection(text, hint, evidence))


_SET = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fsx}
provisioner: fsx.csi.aws.com
parameters:
  subnetId: subnet-0123456789abcdef0
  securityGroupIds: sg-0123456789abcdef0
  deploymentType: PERSISTENT_2
  perUnitStorageThroughput: "1000"
  fileSystemTypeVersion: "2.15"
  metadataConfigurationMode: AUTOMATIC
  efaEnabled: "true"
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector: {node.kubernetes.io/instance-type: %s}
  containers:
    - {name: train, image: "example.com/train:1", resources: {limits: {aws.amazon.com/neuron: 16}}}
"""

RULE = DocumentRule(
    id="TRN335",
    title="an EFA-enabled file system has metadata settings, and clients that use EFA",
    severity=Severity.WARNING,
    why="The trn2 family mounts Lustre over TCP all the same, and EFA asks for far more capacity; "
    "without a metadata configuration, FSx may refuse it.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    good=_SET % "trn1.32xlarge",
    bad=_SET % "trn2.48xlarge",
    check=_check,
)
