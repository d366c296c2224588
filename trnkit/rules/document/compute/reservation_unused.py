"""TRN238: a reservation that is named is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.node_pools import NodePool


def _check(documents: DocumentSet) -> Iterator[Violation]:
    idle = _idle_classes(documents)
    for pool in documents.pools:
        capacity = pool.capacity
        if not capacity.targets:
            continue
        if capacity.preference.text() == "none":
            text = f"{pool.key(capacity.preference)} is none, but a reservation is named"
            found = Objection(text, "remove the preference")
            yield in_document(pool.name, capacity.preference, found, Severity.ERROR)
        elif pool.tool == "Karpenter" and _class(pool) in idle:
            text = (
                "allows no reserved capacity, so the reservations that its EC2NodeClass selects "
                "are not used"
            )
            found = Objection(text, "add reserved to the values of karpenter.sh/capacity-type")
            yield in_document(pool.name, capacity.market, found)


def _idle_classes(documents: DocumentSet) -> set[tuple[int, object]]:
    """Classes whose reservations no pool can use, as far as its capacity types are written."""
    users: dict[tuple[int, object], bool] = {}
    for pool in documents.all_pools:
        if pool.capacity.targets:
            markets, place = pool.capacity.markets, _class(pool)
            without = bool(markets) and not markets & {"reserved", "capacity-block"}
            users[place] = users.get(place, True) and without
    return {place for place, without in users.items() if without}


def _class(pool: NodePool) -> tuple[int, object]:
    first = pool.capacity.targets[0]
    return id(first.document), first.path[:-1]


_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: train}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: trn2}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [trn2.48xlarge]}
        - {key: karpenter.sh/capacity-type, operator: In, values: [%s]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: trn2}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  capacityReservationSelectorTerms: [{id: cr-0123456789abcdef0}]
"""

RULE = DocumentRule(
    id="TRN238",
    title="a reservation that is named is used",
    severity=Severity.WARNING,
    why="A reservation bills whether it is used or not, and the nodes are paid for beside it.",
    source="https://karpenter.sh/docs/tasks/odcrs/",
    good=_POOL % "reserved, on-demand",
    bad=_POOL % "on-demand",
    check=_check,
)
