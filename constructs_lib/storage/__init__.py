"""Storage: Lustre file systems and their links to S3."""

from constructs_lib.storage.data_repository_association import DataRepositoryAssociation
from constructs_lib.storage.lustre_file_system import LustreFileSystem

__all__ = ["DataRepositoryAssociation", "LustreFileSystem"]
