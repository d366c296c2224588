"""FSx file systems and their links to Amazon S3."""

from __future__ import annotations

from collections.abc import Mapping
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
    """``AWS::FSx::FileSystem`` by CreateFileSystem and UpdateFileSystem."""

    name = "AWS::FSx::FileSystem"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; only Lustre has all its members kept."""
        if "BackupId" in properties:
            raise Refused("file systems from a backup are not emulated")
        fsx = place.clients("fsx")
        given = {name: properties[name] for name in _MEMBERS if name in properties}
        tags = own_tags(properties.get("Tags"))
        request = request_of(fsx, "CreateFileSystem", given | ({"Tags": tags} if tags else {}))
        return _made(fsx.create_file_system(**request)["FileSystem"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change what UpdateFileSystem changes; some of the rest makes another file system.

        Raises:
            Refused: A property that nothing can change.
        """
        was, wanted = (p.get("LustreConfiguration") or {} for p in (old, new))
        if any(was.get(name) != wanted.get(name) for name in _REPLACING):
            return self.create(place, new)
        fixed = [name for name in _FIXED if was.get(name) != wanted.get(name)]
        if fixed:
            raise Refused(f"{fixed[0]} of a file system cannot be updated", service="AmazonFSx")
        fsx = place.clients("fsx")
        changed = _changed(old, new, _CHANGEABLE)
        lustre = _changed(was, wanted, tuple(wanted))
        if lustre:
            changed["LustreConfiguration"] = lustre
        if changed:
            request = request_of(fsx, "UpdateFileSystem", changed)
            fsx.update_file_system(FileSystemId=made.physical_id, **request)
        (told,) = fsx.describe_file_systems(FileSystemIds=[made.physical_id])["FileSystems"]
        _retag(fsx, told["ResourceARN"], old, new)
        return _made(told)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        fsx = place.clients("fsx")
        unless_gone(lambda: fsx.delete_file_system(FileSystemId=physical_id), "FileSystemNotFound")

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeFileSystems, and DescribeNetworkInterfaces for the security groups."""
        fsx = clients("fsx")
        answer = unless_gone(
            lambda: fsx.describe_file_systems(FileSystemIds=[physical_id]), "FileSystemNotFound"
        )
        if not answer or not answer["FileSystems"]:
            return None
        (system,) = answer["FileSystems"]
        told = {name: system[name] for name in _MEMBERS if name in system}
        told["SecurityGroupIds"] = _groups(clients, system)
        lustre = system.get("LustreConfiguration")
        if lustre is not None:
            repository = lustre.get("DataRepositoryConfiguration") or {}
            told["LustreConfiguration"] = {**lustre, **repository}
        key = properties.get("KmsKeyId")
        if key and str(system.get("KmsKeyId", "")).endswith(f":key/{key}"):
            told["KmsKeyId"] = key
        return properties_told(properties, told) | {
            "Tags": tags_told(properties.get("Tags"), system.get("Tags"))
        }


_MEMBERS = (
    "FileSystemType",
    "FileSystemTypeVersion",
    "StorageCapacity",
    "StorageType",
    "SubnetIds",
    "SecurityGroupIds",
    "KmsKeyId",
    "NetworkType",
    "LustreConfiguration",
    "OntapConfiguration",
    "OpenZFSConfiguration",
    "WindowsConfiguration",
)

_CHANGEABLE = ("StorageCapacity", "StorageType", "FileSystemTypeVersion", "NetworkType")

# "Update requires: Replacement", which the registry's schema does not tell.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-fsx-filesystem-lustreconfiguration.html
_REPLACING = ("DeploymentType", "CopyTagsToBackups")

# UpdateFileSystem has no such member, and CloudFormation does not replace for it.
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystemLustreConfiguration.html
_FIXED = ("DriveCacheType", "EfaEnabled", "ExportPath", "ImportPath", "ImportedFileChunkSize")


def _made(system: Mapping[str, Any]) -> Made:
    attributes = {
        "Id": system["FileSystemId"],
        "DNSName": system.get("DNSName"),
        "LustreMountName": system.get("LustreConfiguration", {}).get("MountName"),
        "ResourceARN": system["ResourceARN"],
        "RootVolumeId": system.get("OpenZFSConfiguration", {}).get("RootVolumeId"),
    }
    kept = {name: value for name, value in attributes.items() if value is not None}
    return Made(system["FileSystemId"], kept)


def _groups(clients: Clients, system: Mapping[str, Any]) -> list[str] | None:
    """Security groups of the file system's interfaces, which FSx itself never tells."""
    ids = system.get("NetworkInterfaceIds")
    if not ids:
        return None
    answer = clients("ec2").describe_network_interfaces(NetworkInterfaceIds=ids)
    groups = [g["GroupId"] for eni in answer["NetworkInterfaces"] for g in eni["Groups"]]
    return list(dict.fromkeys(groups))


class DataRepositoryAssociation:
    """``AWS::FSx::DataRepositoryAssociation`` by CreateDataRepositoryAssociation."""

    name = "AWS::FSx::DataRepositoryAssociation"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        fsx = place.clients("fsx")
        given = {name: properties[name] for name in _LINK if name in properties}
        tags = own_tags(properties.get("Tags"))
        members = given | ({"Tags": tags} if tags else {})
        request = request_of(fsx, "CreateDataRepositoryAssociation", members)
        return _linked(fsx.create_data_repository_association(**request)["Association"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change the policies, the chunk size and tags."""
        fsx = place.clients("fsx")
        changed = _changed(old, new, ("ImportedFileChunkSize",))
        was, wanted = (p.get("S3") or {} for p in (old, new))
        # A policy that the template no longer has is one without events.
        s3 = _changed(was, wanted, tuple(wanted))
        s3 |= {name: {"Events": []} for name in was if name not in wanted}
        members = changed | ({"S3": s3} if s3 else {})
        if members:
            request = request_of(fsx, "UpdateDataRepositoryAssociation", members)
            fsx.update_data_repository_association(AssociationId=made.physical_id, **request)
        answer = fsx.describe_data_repository_associations(AssociationIds=[made.physical_id])
        (told,) = answer["Associations"]
        _retag(fsx, told["ResourceARN"], old, new)
        return _linked(told)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; the data stays in the file system."""
        fsx = place.clients("fsx")
        unless_gone(
            lambda: fsx.delete_data_repository_association(
                AssociationId=physical_id, DeleteDataInFileSystem=False
            ),
            _NO_LINK,
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeDataRepositoryAssociations."""
        fsx = clients("fsx")
        answer = unless_gone(
            lambda: fsx.describe_data_repository_associations(AssociationIds=[physical_id]),
            _NO_LINK,
        )
        if not answer:
            return None
        (link,) = answer["Associations"]
        told = {name: link[name] for name in _LINK if name in link}
        return properties_told(properties, told) | {
            "Tags": tags_told(properties.get("Tags"), link.get("Tags"))
        }


_LINK = (
    "FileSystemId",
    "FileSystemPath",
    "DataRepositoryPath",
    "BatchImportMetaDataOnCreate",
    "ImportedFileChunkSize",
    "S3",
)

_NO_LINK = "DataRepositoryAssociationNotFound"


def _linked(link: Mapping[str, Any]) -> Made:
    attributes = {"AssociationId": link["AssociationId"], "ResourceARN": link["ResourceARN"]}
    return Made(link["AssociationId"], attributes)


def _changed(
    old: Mapping[str, Any], new: Mapping[str, Any], names: tuple[str, ...]
) -> dict[str, Any]:
    return {name: new[name] for name in names if name in new and new[name] != old.get(name)}


def _retag(fsx: Any, arn: str, old: Properties, new: Properties) -> None:
    wanted = own_tags(new.get("Tags"))
    keys = {tag["Key"] for tag in wanted}
    lost = [tag["Key"] for tag in own_tags(old.get("Tags")) if tag["Key"] not in keys]
    if lost:
        fsx.untag_resource(ResourceARN=arn, TagKeys=lost)
    if wanted:
        fsx.tag_resource(ResourceARN=arn, Tags=wanted)


TYPES = (FileSystem(), DataRepositoryAssociation())
