"""TRN924: the roles that services need in the account exist, or come by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.aws.iam import GET_ROLE, IamGateway
from trnkit.catalog import service_linked_role
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import ServiceLinkedRole
    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_AUTO_SCALING = "autoscaling.amazonaws.com"


def _run(account: AccountView) -> Iterator[CheckResult]:
    gateway = account.gateway(IamGateway)
    for service, path in _services(account.cluster).items():
        role = service_linked_role(service)
        try:
            exists = gateway.has_service_linked_role(role.name)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
            continue
        if exists:
            yield ok(f"role {role.name} exists", path=path)
        else:
            yield _missing(account.cluster, role, path)


def _services(cluster: ClusterConfig) -> dict[str, Path]:
    """Each service that needs its role -> where the file asks for it."""
    compute, storage = cluster.compute, cluster.storage
    groups: Path = ("compute", "node_groups")
    key: Path = ("compute", "volume_key")
    found: dict[str, Path] = {_AUTO_SCALING: key if _names_the_role(cluster) else groups}
    for index, group in enumerate(compute.node_groups):
        if group.capacity.type == "spot":
            found.setdefault("spot.amazonaws.com", (*groups, index, "capacity", "type"))
    if storage.lustre_file_systems:
        found["fsx.amazonaws.com"] = ("storage", "lustre_file_systems")
    if storage.home_file_system is not None:
        found["elasticfilesystem.amazonaws.com"] = ("storage", "home_file_system")
    if compute.image_pipeline is not None:
        found["imagebuilder.amazonaws.com"] = ("compute", "image_pipeline")
    return found


def _names_the_role(cluster: ClusterConfig) -> bool:
    """Whether a key's policy names the role of Auto Scaling, which must be there before."""
    return cluster.compute.volume_key == "customer-managed"


def _missing(cluster: ClusterConfig, role: ServiceLinkedRole, path: Path) -> CheckResult:
    command = f"aws iam create-service-linked-role --aws-service-name {role.service}"
    if role.service == _AUTO_SCALING and _names_the_role(cluster):
        return fail(
            f"the account has no role {role.name}, which the policy of the volumes' key names: KMS "
            "refuses a policy that names a role which does not exist",
            remedy="make the role once",
            command=command,
            path=path,
        )
    if not role.made_for_api_callers:
        return warning(
            f"the account has no role {role.name}; AWS wants it to exist before the API is used",
            evidence=f"it comes with {role.made_with}; Auto Scaling's own role may make it, unless "
            "a policy of the organization denies that",
            remedy="make the role once",
            command=command,
            path=path,
        )
    return ok(
        f"role {role.name} does not exist yet, and is made with {role.made_with}",
        evidence="by whoever may call iam:CreateServiceLinkedRole, as the CDK's role for "
        f"CloudFormation may unless it was narrowed; or before, with `{command}`",
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN924",
    name="service-linked-roles",
    title="The roles that services need in the account exist, or come by themselves",
    why="A key's policy that names a role which does not exist fails the deployment. In an account "
    "that never used Spot its role may be missing, and AWS wants it before the first request.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html",
    needs=(GET_ROLE,),
    run=_run,
)
