"""Rules with their targets, as EventBridge tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_RULE = ("Description", "EventBusName", "Name", "RoleArn", "ScheduleExpression", "State")


class Rule:
    """``AWS::Events::Rule`` by DescribeRule and ListTargetsByRule."""

    name = "AWS::Events::Rule"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """When it acts, on what, and what it calls."""
        service = clients("events")
        bus = {"EventBusName": properties["EventBusName"]} if "EventBusName" in properties else {}
        answer = unless_gone(lambda: service.describe_rule(Name=physical_id, **bus))
        if answer is None:
            return None
        told = all_named(answer, {name: name for name in _RULE})
        told["EventPattern"] = document(answer.get("EventPattern") or None)
        listed = service.list_targets_by_rule(Rule=physical_id, **bus)["Targets"]
        tags = service.list_tags_for_resource(ResourceARN=answer["Arn"])["Tags"]
        return told | {"Targets": listed, "Tags": own_tags(tags)}


READERS = (Rule(),)
