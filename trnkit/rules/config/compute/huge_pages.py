"""TRN249: huge pages leave EFA what it needs, and the node its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import efa_huge_pages, find_instance_type
from trnkit.findings import Severity
from trnkit.layout.nodes import uses_efa
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("compute", "boot", "huge_pages")
# Bounds of our own: a system with its services does not come up in less, and jobs want more.
_LEAST_LEFT_MIB = 2048
_SHARE_LEFT = 4


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    pages = cluster.compute.boot.huge_pages
    if pages is None:
        return
    of_efa = efa_huge_pages()
    needed, page_mib = of_efa.pages, of_efa.page_size_mib
    for _, group in node_groups(cluster):
        known = find_instance_type(group.instance_type)
        if not known or not known.memory_mib:
            continue
        left_mib = known.memory_mib - pages * page_mib
        if left_mib < known.memory_mib / _SHARE_LEFT:
            yield Violation(
                message=f"compute.boot.huge_pages is {pages}, which is "
                f"{pages * page_mib // 1024} GiB; {known.name} of node group {group.name} has "
                f"{known.memory_mib // 1024} GiB in all",
                hint="ask for fewer pages: what they take no other memory can use",
                path=_PATH,
                severity=Severity.ERROR if left_mib < _LEAST_LEFT_MIB else Severity.WARNING,
            )
            return
    if pages < needed and any(uses_efa(group) for _, group in node_groups(cluster)):
        yield Violation(
            message=f"compute.boot.huge_pages is {pages}, fewer than the {needed} that the EFA "
            "driver reserves",
            hint="leave it out, or ask for more",
            path=_PATH,
            severity=Severity.WARNING,
        )


_TRN2 = "node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]"

RULE = ConfigRule(
    id="TRN249",
    title="huge pages leave EFA what it needs, and the node its memory",
    severity=Severity.ERROR,
    why="Memory in huge pages is lost for everything else: with more than there is a node does not "
    "come up. With too few, libfabric falls back to small pages, is slower, and processes that "
    "fork may fail.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    good=f"compute: {{boot: {{huge_pages: 8192}}, {_TRN2}}}\n",
    bad="compute: {boot: {huge_pages: 1000000}, "
    "node_groups: [{name: train, instance_type: trn1.2xlarge, count: 1}]}\n",
    check=_check,
)
