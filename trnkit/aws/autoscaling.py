"""EC2 Auto Scaling: how many groups an account has and may have."""

from __future__ import annotations

from dataclasses import dataclass

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

DESCRIBE_ACCOUNT_LIMITS = ReadOperation(
    service="autoscaling",
    name="DescribeAccountLimits",
    permission="autoscaling:DescribeAccountLimits",
    purpose="how many Auto Scaling groups there are and may be",
)
DESCRIBE_AUTO_SCALING_GROUPS = ReadOperation(
    service="autoscaling",
    name="DescribeAutoScalingGroups",
    permission="autoscaling:DescribeAutoScalingGroups",
    purpose="which of them are the cluster's own",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLimits:
    """Auto Scaling groups of an account in a Region.

    Attributes:
        groups: How many there are; None when AWS did not say.
        most_groups: How many there may be; None when AWS did not say.
    """

    groups: int | None
    most_groups: int | None


class AutoScalingGateway(Gateway):
    """Describes Auto Scaling groups of one Region."""

    service = "autoscaling"
    operations = (DESCRIBE_ACCOUNT_LIMITS, DESCRIBE_AUTO_SCALING_GROUPS)

    def limits(self) -> GroupLimits:
        """How many groups there are and may be.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_ACCOUNT_LIMITS)
        return GroupLimits(
            groups=told.get("NumberOfAutoScalingGroups"),
            most_groups=told.get("MaxNumberOfAutoScalingGroups"),
        )

    def group_names(self, tag_key: str, tag_value: str) -> tuple[str, ...]:
        """Names of the groups that have a tag.

        Args:
            tag_key: The tag's key.
            tag_value: Its value.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_AUTO_SCALING_GROUPS,
            "AutoScalingGroups",
            Filters=[{"Name": f"tag:{tag_key}", "Values": [tag_value]}],
        )
        return tuple(group["AutoScalingGroupName"] for group in told)
