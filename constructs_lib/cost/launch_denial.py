"""People and pipelines lose the right to launch while a budget's limit is passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from aws_cdk import Stack
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.arguments import number, one_of, resource, text, text_list
from trnkit.catalog import budgets_resource_type_available
from trnkit.config.spend_values import RoleName
from trnkit.config.values import Email
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from aws_cdk import aws_sns as sns

_ACCELERATED = ("trn*", "inf*", "p*", "g*", "dl*")
"""Families of accelerated types, as EC2 names them; `p` and `g` are GPUs, `dl` Gaudi."""

_LAUNCHES = ["ec2:RunInstances", "ec2:StartInstances"]
_INDIRECT = [
    # None of these tells IAM which types it will launch.
    "ec2:CreateFleet",
    "ec2:ModifyFleet",
    "ec2:ModifySpotFleetRequest",
    "ec2:PurchaseCapacityBlock",
    "ec2:PurchaseCapacityBlockExtension",
    "ec2:RequestSpotFleet",
    "ec2:RequestSpotInstances",
    "autoscaling:CreateAutoScalingGroup",
    "autoscaling:ExecutePolicy",
    "autoscaling:ResumeProcesses",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:StartInstanceRefresh",
    "batch:CreateComputeEnvironment",
    "batch:UpdateComputeEnvironment",
    "eks:CreateNodegroup",
    "eks:UpdateNodegroupConfig",
    "pcs:CreateComputeNodeGroup",
    "pcs:UpdateComputeNodeGroup",
    "sagemaker:CreateCluster",
    "sagemaker:CreateEndpoint",
    "sagemaker:CreateProcessingJob",
    "sagemaker:CreateTrainingJob",
    "sagemaker:CreateTrainingPlan",
    "sagemaker:UpdateCluster",
    "sagemaker:UpdateEndpoint",
]
_MOST_SUBSCRIBERS = 11


class LaunchDenial(Construct):
    """Roles that may launch nothing accelerated, and scale nothing, once a budget is spent.

    Creates `AWS::Budgets::BudgetsAction` (which attaches a policy), `AWS::IAM::ManagedPolicy` (the
    policy, which denies) and `AWS::IAM::Role` (with which AWS Budgets attaches it: to the roles
    named here, that policy and no other).

    The policy denies launches of accelerated instance types, and what scales out without telling
    IAM the type. It denies neither reading nor deleting. A node can still be scaled in with
    `autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity`, and
    a group with `autoscaling update-auto-scaling-group --min-size 0 --max-size 0`. To undo it,
    reverse the action in the Billing console, or call `iam detach-role-policy`.

    Budgets are billing data: they are up to a day late. It is a back-stop beside `SpendEnforcer`. A
    service-linked role takes no policy, so Auto Scaling itself is not stopped by it. A budget
    action has no dry run: for one, leave this construct out.

    Sources:
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-action-role.html
        https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
        https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-budgets-budgetsaction.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.cost import LaunchDenial
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> denial = LaunchDenial(
        ...     stack, "LaunchDenial", budget_name="pretrain-2026", role_names=["ml-engineers"],
        ...     emails=["ml-platform@example.com"])
    """

    policy: iam.IManagedPolicy
    """What is attached: for other roles, and to detach it by hand."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        budget_name: str,
        role_names: Sequence[str],
        percent: float = 100,
        approval: Literal["AUTOMATIC", "MANUAL"] = "AUTOMATIC",
        emails: Sequence[str] = (),
        topic: sns.ITopic | None = None,
    ) -> None:
        """Create the action, its policy and its role.

        Args:
            scope: Parent; its stack must be in a region that has the budget action resource type.
            construct_id: Id within the parent.
            budget_name: The budget: the `Ref` of one, or its name.
            role_names: Roles of the account that lose the right, without their paths. Roles with
                a path are matched by their names too.
            percent: Per cent of the budget, actually spent, at which it happens.
            approval: `AUTOMATIC`, or `MANUAL`: somebody approves it in the Billing console.
            emails: Addresses that hear of it; with `topic` 1 to 11 in all.
            topic: A topic that hears of it, and lets Budgets publish.

        Raises:
            ConstructError: No role or a service-linked one, no or too many subscribers, a region
                without budget actions, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        if budgets_resource_type_available(stack.region) is False:
            raise ConstructError(
                f"{stack.region} has no AWS::Budgets::BudgetsAction; put the stack of this "
                "construct into us-east-1 (budgets are global)"
            )
        _check(budget_name, role_names, emails, topic)
        number("percent", percent, above=0, most=1e9)
        one_of("approval", approval, ("AUTOMATIC", "MANUAL"))
        policy = iam.ManagedPolicy(
            self,
            "Policy",
            description="Denies launches of accelerated instances; AWS Budgets attaches it",
            statements=_denials(),
        )
        role = self._execution_role(stack, role_names, policy)
        data = budgets.CfnBudgetsAction
        action = data(
            self,
            "Resource",
            budget_name=budget_name,
            action_type="APPLY_IAM_POLICY",
            notification_type="ACTUAL",
            action_threshold=data.ActionThresholdProperty(type="PERCENTAGE", value=percent),
            approval_model=approval,
            execution_role_arn=role.role_arn,
            definition=data.DefinitionProperty(
                iam_action_definition=data.IamActionDefinitionProperty(
                    policy_arn=policy.managed_policy_arn, roles=list(role_names)
                )
            ),
            subscribers=_subscribers(emails, topic),
        )
        # Budgets tries the role when the action is made.
        action.node.add_dependency(role.node.find_child("DefaultPolicy"))
        self.policy = cast("iam.IManagedPolicy", policy)

    def _execution_role(
        self, stack: Stack, role_names: Sequence[str], policy: iam.ManagedPolicy
    ) -> iam.Role:
        own = {
            "StringEquals": {"aws:SourceAccount": stack.account},
            "ArnLike": {"aws:SourceArn": f"arn:{stack.partition}:budgets::{stack.account}:*"},
        }
        principal = iam.ServicePrincipal("budgets.amazonaws.com", conditions=own)
        role = iam.Role(
            self,
            "Role",
            assumed_by=cast("iam.IPrincipal", principal),
            description="AWS Budgets attaches and detaches one policy with it",
        )
        prefix = f"arn:{stack.partition}:iam::{stack.account}:role"
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
                resources=[arn for name in role_names for arn in _role_arns(prefix, name)],
                conditions={"ArnEquals": {"iam:PolicyARN": policy.managed_policy_arn}},
            )
        )
        return role


def _role_arns(prefix: str, name: str) -> tuple[str, str]:
    """A role without a path, and with one."""
    return f"{prefix}/{name}", f"{prefix}/*/{name}"


def _denials() -> list[iam.PolicyStatement]:
    types = {"StringLike": {"ec2:InstanceType": list(_ACCELERATED)}}
    return [
        iam.PolicyStatement(
            sid="NoAcceleratedInstances",
            effect=iam.Effect.DENY,
            actions=_LAUNCHES,
            resources=["arn:*:ec2:*:*:instance/*"],
            conditions=types,
        ),
        iam.PolicyStatement(
            sid="NothingThatScalesOut",
            effect=iam.Effect.DENY,
            actions=_INDIRECT,
            resources=["*"],
        ),
        # What sets the largest size to zero scales in and nothing else; it must say so.
        iam.PolicyStatement(
            sid="NoOtherSizesThanZero",
            effect=iam.Effect.DENY,
            actions=["autoscaling:UpdateAutoScalingGroup"],
            resources=["*"],
            conditions={"NumericGreaterThanIfExists": {"autoscaling:MaxSize": "0"}},
        ),
    ]


def _subscribers(emails: Sequence[str], topic: sns.ITopic | None) -> list[Any]:
    subscriber = budgets.CfnBudgetsAction.SubscriberProperty
    found = [subscriber(type="EMAIL", address=address) for address in emails]
    if topic is not None:
        found.append(subscriber(type="SNS", address=topic.topic_arn))
    return found


def _check(
    budget_name: str,
    role_names: Sequence[str],
    emails: Sequence[str],
    topic: sns.ITopic | None,
) -> None:
    text("budget_name", budget_name)
    if topic is not None:
        resource("topic", topic)
    text_list("role_names", role_names, RoleName)
    text_list("emails", emails, Email)
    for name, given in (("role_names", role_names), ("emails", emails)):
        if len(set(given)) < len(given):
            raise ConstructError(f"{name} must not name anybody twice")
    if not role_names:
        raise ConstructError("role_names must name a role")
    count = len(emails) + (topic is not None)
    if not 1 <= count <= _MOST_SUBSCRIBERS:
        raise ConstructError(
            f"emails and topic must be 1 to {_MOST_SUBSCRIBERS} subscribers, got {count}"
        )
