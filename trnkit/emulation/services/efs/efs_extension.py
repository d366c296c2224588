"""EFS on moto's: changes, backup policies, protection, and refusals.

Sources, unless another is named:
https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html
https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html
https://docs.aws.amazon.com/efs/latest/ug/API_PutLifecycleConfiguration.html
"""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from trnkit.emulation.services import json_refusal
from trnkit.emulation.services.extending import add, first_time, wrap
from trnkit.emulation.services.model_constraints import check_request

Answer = tuple[str, dict[str, Any]]

_JSON = {"Content-Type": "application/json"}

_MOST_GROUPS = 5


def install() -> None:
    """Extend moto's EFS; to be called before its first request."""
    from moto.efs.models import FileSystem
    from moto.efs.responses import EFSResponse

    if not first_time(EFSResponse):
        return
    wrap(FileSystem, "info_json", _info_json)
    wrap(EFSResponse, "create_file_system", _create_file_system)
    wrap(EFSResponse, "create_mount_target", _create_mount_target)
    changed = "modify_mount_target_security_groups"
    wrap(EFSResponse, changed, _modify_groups)
    wrap(EFSResponse, "create_access_point", _create_access_point)
    wrap(EFSResponse, "put_lifecycle_configuration", _put_lifecycle_configuration)
    add(
        EFSResponse,
        (
            update_file_system,
            put_backup_policy,
            describe_backup_policy,
            update_file_system_protection,
            delete_file_system_policy,
        ),
    )


def _bad(message: str, code: str = "BadRequest", status: int = 400) -> NoReturn:
    json_refusal.refuse(code, message, status)


def _request(self: Any) -> dict[str, Any]:
    return json.loads(self.body) if self.body else {}


def _file_system(self: Any, file_system_id: str | None = None) -> Any:
    wanted = file_system_id or self._get_param("FileSystemId")
    found = self.efs_backend.file_systems_by_id.get(wanted)
    if found is None:
        _bad(f"File system '{wanted}' does not exist.", "FileSystemNotFound", 404)
    return found


def _info_json(original: Callable[..., Any], self: Any) -> dict[str, Any]:
    protection = getattr(self, "_protection", "ENABLED")
    return original(self) | {"FileSystemProtection": {"ReplicationOverwriteProtection": protection}}


def _create_file_system(original: Callable[..., Any], self: Any) -> Any:
    request = _request(self)
    check_request("efs", "CreateFileSystem", request)
    is_max_io = request.get("PerformanceMode") == "maxIO"
    if is_max_io and request.get("AvailabilityZoneName"):
        _bad("Performance mode maxIO is not supported on One Zone file systems.")
    _refuse_throughput(request, request.get("PerformanceMode"))
    return original(self)


def _refuse_throughput(request: Mapping[str, Any], performance: str | None) -> None:
    # https://docs.aws.amazon.com/efs/latest/ug/performance.html
    mode, value = request.get("ThroughputMode"), request.get("ProvisionedThroughputInMibps")
    if mode == "provisioned" and value is None:
        _bad("ProvisionedThroughputInMibps is required for throughput mode provisioned.")
    if mode != "provisioned" and value is not None:
        _bad("ProvisionedThroughputInMibps is only supported for throughput mode provisioned.")
    if mode == "elastic" and performance == "maxIO":
        _bad("Throughput mode elastic is only supported for performance mode generalPurpose.")


def update_file_system(self: Any) -> Answer:
    """UpdateFileSystem: the throughput."""
    request = _request(self)
    check_request("efs", "UpdateFileSystem", request)
    found = _file_system(self)
    wanted = {"ThroughputMode": found.throughput_mode, **request}
    _refuse_throughput(wanted, found.performance_mode)
    found.throughput_mode = wanted["ThroughputMode"]
    found.provisioned_throughput_in_mibps = wanted.get("ProvisionedThroughputInMibps")
    return json.dumps(found.info_json()), {**_JSON, "status": 202}


def put_backup_policy(self: Any) -> Answer:
    """PutBackupPolicy."""
    request = _request(self)
    check_request("efs", "PutBackupPolicy", request)
    found = _file_system(self)
    found._backup_status = request["BackupPolicy"]["Status"]
    return json.dumps({"BackupPolicy": {"Status": found._backup_status}}), _JSON


def describe_backup_policy(self: Any) -> Answer:
    """DescribeBackupPolicy."""
    found = _file_system(self)
    default = "ENABLED" if found._backup else None
    status = getattr(found, "_backup_status", default)
    if status is None:
        _bad("The file system has no backup policy.", "PolicyNotFound", 404)
    return json.dumps({"BackupPolicy": {"Status": status}}), _JSON


def update_file_system_protection(self: Any) -> Answer:
    """UpdateFileSystemProtection."""
    request = _request(self)
    check_request("efs", "UpdateFileSystemProtection", request)
    found = _file_system(self)
    found._protection = request.get("ReplicationOverwriteProtection", "ENABLED")
    return json.dumps({"ReplicationOverwriteProtection": found._protection}), _JSON


def delete_file_system_policy(self: Any) -> Answer:
    """DeleteFileSystemPolicy."""
    _file_system(self).file_system_policy = None
    return "{}", _JSON


def _put_lifecycle_configuration(original: Callable[..., Any], self: Any) -> Any:
    request = _request(self)
    check_request("efs", "PutLifecycleConfiguration", request)
    found = _file_system(self)
    policies: list[Mapping[str, Any]] = request["LifecyclePolicies"]
    named = [name for policy in policies for name in policy]
    if any(len(policy) != 1 for policy in policies) or len(set(named)) < len(named):
        _bad("Each lifecycle policy must have one transition, each another one.")
    # https://docs.aws.amazon.com/efs/latest/ug/lifecycle-management-efs.html
    if "TransitionToArchive" in named and found.throughput_mode != "elastic":
        _bad("TransitionToArchive is only supported for throughput mode elastic.")
    return original(self)


def _create_mount_target(original: Callable[..., Any], self: Any) -> Any:
    request = _request(self)
    check_request("efs", "CreateMountTarget", request)
    found = _file_system(self, request["FileSystemId"])
    backend = self.efs_backend
    subnet = _subnet(backend.ec2_backend, request["SubnetId"])
    if found.availability_zone_name and found.availability_zone_name != subnet.availability_zone:
        _bad(
            "The subnet is not in the Availability Zone of the file system.",
            "AvailabilityZonesMismatch",
        )
    _refuse_groups(backend.ec2_backend, subnet, request.get("SecurityGroups") or [])
    six = _six_address(subnet, request.get("IpAddressType"))
    before = dict(found._mount_targets)
    try:
        body, headers = original(self)
    except Exception:
        # moto counts a mount target before it has looked at its address.
        found._mount_targets = before
        raise
    if six is None:
        return body, headers
    target = backend.mount_targets_by_id[json.loads(body)["MountTargetId"]]
    target.ipv6_address = six
    return json.dumps(target.info_json()), headers


def _six_address(subnet: Any, kind: str | None) -> str | None:
    """The IPv6 address of a mount target that asks for one."""
    if kind is None or kind == "IPV4_ONLY":
        return None
    if kind == "IPV6_ONLY":
        _bad("Mount targets with IPv6 alone are not emulated.")
    blocks = [
        one["ipv6CidrBlock"]
        for one in subnet.ipv6_cidr_block_associations.values()
        if one["ipv6CidrBlockState"]["State"] == "associated"
    ]
    if not blocks:
        _bad(f"The subnet '{subnet.id}' has no IPv6 CIDR block.")
    network = ipaddress.ip_network(blocks[0])
    # The first four addresses and the last of each subnet are AWS's.
    return str(network[secrets.randbelow(network.num_addresses - 5) + 4])


def _modify_groups(original: Callable[..., Any], self: Any) -> Any:
    """As at its creation.

    Source: https://docs.aws.amazon.com/efs/latest/ug/API_ModifyMountTargetSecurityGroups.html
    """
    target = self.efs_backend.mount_targets_by_id.get(self._get_param("MountTargetId"))
    if target is not None:
        groups = _request(self).get("SecurityGroups") or []
        ec2 = self.efs_backend.ec2_backend
        _refuse_groups(ec2, _subnet(ec2, target.subnet_id), groups)
    return original(self)


def _refuse_groups(ec2: Any, subnet: Any, groups: list[str]) -> None:
    if len(groups) > _MOST_GROUPS:
        _bad(
            f"A mount target can have up to {_MOST_GROUPS} security groups.",
            "SecurityGroupLimitExceeded",
        )
    for group_id in groups:
        group = ec2.get_security_group_from_id(group_id)
        if group is None or group.vpc_id != subnet.vpc_id:
            _bad(
                f"The SecurityGroup ID '{group_id}' does not exist in the subnet's VPC",
                "SecurityGroupNotFound",
            )


def _subnet(ec2: Any, subnet_id: str) -> Any:
    from moto.ec2.exceptions import InvalidSubnetIdError

    try:
        return ec2.get_subnet(subnet_id)
    except InvalidSubnetIdError:
        _bad(f"The subnet ID '{subnet_id}' does not exist", "SubnetNotFound")


def _create_access_point(original: Callable[..., Any], self: Any) -> Any:
    request = _request(self)
    check_request("efs", "CreateAccessPoint", request)
    _file_system(self, request["FileSystemId"])
    return original(self)
