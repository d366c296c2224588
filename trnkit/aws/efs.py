"""EFS: which file systems an account has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_EFS_FILE_SYSTEMS = ReadOperation(
    service="efs",
    name="DescribeFileSystems",
    permission="elasticfilesystem:DescribeFileSystems",
    purpose="file systems that exist and count against the account's quota",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFileSystemDescription:
    """A file system of EFS.

    Attributes:
        file_system_id: `fs-...`.
        tags: Its tags.
    """

    file_system_id: str
    tags: Mapping[str, str]


class EfsGateway(Gateway):
    """Describes the EFS file systems that an account has in one Region."""

    service = "efs"
    operations = (DESCRIBE_EFS_FILE_SYSTEMS,)

    def file_systems(self) -> tuple[HomeFileSystemDescription, ...]:
        """All of them.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        return tuple(
            HomeFileSystemDescription(
                file_system_id=told["FileSystemId"],
                tags={tag["Key"]: tag["Value"] for tag in told.get("Tags", ())},
            )
            for told in self._ask_all(DESCRIBE_EFS_FILE_SYSTEMS, "FileSystems")
        )
