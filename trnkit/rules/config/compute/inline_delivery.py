"""TRN250: what has no room in user data is not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    boot, observed = cluster.compute.boot, cluster.observability
    if boot.delivery != "inline":
        return
    asked = {
        ("compute", "boot", "node_check"): "node_check" in boot.model_fields_set
        and boot.node_check,
        ("observability", "cloudwatch_agent"): "cloudwatch_agent" in observed.model_fields_set
        and observed.cloudwatch_agent,
        ("observability", "prometheus"): observed.prometheus is not None,
        **{
            ("observability", key): key in observed.model_fields_set
            for key in ("metrics_namespace", "log_retention_days")
        },
    }
    for path, is_asked in asked.items():
        if is_asked:
            yield Violation(
                message=f"{'.'.join(path)} is asked for with compute.boot.delivery inline, which "
                "brings neither node check nor monitoring",
                hint="leave compute.boot.delivery at s3-asset, or ask for less",
                path=path,
            )


_NODES = "node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]"

RULE = ConfigRule(
    id="TRN250",
    title="what has no room in user data is not asked for",
    severity=Severity.ERROR,
    why="EC2 takes 16 KB of user data: the boot scripts fit, node check and monitoring do not. "
    "They would be missing without a word.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    good=f"compute: {{boot: {{delivery: inline}}, {_NODES}}}\n",
    bad=f"compute: {{boot: {{delivery: inline, node_check: true}}, {_NODES}}}\n",
    check=_check,
)
