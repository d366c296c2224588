"""EFS file systems, their mount targets and access points."""

from __future__ import annotations

import json
import secrets
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    Refused,
    own_tags,
)
from trnkit.emulation.resources.service_answers import properties_told, tags_told


class FileSystem:
    """``AWS::EFS::FileSystem`` by CreateFileSystem and the calls for its policies."""

    name = "AWS::EFS::FileSystem"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it with its policies, or leave nothing behind."""
        if "ReplicationConfiguration" in properties:
            raise Refused("replication of file systems is not emulated")
        efs = place.clients("efs")
        members = {name: properties[name] for name in _SYSTEM if name in properties} | {
            "CreationToken": _token(place),
            "Tags": own_tags(properties.get("FileSystemTags")) or None,
        }
        system = efs.create_file_system(**request_of(efs, "CreateFileSystem", members))
        try:
            _set(efs, system["FileSystemId"], {}, properties)
        except Exception:
            efs.delete_file_system(FileSystemId=system["FileSystemId"])
            raise
        return _made(system)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change throughput, policies and tags."""
        if new.get("ReplicationConfiguration") != old.get("ReplicationConfiguration"):
            raise Refused("replication of file systems is not emulated")
        efs = place.clients("efs")
        ids = {"FileSystemId": made.physical_id}
        throughput = {name: new[name] for name in _THROUGHPUT if name in new}
        if throughput != {name: old[name] for name in _THROUGHPUT if name in old}:
            throughput.setdefault("ThroughputMode", "bursting")
            efs.update_file_system(**request_of(efs, "UpdateFileSystem", ids | throughput))
        _set(efs, made.physical_id, old, new)
        _retag(efs, made.physical_id, old.get("FileSystemTags"), new.get("FileSystemTags"))
        return _made(efs.describe_file_systems(**ids)["FileSystems"][0])

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; its mount targets are gone by then."""
        efs = place.clients("efs")
        unless_gone(lambda: efs.delete_file_system(FileSystemId=physical_id), _NO_SYSTEM)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeFileSystems and the calls for its policies."""
        efs = clients("efs")
        ids = {"FileSystemId": physical_id}
        answer = unless_gone(lambda: efs.describe_file_systems(**ids), _NO_SYSTEM)
        if answer is None:
            return None
        (system,) = answer["FileSystems"]
        told = {name: system.get(name) for name in (*_SYSTEM, "FileSystemProtection")}
        backup = unless_gone(lambda: efs.describe_backup_policy(**ids), _NO_POLICY)
        told["BackupPolicy"] = backup and backup["BackupPolicy"]
        policy = unless_gone(lambda: efs.describe_file_system_policy(**ids), _NO_POLICY)
        told["FileSystemPolicy"] = policy and json.loads(policy["Policy"])
        lifecycle = efs.describe_lifecycle_configuration(**ids)["LifecyclePolicies"]
        told["LifecyclePolicies"] = lifecycle or None
        return properties_told(properties, told) | {
            "FileSystemTags": tags_told(properties.get("FileSystemTags"), system["Tags"])
        }


_THROUGHPUT = ("ThroughputMode", "ProvisionedThroughputInMibps")
_SYSTEM = (
    *_THROUGHPUT,
    "AvailabilityZoneName",
    "Encrypted",
    "KmsKeyId",
    "PerformanceMode",
)
_NO_SYSTEM, _NO_POLICY = "FileSystemNotFound", "PolicyNotFound"


def _token(place: Place) -> str:
    return f"{place.logical_id[:40]}-{secrets.token_hex(8)}"


def _made(system: Any) -> Made:
    attributes = {"FileSystemId": system["FileSystemId"], "Arn": system["FileSystemArn"]}
    return Made(system["FileSystemId"], attributes)


def _set(efs: Any, file_system_id: str, old: Properties, new: Properties) -> None:
    """Bring the policies of a file system from the old template's to the new one's."""
    ids = {"FileSystemId": file_system_id}
    changed = {name for name in _POLICIES if old.get(name) != new.get(name)}
    if "BackupPolicy" in changed:
        policy = new.get("BackupPolicy") or {"Status": "DISABLED"}
        efs.put_backup_policy(**ids, BackupPolicy=policy)
    if "LifecyclePolicies" in changed:
        policies = new.get("LifecyclePolicies") or []
        efs.put_lifecycle_configuration(**ids, LifecyclePolicies=policies)
    if "FileSystemProtection" in changed:
        protection = new.get("FileSystemProtection") or {}
        efs.update_file_system_protection(**ids, **protection)
    if "FileSystemPolicy" in changed:
        policy = new.get("FileSystemPolicy")
        if policy is None:
            efs.delete_file_system_policy(**ids)
        else:
            text = policy if isinstance(policy, str) else json.dumps(policy)
            efs.put_file_system_policy(**ids, Policy=text)


_POLICIES = ("BackupPolicy", "LifecyclePolicies", "FileSystemProtection", "FileSystemPolicy")


def _retag(efs: Any, resource_id: str, old: Any, new: Any) -> None:
    wanted = own_tags(new)
    keys = {tag["Key"] for tag in wanted}
    lost = [tag["Key"] for tag in own_tags(old) if tag["Key"] not in keys]
    if lost:
        efs.untag_resource(ResourceId=resource_id, TagKeys=lost)
    if wanted:
        efs.tag_resource(ResourceId=resource_id, Tags=wanted)


class MountTarget:
    """``AWS::EFS::MountTarget`` by CreateMountTarget."""

    name = "AWS::EFS::MountTarget"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        efs = place.clients("efs")
        names = (*_TARGET, "IpAddressType", "SecurityGroups")
        members = {name: properties[name] for name in names if name in properties}
        target = efs.create_mount_target(**request_of(efs, "CreateMountTarget", members))
        return _targeted(target)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change the security groups."""
        efs = place.clients("efs")
        efs.modify_mount_target_security_groups(
            MountTargetId=made.physical_id, SecurityGroups=new["SecurityGroups"]
        )
        answer = efs.describe_mount_targets(MountTargetId=made.physical_id)
        return _targeted(answer["MountTargets"][0])

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it with its network interface."""
        efs = place.clients("efs")
        unless_gone(lambda: efs.delete_mount_target(MountTargetId=physical_id), _NO_TARGET)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeMountTargets and DescribeMountTargetSecurityGroups."""
        efs = clients("efs")
        answer = unless_gone(
            lambda: efs.describe_mount_targets(MountTargetId=physical_id), _NO_TARGET
        )
        if answer is None:
            return None
        (target,) = answer["MountTargets"]
        groups = efs.describe_mount_target_security_groups(MountTargetId=physical_id)
        told = {name: target.get(name) for name in _TARGET}
        # The service tells the addresses, not the type that was asked for.
        told["IpAddressType"] = "DUAL_STACK" if target.get("Ipv6Address") else "IPV4_ONLY"
        return properties_told(properties, told | {"SecurityGroups": groups["SecurityGroups"]})


_TARGET = ("FileSystemId", "SubnetId", "IpAddress", "Ipv6Address")
_NO_TARGET = "MountTargetNotFound"


def _targeted(target: Any) -> Made:
    attributes = {"Id": target["MountTargetId"], "IpAddress": target["IpAddress"]}
    return Made(target["MountTargetId"], attributes)


class AccessPoint:
    """``AWS::EFS::AccessPoint`` by CreateAccessPoint."""

    name = "AWS::EFS::AccessPoint"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        efs = place.clients("efs")
        members = {name: properties[name] for name in _POINT if name in properties} | {
            "ClientToken": properties.get("ClientToken", _token(place)),
            "Tags": own_tags(properties.get("AccessPointTags")) or None,
        }
        point = efs.create_access_point(**request_of(efs, "CreateAccessPoint", members))
        return _pointed(point)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        efs = place.clients("efs")
        _retag(efs, made.physical_id, old.get("AccessPointTags"), new.get("AccessPointTags"))
        answer = efs.describe_access_points(AccessPointId=made.physical_id)
        return _pointed(answer["AccessPoints"][0])

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        efs = place.clients("efs")
        unless_gone(lambda: efs.delete_access_point(AccessPointId=physical_id), _NO_POINT)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeAccessPoints."""
        efs = clients("efs")
        answer = unless_gone(
            lambda: efs.describe_access_points(AccessPointId=physical_id), _NO_POINT
        )
        if answer is None:
            return None
        (point,) = answer["AccessPoints"]
        told = {name: point[name] for name in _POINT if point.get(name)}
        return properties_told(properties, told) | {
            "AccessPointTags": tags_told(properties.get("AccessPointTags"), point["Tags"])
        }


_POINT = ("FileSystemId", "PosixUser", "RootDirectory")
_NO_POINT = "AccessPointNotFound"


def _pointed(point: Any) -> Made:
    attributes = {"AccessPointId": point["AccessPointId"], "Arn": point["AccessPointArn"]}
    return Made(point["AccessPointId"], attributes)


TYPES = (FileSystem(), MountTarget(), AccessPoint())
