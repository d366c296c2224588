"""Cost Explorer: cost allocation tags, and the monitors of Cost Anomaly Detection.

AWS bills each request, so that nothing is asked here for which the cluster file gives no reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Collection

GET_ANOMALY_MONITORS = ReadOperation(
    service="ce",
    name="GetAnomalyMonitors",
    permission="ce:GetAnomalyMonitors",
    purpose="which monitors of Cost Anomaly Detection there are",
)
LIST_COST_ALLOCATION_TAGS = ReadOperation(
    service="ce",
    name="ListCostAllocationTags",
    permission="ce:ListCostAllocationTags",
    purpose="whether the tags that budgets count are activated for billing",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyMonitorDescription:
    """A monitor of Cost Anomaly Detection.

    Attributes:
        arn: Its ARN.
        name: Its name.
        type: `DIMENSIONAL` or `CUSTOM`.
        dimension: What a dimensional one tells apart, for example `SERVICE`; else None.
        tag_key: The tag that a custom one watches; None when it watches something else.
        tag_values: The values of that tag.
    """

    arn: str
    name: str
    type: str
    dimension: str | None
    tag_key: str | None
    tag_values: tuple[str, ...]


class CostExplorerGateway(Gateway):
    """Asks Cost Explorer, which has one endpoint in each partition."""

    service = "ce"
    operations = (GET_ANOMALY_MONITORS, LIST_COST_ALLOCATION_TAGS)

    def anomaly_monitors(self) -> tuple[AnomalyMonitorDescription, ...]:
        """Every monitor of the account.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(GET_ANOMALY_MONITORS, "AnomalyMonitors")
        return tuple(_monitor(entry) for entry in told)

    def cost_allocation_tags(self, keys: Collection[str]) -> dict[str, bool]:
        """Whether tags count in billing.

        Args:
            keys: Keys of tags; 100 at most.

        Returns:
            By key, whether the tag is active. A tag that billing has not seen yet is left out.

        Raises:
            AwsFailure: AWS gave no answer, as to every account that pays no bill of its own.
        """
        told = self._ask_all(
            LIST_COST_ALLOCATION_TAGS,
            "CostAllocationTags",
            TagKeys=sorted(keys),
            Type="UserDefined",
        )
        return {entry["TagKey"]: entry["Status"] == "Active" for entry in told}


def _monitor(entry: dict[str, Any]) -> AnomalyMonitorDescription:
    tags = (entry.get("MonitorSpecification") or {}).get("Tags") or {}
    return AnomalyMonitorDescription(
        arn=entry.get("MonitorArn", ""),
        name=entry["MonitorName"],
        type=entry["MonitorType"],
        dimension=entry.get("MonitorDimension"),
        tag_key=tags.get("Key"),
        tag_values=tuple(tags.get("Values", ())),
    )
