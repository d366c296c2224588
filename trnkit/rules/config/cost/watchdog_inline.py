"""TRN438: templates that are deployed without the CDK have no functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.budget.watchdog is None or cluster.compute.boot.delivery != "inline":
        return
    yield Violation(
        message="budget.watchdog is a function whose code `cdk deploy` publishes to the bootstrap "
        "bucket, and compute.boot.delivery is inline, for templates deployed without the CDK",
        hint="deploy the stack Guard with the CDK, write delivery: s3-asset, or remove "
        "budget.watchdog",
        path=("budget", "watchdog"),
    )


RULE = ConfigRule(
    id="TRN438",
    title="the code of a watchdog is published by the CDK",
    severity=Severity.WARNING,
    why="CloudFormation alone does not publish files: without the CDK, the template of the stack "
    "Guard names an object that is not there, and its deployment fails.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/assets.html",
    good="budget: {watchdog: {poll_minutes: 5}}\n",
    bad="compute: {boot: {delivery: inline}}\nbudget: {watchdog: {poll_minutes: 5}}\n",
    check=_check,
)
