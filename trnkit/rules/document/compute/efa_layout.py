"""TRN232: a layout of network interfaces has all EFA of the type, and a primary interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.efa_numbers import judge_efa_number
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool

_EFA = ("efa", "efa-only")


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        interfaces = pool.efa.interfaces
        known = all(None not in (entry.card, entry.device, entry.kind) for entry in interfaces)
        if interfaces and known:
            yield from _number(pool)
            yield from _places(pool)


def _number(pool: NodePool) -> Iterator[Violation]:
    number = sum(entry.kind in _EFA for entry in pool.efa.interfaces)
    verdicts = [judge_efa_number(kind, number) for kind in pool.known_types]
    first = verdicts[0] if verdicts else None
    # With several types, the tool takes those that the layout fits.
    if first is not None and all(verdicts):
        yield in_document(pool.name, pool.efa.switch, first[1], first[0])


def _places(pool: NodePool) -> Iterator[Violation]:
    interfaces, seen = pool.efa.interfaces, set[int]()
    if not any((i.card, i.device, i.kind) == (0, 0, "interface") for i in interfaces):
        text = "has no interface of kind interface at card 0, device 0, the primary one"
        hint = "add it; an efa-only interface has no address and cannot be the primary one"
        yield in_document(pool.name, pool.efa.switch, Objection(text, hint))
    for entry in interfaces:
        if entry.kind not in _EFA or entry.card is None:
            continue
        if entry.card in seen:
            text = f"has a second EFA interface on card {entry.card}, which takes one"
            yield in_document(pool.name, entry.value, Objection(text, "move it to another card"))
        seen.add(entry.card)


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
    id="TRN232",
    title="a layout of interfaces has all EFA of its type, and a primary interface",
    severity=Severity.ERROR,
    why="With fewer, everything works at a fraction of the bandwidth between nodes; with more, or "
    "without a primary interface, no node starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    good=_POOL,
    bad=_POOL + "    - {networkCardIndex: 1, deviceIndex: 0, interfaceType: efa-only}\n",
    check=_check,
)
