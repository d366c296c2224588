"""`observability`: metrics and logs of the nodes."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import AllowedCidr, Bool, Int, MetricNamespace, Section, setting


class PrometheusConfig(Section):
    """The address on which nodes serve metrics to Prometheus."""

    listen: Literal["loopback", "private"] = setting(
        "loopback",
        change="new nodes only",
        description="`loopback`: only programs on the node reach it. `private`: the node's own "
        "address, for whatever its security groups admit; never a public one.",
    )
    allowed_cidrs: tuple[AllowedCidr, ...] = setting(
        (),
        max_length=20,
        example=["10.0.0.0/16"],
        description="IPv4 blocks from which `private` is reached: each is admitted to the port by "
        "the nodes' security group. Left out: whatever `additional_security_group_ids` admit.",
    )
    port: Int = setting(9400, ge=1024, le=65535, change="new nodes only", description="The port.")


class ObservabilityConfig(Section):
    """What is measured and kept of the nodes; nothing with `boot.delivery: inline`."""

    cloudwatch_agent: Bool = setting(
        True,
        change="new nodes only",
        description="Whether nodes send metrics and logs to CloudWatch. Both are billed; "
        "docs/monitoring.md says how much it is.",
    )
    metrics_namespace: MetricNamespace = setting(
        "trnkit",
        change="new nodes only",
        description="CloudWatch namespace of the metrics.",
    )
    log_retention_days: Literal[
        1,
        3,
        5,
        7,
        14,
        30,
        60,
        90,
        120,
        150,
        180,
        365,
        400,
        545,
        731,
        1096,
        1827,
        2192,
        2557,
        2922,
        3288,
        3653,
    ] = setting(30, description="Days that the nodes' logs are kept.")
    prometheus: PrometheusConfig | None = setting(
        None,
        change="new nodes only",
        description="Metrics for Prometheus. Left out: served to the node's own CloudWatch agent "
        "alone.",
    )
