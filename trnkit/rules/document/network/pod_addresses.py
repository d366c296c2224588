"""TRN134: a node has addresses for its pods, also where EFA takes the slots of card 0."""

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


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.efa.interfaces and pool.prefixes.is_absent and len(pool.known_types) == 1:
            yield from _judge(pool)


def _judge(pool: NodePool) -> Iterator[Violation]:
    (known,) = pool.known_types
    first = next((card for card in known.network_cards if card.index == 0), None)
    each = known.ipv4_per_interface
    taken = sum(entry.card == 0 for entry in pool.efa.interfaces)
    with_addresses = sum(entry.kind == "interface" for entry in pool.efa.interfaces)
    if first is None or each is None or taken < first.maximum_network_interfaces:
        return
    # The first address of each interface is the node's own.
    addresses = with_addresses * (each - 1)
    most = pool.most_pods
    if most.is_placeholder or (most.integer() is not None and (most.integer() or 0) <= each):
        return
    text = (
        f"the layout fills the {count(first.maximum_network_interfaces, 'slot')} of card 0, so the "
        f"VPC CNI adds no interface and {count(addresses, 'pod')} at most have an address"
    )
    hint = f"set kubelet.maxPods to {addresses}, or use prefixes"
    place = most if not most.is_absent else pool.efa.switch
    evidence = from_catalogue(known, f"{each} IPv4 addresses an interface")
    yield in_document(pool.name, place, Objection(text, hint, evidence))


_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: train}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: trn2}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [trn2.3xlarge]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: trn2}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  networkInterfaces:
    - {networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}
    - {networkCardIndex: 0, deviceIndex: 1, interfaceType: efa-only}
"""

RULE = DocumentRule(
    id="TRN134",
    title="a node has addresses for its pods beside EFA",
    severity=Severity.INFO,
    why="Pods beyond the addresses stay in ContainerCreating. On Trainium2 a card has two slots, "
    "and this layout takes both.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html",
    good=_POOL + "  kubelet: {maxPods: 14}\n",
    bad=_POOL,
    check=_check,
)
