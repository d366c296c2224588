"""TRN246: a node group with a launch template leaves to it what the template has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

# https://docs.aws.amazon.com/eks/latest/eksctl/launch-template-support.html lists them.
_KEYS = (
    "instanceType",
    "ami",
    "securityGroups",
    "instancePrefix",
    "instanceName",
    "ebsOptimized",
    "volumeEncrypted",
    "volumeKmsKeyID",
    "volumeIOPS",
    "maxPodsPerNode",
    "preBootstrapCommands",
    "overrideBootstrapCommand",
    "disableIMDSv1",
)


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.tool != "eksctl" or pool.value["launchTemplate"].is_absent:
            continue
        for key in _KEYS:
            value = pool.value[key]
            if not value.is_absent:
                text = f"has {key} beside launchTemplate, which eksctl refuses"
                hint = f"move {key} into the launch template"
                if key == "instanceType":
                    hint = "move it into the launch template, or write instanceTypes"
                yield in_document(pool.name, value, Objection(text, hint))


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-east-2}
managedNodeGroups:
  - name: trn2
    launchTemplate: {id: lt-0123456789abcdef0}
"""

RULE = DocumentRule(
    id="TRN246",
    title="a node group leaves to its launch template what the template has",
    severity=Severity.ERROR,
    why="EKS takes the instance type, the image and the like from one place only.",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/launch-template-support.html",
    good=_CLUSTER + "    instanceTypes: [trn2.48xlarge]\n",
    bad=_CLUSTER + "    instanceType: trn2.48xlarge\n",
    check=_check,
)
