"""TRN314: an EFA-enabled file system has clients that can use EFA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_efa_client
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.storage import is_efa_client
from trnkit.rules.judging.cluster_parts import file_systems, node_groups
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    verdicts = {group.name: is_efa_client(group) for _, group in node_groups(cluster)}
    over_tcp = [name for name, verdict in verdicts.items() if verdict is False]
    if not over_tcp:
        return
    none_at_all = len(over_tcp) == len(verdicts)
    types = {
        group.instance_type
        for _, group in node_groups(cluster)
        if lustre_efa_client(group.instance_type) is False
    }
    excluded = alternatives(sorted(types), "and")
    evidence = f"the FSx guide excludes {excluded} as clients over EFA" if types else None
    for path, config in file_systems(cluster):
        if config.efa_enabled:
            who = "every node group" if none_at_all else alternatives(over_tcp, "and")
            text = f"is true, but the nodes of {who} mount the file system over TCP"
            hint = "remove it, or add nodes that reach Lustre over EFA, such as trn1.32xlarge"
            yield at_path(
                (*path, "efa_enabled"),
                Objection(text, hint if none_at_all else "expect TCP there", evidence),
                Severity.WARNING if none_at_all else Severity.INFO,
            )


RULE = ConfigRule(
    id="TRN314",
    title="an EFA-enabled file system has clients that can use it",
    severity=Severity.WARNING,
    why="The trn2 family cannot reach Lustre over EFA, nor can nodes without an EFA "
    "device: they mount over TCP, and EFA asks for far more capacity in return for "
    "nothing.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    good="region: us-west-2\n"
    "compute: {node_groups: [{name: train, instance_type: "
    "trn1.32xlarge, count: 1}]}\n"
    "storage: {lustre_file_systems: [{name: fsx, "
    "storage_capacity_gib: 4800, per_unit_storage_throughput: 1000, efa_enabled: "
    "true, metadata_configuration: {mode: AUTOMATIC}}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "per_unit_storage_throughput: 1000, efa_enabled: true, metadata_configuration: "
    "{mode: AUTOMATIC}}]}\n",
    check=_check,
)
