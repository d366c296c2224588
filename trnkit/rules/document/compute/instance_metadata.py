"""TRN244: nodes that set their metadata options require IMDSv2, and let containers reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    told: set[tuple[int, object]] = set()
    for pool in documents.pools:
        tokens, hops = pool.http_tokens, pool.hop_limit
        place = (id(tokens.document), tokens.path)
        if place in told:
            continue
        told.add(place)
        if tokens.text() == "optional":
            found = Objection("httpTokens is optional, so IMDSv1 is open", "write required")
            yield in_document(pool.name, tokens, found)
        number = hops.integer()
        if number is not None and number < 2:
            text = (
                f"httpPutResponseHopLimit is {number}, so pods reach no instance metadata unless "
                "they use the host's network"
            )
            hint = "write 2, unless every pod has credentials of its own (EKS Pod Identity)"
            yield in_document(pool.name, hops, Objection(text, hint), Severity.INFO)


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
  amiSelectorTerms: [{alias: al2023@latest}]
  metadataOptions: {httpTokens: %s, httpPutResponseHopLimit: 2}
"""

RULE = DocumentRule(
    id="TRN244",
    title="metadata options require IMDSv2 and let containers reach it",
    severity=Severity.WARNING,
    why="IMDSv1 hands credentials to anything that can make the node fetch a URL. With a hop limit "
    "of 1, device plugins, CSI drivers and training code in pods get none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-options.html",
    good=_POOL % "required",
    bad=_POOL % "optional",
    check=_check,
)
