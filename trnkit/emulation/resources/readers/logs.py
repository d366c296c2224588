"""Log groups, as CloudWatch Logs tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.readers.asking import all_named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags


class LogGroup:
    """``AWS::Logs::LogGroup`` by DescribeLogGroups."""

    name = "AWS::Logs::LogGroup"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its retention, key, class and tags."""
        logs = clients("logs")
        pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=physical_id)
        for group in (group for page in pages for group in page["logGroups"]):
            if group["logGroupName"] == physical_id:
                names = {
                    "kmsKeyId": "KmsKeyId",
                    "logGroupClass": "LogGroupClass",
                    "logGroupName": "LogGroupName",
                    "retentionInDays": "RetentionInDays",
                }
                arn = str(group["arn"]).removesuffix(":*")
                tags = logs.list_tags_for_resource(resourceArn=arn).get("tags", {})
                return all_named(group, names) | {"Tags": own_tags(tags)}
        return None


READERS = (LogGroup(),)
