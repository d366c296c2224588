"""TRN237: nodes are bought as Spot or from a reservation, not both."""

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
    for pool in documents.pools:
        capacity = pool.capacity
        if pool.tool == "Karpenter" or "spot" not in capacity.markets:
            continue  # Karpenter takes each of the kinds for other nodes.
        if capacity.targets or "capacity-block" in capacity.markets:
            text = f"{pool.key(capacity.market)} and a reservation exclude each other"
            if capacity.market.path[-1] != "marketType":
                text = "is Spot and names a reservation, from which Spot cannot start"
            found = Objection(text, "remove one of the two")
            yield in_document(pool.name, capacity.market, found)


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-east-2}
managedNodeGroups:
  - name: trn2
    instanceType: trn2.48xlarge
    privateNetworking: true
    capacityReservation:
      capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}
"""

RULE = DocumentRule(
    id="TRN237",
    title="nodes are bought as Spot or from a reservation",
    severity=Severity.ERROR,
    why="EC2 refuses a launch that asks for both.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    good=_CLUSTER,
    bad=_CLUSTER + "    spot: true\n",
    check=_check,
)
