"""TRN245: nodes of Amazon Linux 2023 are not started with Amazon Linux 2's script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.node_pools import NodePool

_SCRIPT = "/etc/eks/bootstrap.sh"


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.tool != "ParallelCluster" and _is_amazon_linux_2023(pool):
            for value in pool.image.scripts:
                if _calls_script(value):
                    text = f"{value.path[-1]} calls {_SCRIPT}, which Amazon Linux 2023 has not"
                    hint = "give nodeadm a NodeConfig instead"
                    yield in_document(pool.name, value, Objection(text, hint))


def _is_amazon_linux_2023(pool: NodePool) -> bool:
    family = pool.image.family.text()
    aliases = [name.text() or "" for name in pool.image.names]
    return family in ("AL2023", "AmazonLinux2023") or any(
        alias.startswith("al2023@") for alias in aliases
    )


def _calls_script(value: DocumentValue) -> bool:
    texts = (value, *value.items())
    lines = [
        line.strip()
        for text in texts
        if isinstance(text.raw, str)
        for line in text.raw.splitlines()
    ]
    # It may ask whether there is one.
    asks = any("-f " + _SCRIPT in line or "-x " + _SCRIPT in line for line in lines)
    return not asks and any(_SCRIPT in line and not line.startswith("#") for line in lines)


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-east-2}
managedNodeGroups:
  - name: trn2
    instanceType: trn2.48xlarge
    privateNetworking: true
    ami: ami-0123456789abcdef0
    amiFamily: AmazonLinux2023
"""

RULE = DocumentRule(
    id="TRN245",
    title="nodes of Amazon Linux 2023 are started by nodeadm",
    severity=Severity.ERROR,
    why="The script is not there, so the node never joins the cluster.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/al2023.html",
    good=_CLUSTER,
    bad=_CLUSTER
    + "    overrideBootstrapCommand: |\n      #!/bin/bash\n      /etc/eks/bootstrap.sh train\n",
    check=_check,
)
