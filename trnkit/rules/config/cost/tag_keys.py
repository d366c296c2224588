"""TRN405: the user's tags leave the cluster's own alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.tags import CLUSTER_TAG, NODE_GROUP_TAG
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    own = {CLUSTER_TAG, NODE_GROUP_TAG}
    first: dict[str, str] = {}
    for key in cluster.tags:
        folded = key.lower()
        if folded in own:
            yield Violation(
                message=f"tags holds {key}, which trnkit sets itself and the budget filters on",
                hint="take another key",
                path=("tags", key),
            )
        elif key == "Name":
            yield Violation(
                message="tags holds Name, which trnkit gives each node, volume and subnet itself",
                hint="take another key",
                path=("tags", key),
            )
        elif folded in first:
            yield Violation(
                message=f"tags holds both {first[folded]} and {key}",
                hint="keep one of them: some services take keys without regard to case",
                path=("tags", key),
                severity=Severity.WARNING,
            )
        first.setdefault(folded, key)


RULE = ConfigRule(
    id="TRN405",
    title="tags leave the cluster's own tags alone",
    severity=Severity.ERROR,
    why="The budget counts what carries the cluster's tag; with another value on it the cost of "
    "this cluster goes unseen.",
    source="https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html",
    good="tags: {team: ml-platform}\n",
    bad="tags: {trnkit-cluster: other}\n",
    check=_check,
)
