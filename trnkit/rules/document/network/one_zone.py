"""TRN131: nodes with EFA, or in a cluster placement group, are in one zone."""

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


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.tool == "Karpenter":
            continue  # It lists the zones to choose from, and a job's pods choose.
        together = pool.placement.state == "new"
        if not together and pool.efa.asked is not True:
            continue
        what = "are in a cluster placement group" if together else "have EFA"
        places, noun = _places(pool)
        different = {place.text() for place in places}
        if len(different) > 1:
            text = (
                f"starts nodes in {len(different)} {noun}, but they {what}, which does not cross "
                "zones"
            )
            place = places[0].document.root
            for part in places[0].path[:-1]:
                place = place[part]
            yield in_document(pool.name, place, Objection(text, f"name one of the {noun}"))


def _places(pool: NodePool) -> tuple[tuple[DocumentValue, ...], str]:
    """The zones; of ParallelCluster the subnets, each of which must be in another zone."""
    if pool.tool == "ParallelCluster":
        return tuple(subnet for subnet in pool.subnets if subnet.text()), "subnets"
    return tuple(zone for zone in pool.zones if zone.text()), "zones"


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-west-2}
availabilityZones: [us-west-2b, us-west-2d]
managedNodeGroups:
  - name: trn1
    instanceType: trn1.32xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [%s]
"""

RULE = DocumentRule(
    id="TRN131",
    title="nodes that work closely together are in one zone",
    severity=Severity.WARNING,
    why="EFA does not cross zones, and a cluster placement group is in one: launches in the others "
    "fail, or the tool takes one of them, which may be another the next time.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    good=_CLUSTER % "us-west-2d",
    bad=_CLUSTER % "us-west-2b, us-west-2d",
    check=_check,
)
