"""Observability: where the logs and metrics of nodes go."""

from constructs_lib.observability.node_log_group import NodeLogGroup

__all__ = ["NodeLogGroup"]
