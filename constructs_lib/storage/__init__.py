"""Storage: Lustre file systems and their links to S3, the checkpoint bucket, home folders."""

from constructs_lib.storage.checkpoint_bucket import CheckpointBucket, CheckpointLifecycle
from constructs_lib.storage.data_repository_association import DataRepositoryAssociation
from constructs_lib.storage.existing_lustre_file_system import ExistingLustreFileSystem
from constructs_lib.storage.home_file_system import HomeFileSystem
from constructs_lib.storage.lustre_file_system import LustreFileSystem
from constructs_lib.storage.lustre_options import LustreOptions

__all__ = [
    "CheckpointBucket",
    "CheckpointLifecycle",
    "DataRepositoryAssociation",
    "ExistingLustreFileSystem",
    "HomeFileSystem",
    "LustreFileSystem",
    "LustreOptions",
]
