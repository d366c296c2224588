"""TRN239: a Capacity Block has one instance type, and its nodes are all there or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.capacity.is_block and pool.tool != "Karpenter":
            yield from _types(pool)
            if pool.tool == "ParallelCluster":
                yield from _size(pool)


def _types(pool: NodePool) -> Iterator[Violation]:
    names = list(dict.fromkeys(named.name for named in pool.types))
    mixed = pool.capacity.mixed
    if len(names) > 1:
        text = f"names {alternatives(names, 'and')}; a Capacity Block has one instance type"
        yield in_document(pool.name, pool.types[1].value, Objection(text, "name the block's type"))
    elif mixed is not None and pool.tool == "eksctl":
        text = f"has {pool.key(mixed)}, which Auto Scaling does not take with a Capacity Block"
        yield in_document(pool.name, mixed, Objection(text, "name the type as instanceType"))


def _size(pool: NodePool) -> Iterator[Violation]:
    least, most = pool.minimum, pool.maximum
    if least.is_placeholder or most.is_placeholder:
        return
    number = least.integer() or 0
    if most.is_absent or number != most.integer() or number == 0:
        shown = most.text() or "not given"
        text = f"has MinCount {number} and MaxCount {shown}; nodes of a Capacity Block are static"
        place = least if not least.is_absent else pool.value
        hint = "give both the number of instances of the block"
        yield in_document(pool.name, place, Objection(text, hint))


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
      Networking: {SubnetIds: [subnet-2]}
      ComputeResources:
        - {Name: trn2, InstanceType: trn2.48xlarge, MinCount: %s, MaxCount: 4, Efa: {Enabled: true}}
"""

RULE = DocumentRule(
    id="TRN239",
    title="a Capacity Block has one instance type and a fixed number of nodes",
    severity=Severity.ERROR,
    why="ParallelCluster refuses a queue that grows into a block; Auto Scaling refuses mixed "
    "instances in one.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/"
    "launch-instances-capacity-blocks.html",
    good=_CLUSTER % "4",
    bad=_CLUSTER % "0",
    check=_check,
)
