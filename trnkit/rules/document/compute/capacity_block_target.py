"""TRN234: nodes of a Capacity Block, or of reservations alone, name their reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

_HINTS = {
    "Karpenter": "add capacityReservationSelectorTerms to the EC2NodeClass",
    "eksctl": "add capacityReservation.capacityReservationTarget with the block's reservation",
    "ParallelCluster": "add CapacityReservationTarget with the block's reservation",
}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        capacity = pool.capacity
        from_reservations = capacity.markets == frozenset({"reserved"})
        if capacity.targets or not capacity.targets_are_known:
            continue
        if capacity.is_block or from_reservations:
            what = "a Capacity Block" if capacity.is_block else "reservations only"
            found = Objection(f"is to use {what}, and names no reservation", _HINTS[pool.tool])
            yield in_document(pool.name, capacity.market, found)


_CLUSTER = """\
Region: us-east-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      CapacityType: CAPACITY_BLOCK
      Networking: {SubnetIds: [subnet-2]}
      ComputeResources:
        - Name: trn2
          InstanceType: trn2.48xlarge
          MinCount: 4
          MaxCount: 4
          Efa: {Enabled: true}
"""
_TARGET = "          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}\n"

RULE = DocumentRule(
    id="TRN234",
    title="nodes of a Capacity Block name its reservation",
    severity=Severity.ERROR,
    why="EC2 refuses the launch, or no node ever starts, while the block is paid for.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    good=_CLUSTER + _TARGET,
    bad=_CLUSTER,
    check=_check,
)
