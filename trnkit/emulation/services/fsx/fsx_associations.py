"""Data repository associations, which moto's FSx does not have.

Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult

from trnkit.emulation.services.fsx.fsx_lustre_refusals import bucket_of, reject
from trnkit.emulation.services.model_constraints import check_request

MOST = 8
"""Associations that one file system can have."""

_ONE_AT_A_TIME = threading.Lock()
"""AWS works on one request for a file system at a time, and queues the others."""

_DEFAULT_CHUNK_MIB = 1024


def associations(backend: Any) -> dict[str, dict[str, Any]]:
    """All associations of a region by id; moto's reset clears them with the rest."""
    return backend.__dict__.setdefault("associations", {})


def of_file_system(backend: Any, file_system_id: str) -> list[dict[str, Any]]:
    """The associations of one file system."""
    every = associations(backend).values()
    return [one for one in every if one["FileSystemId"] == file_system_id]


def create_data_repository_association(self: Any) -> ActionResult:
    """CreateDataRepositoryAssociation."""
    request = json.loads(self.body)
    check_request("fsx", "CreateDataRepositoryAssociation", request)
    backend = self.fsx_backend
    with _ONE_AT_A_TIME:
        system = _file_system(backend, request["FileSystemId"])
        _refuse_system(system)
        present = of_file_system(backend, request["FileSystemId"])
        _refuse_paths(request, present)
        made = _made(backend, request)
        associations(backend)[made["AssociationId"]] = made
    if request.get("Tags"):
        backend.tagger.tag_resource(made["ResourceARN"], request["Tags"])
    return ActionResult({"Association": _described(backend, made)})


def describe_data_repository_associations(self: Any) -> ActionResult:
    """DescribeDataRepositoryAssociations."""
    request = json.loads(self.body)
    check_request("fsx", "DescribeDataRepositoryAssociations", request)
    backend = self.fsx_backend
    wanted = request.get("AssociationIds")
    if wanted:
        found = [_association(backend, one) for one in wanted]
    else:
        found = [*associations(backend).values()]
    for narrowed in request.get("Filters") or ():
        member = _FILTERS.get(narrowed["Name"])
        if member is not None:
            found = [one for one in found if one.get(member) in narrowed["Values"]]
    return ActionResult({"Associations": [_described(backend, one) for one in found]})


_FILTERS = {"file-system-id": "FileSystemId"}


def update_data_repository_association(self: Any) -> ActionResult:
    """UpdateDataRepositoryAssociation: the policies and the chunk size."""
    request = json.loads(self.body)
    check_request("fsx", "UpdateDataRepositoryAssociation", request)
    found = _association(self.fsx_backend, request["AssociationId"])
    if request.get("ImportedFileChunkSize") is not None:
        found["ImportedFileChunkSize"] = request["ImportedFileChunkSize"]
    # A policy that is not given stays; one without events is switched off.
    found["S3"] = found["S3"] | (request.get("S3") or {})
    return ActionResult({"Association": _described(self.fsx_backend, found)})


def delete_data_repository_association(self: Any) -> ActionResult:
    """DeleteDataRepositoryAssociation."""
    request = json.loads(self.body)
    check_request("fsx", "DeleteDataRepositoryAssociation", request)
    backend = self.fsx_backend
    found = _association(backend, request["AssociationId"])
    del associations(backend)[found["AssociationId"]]
    backend.tagger.delete_all_tags_for_resource(found["ResourceARN"])
    answer = {
        "AssociationId": found["AssociationId"],
        "Lifecycle": "DELETING",
        "DeleteDataInFileSystem": bool(request.get("DeleteDataInFileSystem")),
    }
    return ActionResult(answer)


def _file_system(backend: Any, file_system_id: str) -> Mapping[str, Any]:
    system = backend.file_systems.get(file_system_id)
    if system is None:
        reject(f"File system '{file_system_id}' does not exist.", "FileSystemNotFound")
    described: Mapping[str, Any] = system.to_dict()
    if described["FileSystemType"] != "LUSTRE":
        reject("Data repository associations need a Lustre file system.", "UnsupportedOperation")
    return described


def _refuse_system(system: Mapping[str, Any]) -> None:
    lustre = system["LustreConfiguration"]
    if lustre["DeploymentType"] == "SCRATCH_1" or system["FileSystemTypeVersion"] == "2.10":
        reject(
            "Data repository associations are not supported on SCRATCH_1 and Lustre 2.10 "
            "file systems.",
            "UnsupportedOperation",
        )
    if "DataRepositoryConfiguration" in lustre:
        reject("The file system was created with an import path, and cannot have associations.")
    if lustre.get("AutomaticBackupRetentionDays"):
        # https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
        reject("Automatic backups are enabled; a file system with backups cannot be linked to S3.")


def _refuse_paths(request: Mapping[str, Any], present: list[dict[str, Any]]) -> None:
    if len(present) >= MOST:
        reject(f"A file system can have at most {MOST} data repository associations.")
    path, source = request.get("FileSystemPath", "/"), request["DataRepositoryPath"]
    if not path.startswith("/"):
        reject(f"The file system path {path} must begin with a forward slash.")
    if bucket_of(source) is None:
        reject(f"The data repository path {source} is not a path of Amazon S3.")
    for other in present:
        if _overlap(path, other["FileSystemPath"]):
            reject(
                f"The file system path {path} overlaps with {other['FileSystemPath']} of "
                f"{other['AssociationId']}."
            )
        if _overlap(source, other["DataRepositoryPath"]):
            reject(
                f"The data repository path {source} overlaps with {other['DataRepositoryPath']} "
                f"of {other['AssociationId']}."
            )


def _overlap(one: str, other: str) -> bool:
    first, second = (f"{path.rstrip('/')}/" for path in (one, other))
    return first.startswith(second) or second.startswith(first)


def _made(backend: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    association_id = f"dra-{uuid.uuid4().hex[:17]}"
    system_id = request["FileSystemId"]
    policies = request.get("S3") or {}
    return {
        "AssociationId": association_id,
        "ResourceARN": f"arn:{backend.partition}:fsx:{backend.region_name}:{backend.account_id}:"
        f"association/{system_id}/{association_id}",
        "FileSystemId": system_id,
        "Lifecycle": "AVAILABLE",
        "FileSystemPath": request.get("FileSystemPath", "/"),
        "DataRepositoryPath": request["DataRepositoryPath"],
        "BatchImportMetaDataOnCreate": bool(request.get("BatchImportMetaDataOnCreate")),
        "ImportedFileChunkSize": request.get("ImportedFileChunkSize", _DEFAULT_CHUNK_MIB),
        "S3": dict(policies),
        "CreationTime": time.time(),
    }


def _association(backend: Any, association_id: str) -> dict[str, Any]:
    found = associations(backend).get(association_id)
    if found is None:
        reject(
            f"Data repository association '{association_id}' does not exist.",
            "DataRepositoryAssociationNotFound",
        )
    return found


def _described(backend: Any, one: Mapping[str, Any]) -> dict[str, Any]:
    return {**one, "Tags": backend.list_tags_for_resource(one["ResourceARN"])}
