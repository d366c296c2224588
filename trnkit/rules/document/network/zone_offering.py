"""TRN130: the region, and the zones that are named, offer the instance types of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import region_of_zone_id
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.offerings import judge_region, judge_zone
from trnkit.rules.reading_documents.node_pools import region_of_zone_name
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        names = [kind.name for kind in pool.known_types]
        nowhere = judge_region(names, pool.region) if names and pool.region else None
        if nowhere is not None:
            yield in_document(pool.name, pool.types[0].value, nowhere)
        elif names:
            yield from _elsewhere(pool)
            yield from _zones(pool, names)


def _elsewhere(pool: NodePool) -> Iterator[Violation]:
    """Zones of another Region than the cluster's; Karpenter's own Region is not written down."""
    for zone in pool.zones if pool.tool != "Karpenter" else ():
        home = region_of_zone_name(zone.text() or "")
        if home is not None and pool.region is not None and home != pool.region:
            text = f"{zone.text()} is a zone of {home}; the cluster's region is {pool.region}"
            hint = f"name a zone of {pool.region}"
            yield in_document(pool.name, zone, Objection(text, hint))


def _zones(pool: NodePool, names: list[str]) -> Iterator[Violation]:
    capacity = pool.capacity
    # Reservations and Capacity Blocks are in places that the offerings do not list. And a zone's
    # name means another zone in another account.
    reserved = bool(capacity.targets) or bool(capacity.markets & {"reserved", "capacity-block"})
    ids = [zone for zone in pool.zones if region_of_zone_id(zone.text() or "")]
    if reserved or not ids or len(ids) < len(pool.zones):
        return
    wrong = [judge_zone(names, zone.text() or "") for zone in ids]
    first = wrong[0]
    if first is not None and all(wrong):
        hint = "name a zone that offers the type"
        yield in_document(pool.name, ids[0], Objection(first.text, hint, first.evidence))


_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: train}
spec:
  template:
    spec:
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [trn1.32xlarge]}
        - {key: topology.k8s.aws/zone-id, operator: In, values: [%s]}
"""

RULE = DocumentRule(
    id="TRN130",
    title="the region and the zones of a pool offer its instance types",
    severity=Severity.ERROR,
    why="Trainium is in few zones; a launch elsewhere fails, often as if capacity were short.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    good=_POOL % "usw2-az4",
    bad=_POOL % "usw2-az2",
    check=_check,
)
