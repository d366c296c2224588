"""What check anomaly-monitor is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.fake_account import ACCOUNT
from tests.trnkit.operations.preflight.situations import Situation
from tests.trnkit.operations.preflight.situations.budgets import made, own_stack, with_budget

ARN = f"arn:aws:ce::{ACCOUNT}:anomalymonitor/0123abcd-0000-4000-8000-000000000000"
TAG_MONITOR = {
    "MonitorArn": ARN,
    "MonitorName": "trnkit-cluster=pretrain",
    "MonitorType": "CUSTOM",
    "MonitorSpecification": {"Tags": {"Key": "trnkit-cluster", "Values": ["pretrain"]}},
}
OWN_MONITOR = ("AnomalyDetectionD4D88489", "AWS::CE::AnomalyMonitor", ARN)

SITUATION = Situation(
    empty=("ok", "of monitors over the account's AWS services there is none yet"),
    cluster=with_budget(anomaly_detection={"threshold_usd": 100.0}),
    empty_cluster=with_budget(
        anomaly_detection={"threshold_usd": 100.0, "monitor": "services"},
    ),
    whole={
        "DescribeStacks": own_stack,
        "ListStackResources": made(OWN_MONITOR),
        "GetAnomalyMonitors": {"AnomalyMonitors": [TAG_MONITOR]},
    },
    well={"GetAnomalyMonitors": {"AnomalyMonitors": []}},
)
