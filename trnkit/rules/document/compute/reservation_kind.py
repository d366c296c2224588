"""TRN236: what kind a reservation is, is known to the account alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

_BLOCKS = {
    "eksctl": "`instanceMarketOptions: {marketType: capacity-block}`",
    "ParallelCluster": "`CapacityType: CAPACITY_BLOCK`",
}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        for target in () if pool.capacity.kind_is_named else pool.capacity.targets:
            reservation = target.text()
            if reservation is None or not reservation.startswith("cr-"):
                continue
            text = (
                f"{pool.key(target)} is taken for an On-Demand Capacity Reservation; the id of a "
                "Capacity Block looks the same"
            )
            hint = (
                "see ReservationType in `aws ec2 describe-capacity-reservations "
                f"--capacity-reservation-ids {reservation}`; a block needs {_BLOCKS[pool.tool]}"
            )
            yield in_document(pool.name, target, Objection(text, hint))


_CLUSTER = """\
Region: us-east-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
      Networking: {SubnetIds: [subnet-2], PlacementGroup: {Enabled: false}}
      ComputeResources:
        - {Name: trn2, InstanceType: trn2.48xlarge, MaxCount: 4, Efa: {Enabled: true}}
"""

RULE = DocumentRule(
    id="TRN236",
    title="the kind of a pool's reservation is as the account has it",
    severity=Severity.INFO,
    why="A launch with the options of the other kind fails, or is refused for lack of capacity "
    "while the reservation is paid for and idle.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-view.html",
    good=_CLUSTER.replace("train\n", "train\n      CapacityType: ONDEMAND\n"),
    bad=_CLUSTER,
    check=_check,
)
