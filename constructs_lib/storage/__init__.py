"""Storage: Lustre file systems and their links to S3, the checkpoint bucket, home folders.

Constructs on CDK's S3 and EFS modules are loaded when they are first named: importing those modules
takes a tenth of a second, which most clusters need not spend.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from constructs_lib.storage.data_repository_association import DataRepositoryAssociation
from constructs_lib.storage.existing_lustre_file_system import ExistingLustreFileSystem
from constructs_lib.storage.lustre_file_system import LustreFileSystem
from constructs_lib.storage.lustre_options import LustreOptions

if TYPE_CHECKING:
    from constructs_lib.storage.checkpoint_bucket import CheckpointBucket, CheckpointLifecycle
    from constructs_lib.storage.home_file_system import HomeFileSystem

__all__ = [
    "CheckpointBucket",
    "CheckpointLifecycle",
    "DataRepositoryAssociation",
    "ExistingLustreFileSystem",
    "HomeFileSystem",
    "LustreFileSystem",
    "LustreOptions",
]

_LOADED_WHEN_NAMED = {
    "CheckpointBucket": "checkpoint_bucket",
    "CheckpointLifecycle": "checkpoint_bucket",
    "HomeFileSystem": "home_file_system",
}


def __getattr__(name: str) -> object:
    if name not in _LOADED_WHEN_NAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LOADED_WHEN_NAMED[name]}"), name)
