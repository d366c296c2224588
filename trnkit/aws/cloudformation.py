"""CloudFormation: which stacks and exports there are, and what a stack has made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_STACKS = ReadOperation(
    service="cloudformation",
    name="DescribeStacks",
    permission="cloudformation:DescribeStacks",
    purpose="whether a stack's name is taken, and in which state the stack is",
)
LIST_EXPORTS = ReadOperation(
    service="cloudformation",
    name="ListExports",
    permission="cloudformation:ListExports",
    purpose="whether the names of exports are taken",
)
LIST_STACK_RESOURCES = ReadOperation(
    service="cloudformation",
    name="ListStackResources",
    permission="cloudformation:ListStackResources",
    purpose="which budgets, monitors and topics are the cluster's own, as deployed before",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDescription:
    """A stack as it is.

    Attributes:
        name: Its name.
        status: For example `UPDATE_COMPLETE`.
        tags: Its tags.
        is_protected: Whether CloudFormation refuses to delete it.
    """

    name: str
    status: str
    tags: Mapping[str, str]
    is_protected: bool = False

    @property
    def is_made(self) -> bool:
        """Whether something of it may be there: not after a first try that was rolled back."""
        return self.status not in ("ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackExport:
    """An exported value's name, and whose it is.

    Attributes:
        name: The export's name, unique in account and Region.
        stack_name: The stack that exports it.
    """

    name: str
    stack_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackResource:
    """What a stack has made, and not deleted since.

    Attributes:
        logical_id: Its key in the template.
        type: Its CloudFormation type.
        physical_id: Its name, id or ARN, as `Ref` gives it.
    """

    logical_id: str
    type: str
    physical_id: str


class CloudFormationGateway(Gateway):
    """Describes stacks of one Region."""

    service = "cloudformation"
    operations = (DESCRIBE_STACKS, LIST_EXPORTS, LIST_STACK_RESOURCES)

    def stack(self, name: str) -> StackDescription | None:
        """Describe a stack.

        Args:
            name: Its name.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            None when no stack has the name; one that was deleted has it no longer.
        """
        try:
            (told,) = self._ask(DESCRIBE_STACKS, about=name, StackName=name)["Stacks"]
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return None
            raise
        tags = {tag["Key"]: tag["Value"] for tag in told.get("Tags", ())}
        return StackDescription(
            name=told["StackName"],
            status=told["StackStatus"],
            tags=tags,
            is_protected=told.get("EnableTerminationProtection") is True,
        )

    def resources(self, name: str) -> tuple[StackResource, ...]:
        """What a stack has made.

        Args:
            name: Its name.

        Returns:
            Nothing when no stack has the name. What is deleted, or was never made, is left out.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            told = self._ask_all(
                LIST_STACK_RESOURCES, "StackResourceSummaries", about=name, StackName=name
            )
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return ()
            raise
        return tuple(
            StackResource(
                logical_id=entry["LogicalResourceId"],
                type=entry["ResourceType"],
                physical_id=entry["PhysicalResourceId"],
            )
            for entry in told
            if entry.get("PhysicalResourceId") and entry["ResourceStatus"] != "DELETE_COMPLETE"
        )

    def exports(self) -> tuple[StackExport, ...]:
        """Every export of the Region.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(LIST_EXPORTS, "Exports")
        return tuple(
            StackExport(
                name=export["Name"],
                # arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
                stack_name=export["ExportingStackId"].split("/")[1],
            )
            for export in told
        )
