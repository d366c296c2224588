"""TRN132: nodes with several network interfaces do not count on a public address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool

_HINT = "take private subnets, with a NAT gateway or with endpoints"


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.is_public:
            yield from _judge(pool)


def _judge(pool: NodePool) -> Iterator[Violation]:
    if pool.efa.interfaces:
        number = len(pool.efa.interfaces)
        if number > 1:
            text = (
                f"{pool.key(pool.public_address)} is true, but the nodes have "
                f"{count(number, 'interface')}; EC2 gives a public address to a single one only"
            )
            yield in_document(pool.name, pool.public_address, Objection(text, "remove it"))
        return
    cards = [len(kind.network_cards) for kind in pool.known_types]
    if not cards or min(cards) < 2:
        return
    known = pool.known_types[0]
    evidence = from_catalogue(known, count(len(known.network_cards), "network card"))
    if pool.tool == "ParallelCluster":
        text = (
            f"AssignPublicIp is true, but {known.name} is launched with several interfaces; EC2 "
            "gives a public address to a single one only"
        )
        hint = f"set it to false; {_HINT}"
        yield in_document(pool.name, pool.public_address, Objection(text, hint, evidence))
    elif pool.tool == "eksctl" and pool.efa.asked:
        text = (
            "puts nodes with several interfaces into public subnets, where EC2 gives them no "
            "public address, so they reach neither the cluster nor a registry"
        )
        place = pool.public_address if not pool.public_address.is_absent else pool.value
        hint = "write `privateNetworking: true`"
        yield in_document(
            pool.name, place, Objection(text, hint, evidence), severity=Severity.WARNING
        )


_CLUSTER = """\
Region: us-west-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      Networking: {SubnetIds: [subnet-2], PlacementGroup: {Enabled: true}, AssignPublicIp: %s}
      ComputeResources:
        - {Name: trn1, InstanceType: trn1.32xlarge, MaxCount: 4, Efa: {Enabled: true}}
"""

RULE = DocumentRule(
    id="TRN132",
    title="nodes with several interfaces do not count on a public address",
    severity=Severity.ERROR,
    why="EC2 refuses a launch with several interfaces that asks for a public address, and a public "
    "subnet gives such an instance none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    good=_CLUSTER % "false",
    bad=_CLUSTER % "true",
    check=_check,
)
