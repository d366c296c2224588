"""An upload to S3, where the repository associations of the file systems look."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.operations.rehearsal.stage import Stage

ASSOCIATION = "AWS::FSx::DataRepositoryAssociation"
_NAME = "trnkit-rehearsal-upload"


def prove_links(stage: Stage) -> None:
    """Upload to the path that FSx tells of each association, and find it there.

    That the file then shows in the file system is FSx's work, which no emulator here does.
    """
    for stack in stage.inventory().values():
        clients = stage.aws.clients(stack["region"])
        for resource in stack["resources"].values():
            if resource["type"] != ASSOCIATION:
                continue
            ids = [resource["physical_id"]]
            answer = clients("fsx").describe_data_repository_associations(AssociationIds=ids)
            (association,) = answer["Associations"]
            path: str = association["DataRepositoryPath"]
            bucket, _, prefix = path.removeprefix("s3://").partition("/")
            key = "/".join(filter(None, [prefix.strip("/"), _NAME]))
            s3 = clients("s3")
            s3.put_object(Bucket=bucket, Key=key, Body=b"rehearsal")
            listed = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
            found = key in [one["Key"] for one in listed]
            s3.delete_object(Bucket=bucket, Key=key)
            events = association.get("S3", {}).get("AutoImportPolicy", {}).get("Events", [])
            imported = f", which imports {', '.join(events)}" if events else ""
            stage.tell(
                found,
                f"an upload arrives in {path}, linked to {association['FileSystemPath']} of "
                f"{association['FileSystemId']}{imported}"
                if found
                else f"an upload does not arrive in {path}",
            )
