"""FSx for Lustre on moto's FSx: all members kept and told, changes, refusals, associations.

moto keeps a file system as it is asked for, tells a part of it, and accepts everything.
"""

from __future__ import annotations

import copy
import json
import secrets
import string
import time
from collections.abc import Callable, Mapping
from typing import Any

from moto.core.responses import ActionResult

from trnkit.emulation.services.extending import add, first_time, wrap
from trnkit.emulation.services.fsx import fsx_associations
from trnkit.emulation.services.fsx.fsx_lustre_changes import refuse_change
from trnkit.emulation.services.fsx.fsx_lustre_refusals import (
    automatic_iops,
    bucket_of,
    refuse_creation,
    refuse_values,
    reject,
)
from trnkit.emulation.services.fsx.fsx_network_refusals import refuse_network
from trnkit.emulation.services.model_constraints import check_request

LogGroups = Callable[[str, str, str], bool]
"""Whether a log group is there, by account, region and name."""


class _Neighbours:
    """What FSx asks other services, which need not be moto's."""

    log_group_exists: LogGroups | None = None


def install(*, log_group_exists: LogGroups | None = None) -> None:
    """Extend moto's FSx; to be called before its first request.

    Args:
        log_group_exists: Tells whether a log group is there. Without it no log destination is
            refused for being missing.
    """
    from moto.fsx.models import FileSystem
    from moto.fsx.responses import FSxResponse

    _Neighbours.log_group_exists = staticmethod(log_group_exists) if log_group_exists else None
    if not first_time(FSxResponse):
        return
    wrap(FileSystem, "to_dict", _to_dict)
    wrap(FSxResponse, "create_file_system", _create_file_system)
    wrap(FSxResponse, "describe_file_systems", _describe_file_systems)
    wrap(FSxResponse, "delete_file_system", _delete_file_system)
    added = (
        fsx_associations.create_data_repository_association,
        fsx_associations.describe_data_repository_associations,
        fsx_associations.update_data_repository_association,
        fsx_associations.delete_data_repository_association,
        update_file_system,
    )
    add(FSxResponse, added)


def _to_dict(original: Callable[..., Any], self: Any) -> dict[str, Any]:
    described = getattr(self, "described", None)
    if described is None:
        return original(self)
    tags = self.backend.list_tags_for_resource(self.resource_arn)
    return {**copy.deepcopy(described), "Tags": tags}


def _create_file_system(original: Callable[..., Any], self: Any) -> Any:
    request = json.loads(self.body)
    if request.get("FileSystemType") != "LUSTRE":
        return original(self)
    check_request("fsx", "CreateFileSystem", request)
    backend = self.fsx_backend
    known = _of_token(backend, request)
    if known is None:
        known = _made(backend, request)
    return ActionResult({"FileSystem": known.to_dict()})


def _of_token(backend: Any, request: Mapping[str, Any]) -> Any:
    """The file system that an earlier request with the same token made."""
    token = request.get("ClientRequestToken")
    for system in backend.file_systems.values():
        asked = getattr(system, "request", {})
        if token is None or asked.get("ClientRequestToken") != token:
            continue
        if asked == request:
            return system
        reject(
            "The client request token was used with other parameters.", "IncompatibleParameterError"
        )
    return None


def _made(backend: Any, request: dict[str, Any]) -> Any:
    place = (backend.partition, backend.region_name, backend.account_id)
    refuse_creation(request, backend.region_name)
    described = _described(request, place)
    refuse_values(described, place)
    _refuse_missing_log_group(described, place)
    servers = _servers(described)
    subnet, groups = refuse_network(
        _ec2(backend),
        request["SubnetIds"][0],
        request.get("SecurityGroupIds") or [],
        servers=servers,
        efa=bool(described["LustreConfiguration"].get("EfaEnabled")),
    )
    system = backend.create_file_system(
        client_request_token=request.get("ClientRequestToken"),
        file_system_type="LUSTRE",
        storage_capacity=request.get("StorageCapacity"),
        storage_type=described["StorageType"],
        subnet_ids=request["SubnetIds"],
        security_group_ids=groups,
        tags=request.get("Tags"),
        kms_key_id=request.get("KmsKeyId"),
        windows_configuration=None,
        lustre_configuration=described["LustreConfiguration"],
        ontap_configuration=None,
        file_system_type_version=described["FileSystemTypeVersion"],
        open_zfs_configuration=None,
    )
    system.request = request
    system.described = described | {
        "FileSystemId": system.file_system_id,
        "ResourceARN": system.resource_arn,
        "DNSName": system.dns_name,
        "VpcId": subnet.vpc_id,
        "NetworkInterfaceIds": _interfaces(backend, system.file_system_id, subnet, groups, servers),
    }
    return system


def _described(request: Mapping[str, Any], place: tuple[str, str, str]) -> dict[str, Any]:
    """A file system as it would be told, with AWS's defaults."""
    given = copy.deepcopy(request["LustreConfiguration"])
    kind = given.setdefault("DeploymentType", "SCRATCH_1")
    given.setdefault("DataCompressionType", "NONE")
    if kind.startswith("PERSISTENT"):
        given.setdefault("AutomaticBackupRetentionDays", 0)
        given.setdefault("CopyTagsToBackups", False)
    letters = string.ascii_lowercase + string.digits
    mount = "".join(secrets.choice(letters) for _ in range(8))
    given["MountName"] = "fsx" if kind == "SCRATCH_1" else mount
    given["LogConfiguration"] = _log(given.get("LogConfiguration"), place)
    repository = {name: given.pop(name) for name in _REPOSITORY if name in given}
    if "ImportPath" in repository:
        given["DataRepositoryConfiguration"] = _repository(repository)
    _complete_metadata(given, request.get("StorageCapacity"))
    described = {
        "OwnerId": place[2],
        "CreationTime": time.time(),
        "FileSystemType": "LUSTRE",
        "FileSystemTypeVersion": request.get("FileSystemTypeVersion") or _version(given),
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": request.get("StorageCapacity"),
        "StorageType": request.get("StorageType", "SSD"),
        "SubnetIds": request["SubnetIds"],
        "KmsKeyId": _key_arn(request.get("KmsKeyId"), place),
        "NetworkType": request.get("NetworkType", "IPV4"),
        "LustreConfiguration": given,
    }
    return {name: value for name, value in described.items() if value is not None}


_REPOSITORY = ("ImportPath", "ExportPath", "ImportedFileChunkSize", "AutoImportPolicy")


def _version(lustre: Mapping[str, Any]) -> str:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html
    if lustre["DeploymentType"] != "PERSISTENT_2":
        return "2.10"
    return "2.15" if "MetadataConfiguration" in lustre else "2.12"


def _key_arn(key: str | None, place: tuple[str, str, str]) -> str | None:
    if key is None or key.startswith(("arn:", "alias/")):
        return key
    return ":".join(("arn", place[0], "kms", place[1], place[2], f"key/{key}"))


def _log(given: Mapping[str, Any] | None, place: tuple[str, str, str]) -> dict[str, Any]:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreLogCreateConfiguration.html
    log: dict[str, Any] = dict(given or {"Level": "DISABLED"})
    if log["Level"] != "DISABLED" and "Destination" not in log:
        parts = ("arn", place[0], "logs", place[1], place[2], "log-group", "/aws/fsx/lustre")
        log["Destination"] = ":".join(parts)
    return log


def _repository(given: Mapping[str, Any]) -> dict[str, Any]:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    return {
        "Lifecycle": "AVAILABLE",
        "ExportPath": f"s3://{bucket_of(given['ImportPath'])}/FSxLustre{stamp}",
        "ImportedFileChunkSize": 1024,
        "AutoImportPolicy": "NONE",
        **given,
    }


def _complete_metadata(lustre: dict[str, Any], capacity: int | None) -> None:
    metadata = lustre.get("MetadataConfiguration")
    if metadata is None or (metadata["Mode"] != "AUTOMATIC" and "Iops" in metadata):
        return
    if "Iops" in metadata:
        reject("Metadata IOPS cannot be specified in AUTOMATIC mode.")
    metadata["Iops"] = automatic_iops(capacity) if capacity else 6000


def _refuse_missing_log_group(described: Mapping[str, Any], place: tuple[str, str, str]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreLogCreateConfiguration.html
    destination = described["LustreConfiguration"]["LogConfiguration"].get("Destination")
    exists = _Neighbours.log_group_exists
    if destination is None or exists is None:
        return
    name = destination.split(":", 6)[6].removesuffix(":*")
    # FSx makes the group of its own name itself.
    if name != "/aws/fsx/lustre" and not exists(place[2], place[1], name):
        reject(f"The log group {name} of the log destination does not exist.")


def _servers(described: Mapping[str, Any]) -> int:
    """Servers of a file system, each of which has an address in the subnet.

    Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html
    """
    lustre = described["LustreConfiguration"]
    metadata = max(1, lustre.get("MetadataConfiguration", {}).get("Iops", 0) // 12_000)
    if described["StorageType"] == "INTELLIGENT_TIERING":
        return metadata + lustre["ThroughputCapacity"] // 4000
    throughput = lustre.get("PerUnitStorageThroughput", 0)
    of_one = {12: 6000, 40: 1800}.get(throughput, 2400)
    if lustre.get("EfaEnabled"):
        of_one = _GIB_OF_EFA_SERVER[throughput]
    return metadata + -(-described["StorageCapacity"] // of_one)


_GIB_OF_EFA_SERVER = {125: 38_400, 250: 19_200, 500: 9600, 1000: 4800}


def _ec2(backend: Any) -> Any:
    from moto.ec2.models import ec2_backends

    return ec2_backends[backend.account_id][backend.region_name]


def _interfaces(
    backend: Any, file_system_id: str, subnet: Any, groups: list[str], count: int
) -> list[str]:
    """Network interfaces of servers, real ones of moto's EC2."""
    made: list[str] = []
    for _ in range(count):
        interface = _ec2(backend).create_network_interface(
            subnet,
            [subnet.get_available_subnet_ip(backend)],
            group_ids=groups,
            description=f"Created by Amazon FSx for file system {file_system_id}",
        )
        made.append(interface.id)
    return made


def _describe_file_systems(original: Callable[..., Any], self: Any) -> Any:
    for file_system_id in json.loads(self.body).get("FileSystemIds") or ():
        _found(self.fsx_backend, file_system_id)
    return original(self)


def _found(backend: Any, file_system_id: str) -> Any:
    system = backend.file_systems.get(file_system_id)
    if system is None:
        reject(f"File system '{file_system_id}' does not exist.", "FileSystemNotFound")
    return system


def _delete_file_system(original: Callable[..., Any], self: Any) -> Any:
    backend = self.fsx_backend
    system = _found(backend, json.loads(self.body)["FileSystemId"])
    answer = original(self)
    for one in fsx_associations.of_file_system(backend, system.file_system_id):
        del fsx_associations.associations(backend)[one["AssociationId"]]
    for interface_id in getattr(system, "described", {}).get("NetworkInterfaceIds", ()):
        interface = _ec2(backend).enis.pop(interface_id, None)
        if interface is not None:
            interface.subnet.del_subnet_ip(interface.private_ip_address)
    backend.tagger.delete_all_tags_for_resource(system.resource_arn)
    return answer


def update_file_system(self: Any) -> ActionResult:
    """UpdateFileSystem, of Lustre only."""
    request = json.loads(self.body)
    check_request("fsx", "UpdateFileSystem", request)
    backend = self.fsx_backend
    system = _found(backend, request["FileSystemId"])
    if not hasattr(system, "described"):
        reject("Only Lustre file systems can be updated here.", "UnsupportedOperation")
    before = system.described
    place = (backend.partition, backend.region_name, backend.account_id)
    after = _changed(before, request, place)
    refuse_change(before, after, request)
    refuse_values(after, place)
    _refuse_linked_backups(backend, after)
    _refuse_missing_log_group(after, place)
    _add_servers(backend, system, after)
    done = {
        "AdministrativeActionType": "FILE_SYSTEM_UPDATE",
        "RequestTime": time.time(),
        "Status": "COMPLETED",
    }
    after["AdministrativeActions"] = [done, *before.get("AdministrativeActions", ())]
    system.described = after
    return ActionResult({"FileSystem": system.to_dict()})


def _changed(
    before: Mapping[str, Any], request: Mapping[str, Any], place: tuple[str, str, str]
) -> dict[str, Any]:
    after = copy.deepcopy(dict(before))
    for name in ("StorageCapacity", "FileSystemTypeVersion", "NetworkType", "StorageType"):
        if request.get(name) is not None:
            after[name] = request[name]
    lustre = after["LustreConfiguration"]
    asked = copy.deepcopy(request.get("LustreConfiguration") or {})
    policy = asked.pop("AutoImportPolicy", None)
    if policy is not None and "DataRepositoryConfiguration" in lustre:
        lustre["DataRepositoryConfiguration"]["AutoImportPolicy"] = policy
    if "LogConfiguration" in asked:
        asked["LogConfiguration"] = _log(asked["LogConfiguration"], place)
    metadata = asked.pop("MetadataConfiguration", None)
    lustre.update(asked)
    old = lustre.get("MetadataConfiguration", {})
    if metadata is not None:
        mode = metadata.get("Mode", old.get("Mode", "USER_PROVISIONED"))
        kept = {"Iops": old["Iops"]} if mode == "USER_PROVISIONED" and "Iops" in old else {}
        lustre["MetadataConfiguration"] = {"Mode": mode, **kept, **metadata}
    elif old.get("Mode") == "AUTOMATIC":
        lustre["MetadataConfiguration"] = {"Mode": "AUTOMATIC"}
    _complete_metadata(lustre, after.get("StorageCapacity"))
    if not lustre.get("AutomaticBackupRetentionDays"):
        lustre.pop("DailyAutomaticBackupStartTime", None)
    return after


def _refuse_linked_backups(backend: Any, after: Mapping[str, Any]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
    days = after["LustreConfiguration"].get("AutomaticBackupRetentionDays")
    if days and fsx_associations.of_file_system(backend, after["FileSystemId"]):
        reject("Backups are not supported for file systems linked to a data repository.")


def _add_servers(backend: Any, system: Any, after: dict[str, Any]) -> None:
    present = after["NetworkInterfaceIds"]
    more = _servers(after) - len(present)
    if more <= 0:
        return
    subnet, groups = refuse_network(
        _ec2(backend),
        after["SubnetIds"][0],
        system.security_group_ids,
        servers=more,
        efa=bool(after["LustreConfiguration"].get("EfaEnabled")),
    )
    added = _interfaces(backend, system.file_system_id, subnet, groups, more)
    after["NetworkInterfaceIds"] = [*present, *added]
