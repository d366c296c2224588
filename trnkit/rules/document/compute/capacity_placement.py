"""TRN235: the placement group of a pool agrees with where its capacity is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.placement import judge_placement
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.judging.placement import Source
    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        verdict = judge_placement(pool.placement.state, _source(pool))
        if verdict is not None:
            severity, wrong = verdict
            text = f"{pool.key(pool.placement.value)} {wrong.text}"
            if pool.placement.implied and pool.capacity.is_block:
                text = f"{text} (eksctl makes a group for EFA unasked)"
            found = Objection(text, _hint(pool))
            yield in_document(pool.name, pool.placement.value, found, severity)


def _source(pool: NodePool) -> Source:
    if pool.capacity.is_block:
        return "capacity-block"
    certain = pool.tool != "Karpenter" and "spot" not in pool.capacity.markets
    return "reservation" if pool.capacity.targets and certain else "other"


def _hint(pool: NodePool) -> str:
    if pool.tool == "Karpenter":
        return "remove placementGroupSelector"
    if pool.tool == "ParallelCluster":
        if pool.capacity.is_block:
            return "set PlacementGroup.Enabled to false"
        return "write the reservation's own group as PlacementGroup.Name, or set Enabled to false"
    if not pool.placement.implied:
        return "remove placement"
    if pool.capacity.is_block:
        return "use managedNodeGroups, where eksctl makes no group beside a reservation"
    return "write the reservation's own group as placement.groupName, or use managedNodeGroups"


_CLUSTER = """\
Region: us-east-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      CapacityType: CAPACITY_BLOCK
      CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
      Networking: {SubnetIds: [subnet-2], PlacementGroup: {Enabled: %s}}
      ComputeResources:
        - Name: trn2
          InstanceType: trn2.48xlarge
          MinCount: 4
          MaxCount: 4
          Efa: {Enabled: true}
"""

RULE = DocumentRule(
    id="TRN235",
    title="the placement group of a pool agrees with where its capacity is",
    severity=Severity.ERROR,
    why="EC2 refuses placement groups with Capacity Blocks, and a reservation that was not made in "
    "the group cannot be used from it: some nodes start On-Demand, the others not at all.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html",
    good=_CLUSTER % "false",
    bad=_CLUSTER % "true",
    check=_check,
)
