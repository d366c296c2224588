"""FSx: which file systems an account has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_FILE_SYSTEMS = ReadOperation(
    service="fsx",
    name="DescribeFileSystems",
    permission="fsx:DescribeFileSystems",
    purpose="file systems that exist: what they take of quotas, and whether the file's are there",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemDescription:
    """A file system of any kind of FSx; None where FSx says nothing, as of another kind's facts.

    Attributes:
        file_system_id: `fs-...`.
        kind: `LUSTRE`, `OPENZFS`, `ONTAP` or `WINDOWS`.
        lifecycle: For example `AVAILABLE`, `CREATING` or `FAILED`.
        deployment_type: Of Lustre: `SCRATCH_1`, `SCRATCH_2`, `PERSISTENT_1` or `PERSISTENT_2`.
        storage_type: `SSD`, `HDD` or `INTELLIGENT_TIERING`.
        capacity_gib: Storage capacity; 0 or None with Intelligent-Tiering, which grows by itself.
        throughput_per_tib: MB/s for each TiB, of persistent SSD and HDD.
        throughput_capacity_mbps: MB/s in all, of Intelligent-Tiering.
        read_cache_mode: How the SSD read cache of Intelligent-Tiering is sized, for example
            `USER_PROVISIONED`.
        read_cache_gib: Its size.
        lustre_version: For example `2.15`.
        efa_enabled: Whether clients can use EFA.
        vpc_id: Its VPC.
        subnet_ids: Its subnets.
        network_interface_ids: Its network interfaces.
        dns_name: What clients mount.
        mount_name: What Lustre clients mount of it.
        kms_key_id: The key that it is encrypted with, as an id or an ARN: not for messages.
        tags: Its tags.
    """

    file_system_id: str
    kind: str
    lifecycle: str | None
    deployment_type: str | None
    storage_type: str | None
    capacity_gib: int | None
    throughput_per_tib: int | None
    throughput_capacity_mbps: int | None
    read_cache_mode: str | None
    read_cache_gib: int | None
    lustre_version: str | None
    efa_enabled: bool | None
    vpc_id: str | None
    subnet_ids: tuple[str, ...]
    network_interface_ids: tuple[str, ...]
    dns_name: str | None
    mount_name: str | None
    kms_key_id: str | None
    tags: Mapping[str, str]

    @property
    def has_kms_key(self) -> bool:
        """Whether FSx names a key that it is encrypted with."""
        return self.kms_key_id is not None


class FsxGateway(Gateway):
    """Describes the file systems that an account has in one Region."""

    service = "fsx"
    operations = (DESCRIBE_FILE_SYSTEMS,)

    def file_systems(self) -> tuple[FileSystemDescription, ...]:
        """All of them, of every kind.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        # No page size: FSx says `MaxResults`, and has its own idea of a page that suits it.
        return tuple(map(_file_system, self._ask_all(DESCRIBE_FILE_SYSTEMS, "FileSystems")))

    def file_system(self, file_system_id: str) -> FileSystemDescription | None:
        """One of them.

        Args:
            file_system_id: `fs-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account has no such file system.

        Returns:
            None when AWS answers with none.
        """
        told = self._ask(
            DESCRIBE_FILE_SYSTEMS, about=file_system_id, FileSystemIds=[file_system_id]
        )
        found = told.get("FileSystems", ())
        return _file_system(found[0]) if found else None


def _file_system(told: dict[str, Any]) -> FileSystemDescription:
    lustre = told.get("LustreConfiguration", {})
    cache = lustre.get("DataReadCacheConfiguration", {})
    return FileSystemDescription(
        file_system_id=told["FileSystemId"],
        kind=told["FileSystemType"],
        lifecycle=told.get("Lifecycle"),
        deployment_type=lustre.get("DeploymentType"),
        storage_type=told.get("StorageType"),
        capacity_gib=told.get("StorageCapacity"),
        throughput_per_tib=lustre.get("PerUnitStorageThroughput"),
        throughput_capacity_mbps=lustre.get("ThroughputCapacity"),
        read_cache_mode=cache.get("SizingMode"),
        read_cache_gib=cache.get("SizeGiB"),
        lustre_version=told.get("FileSystemTypeVersion"),
        efa_enabled=lustre.get("EfaEnabled"),
        vpc_id=told.get("VpcId"),
        subnet_ids=tuple(told.get("SubnetIds", ())),
        network_interface_ids=tuple(told.get("NetworkInterfaceIds", ())),
        dns_name=told.get("DNSName"),
        mount_name=lustre.get("MountName"),
        kms_key_id=told.get("KmsKeyId"),
        tags={tag["Key"]: tag["Value"] for tag in told.get("Tags", ())},
    )
