"""TRN242: the types of a pool are sold in the way that it buys them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.offerings import judge_block_sold, judge_spot
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool

_HINT = "buy it in another way, or take another instance type"


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        verdicts = _verdicts(pool)
        first = verdicts[0] if verdicts else None
        if first is not None and all(verdicts):
            severity, wrong = first
            found = Objection(wrong.text, wrong.hint or _HINT, wrong.evidence)
            yield in_document(pool.name, pool.capacity.market, found, severity)


def _verdicts(pool: NodePool) -> list[tuple[Severity, Objection] | None]:
    """What is wrong with each of the types."""
    if pool.capacity.markets == frozenset({"spot"}):
        spot = [judge_spot(kind) for kind in pool.known_types]
        return [
            (found[0], Objection(found[1].text, _HINT, found[1].evidence)) if found else None
            for found in spot
        ]
    if pool.capacity.is_block and pool.region is not None:
        return [judge_block_sold(kind, pool.region) for kind in pool.known_types]
    return []


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: ap-south-2}
managedNodeGroups:
  - name: trn
    instanceType: %s
    privateNetworking: true
    efaEnabled: true
    capacityReservation:
      capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}
    instanceMarketOptions: {marketType: capacity-block}
"""

RULE = DocumentRule(
    id="TRN242",
    title="the types of a pool are sold in the way that it buys them",
    severity=Severity.ERROR,
    why="Otherwise no node ever starts, as if capacity were short.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_CLUSTER % "trn2.48xlarge",
    bad=_CLUSTER % "trn1n.32xlarge",
    check=_check,
)
