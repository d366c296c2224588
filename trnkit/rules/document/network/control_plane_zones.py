"""TRN133: an EKS control plane has two zones, also where the nodes have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.control_plane import judge_zone_number
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue


def _check(documents: DocumentSet) -> Iterator[Violation]:
    with_nodes = {id(pool.value.document) for pool in documents.pools}
    for cluster in documents.eksctl_clusters:
        if id(cluster.document) not in with_nodes:
            continue
        for value, zones in _named(cluster):
            wrong = judge_zone_number(zones, "zone")
            if wrong is not None and zones:
                found = Objection(f"{value.path[-1]} {wrong.text}", wrong.hint)
                yield in_document(_name(cluster), value, found)


def _name(cluster: DocumentValue) -> str:
    return f"cluster {cluster['metadata']['name'].text() or 'without a name'}"


def _named(cluster: DocumentValue) -> Iterator[tuple[DocumentValue, list[str]]]:
    """Where zones of the cluster are named, and which; nothing where one is filled in later."""
    zones = cluster["availabilityZones"]
    if all(zone.text() for zone in zones.items()):
        yield zones, [zone.text() or "" for zone in zones.items()]
    subnets = cluster["vpc"]["subnets"]
    if not cluster["vpc"]["securityGroup"].is_absent:
        return  # So somebody else's cluster is written, of which the nodes' subnets are enough.
    entries = [entry for side in ("private", "public") for entry in subnets[side].fields()]
    # Each is named by its zone, or by any other name with the zone (or only an id) inside.
    if entries and all(entry.mapping() is not None for entry in entries):
        yield subnets, [entry["az"].text() or str(entry.path[-1]) for entry in entries]


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-west-2}
availabilityZones: [%s]
managedNodeGroups:
  - name: trn1
    instanceType: trn1.32xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-west-2d]
"""

RULE = DocumentRule(
    id="TRN133",
    title="a control plane has two zones, also where its nodes have one",
    severity=Severity.ERROR,
    why="EKS refuses a cluster with subnets in a single zone. The nodes have zones of their own.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    good=_CLUSTER % "us-west-2b, us-west-2d",
    bad=_CLUSTER % "us-west-2d",
    check=_check,
)
