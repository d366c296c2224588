"""The link between a folder of a Lustre file system and a place in S3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from aws_cdk import aws_fsx as fsx
from constructs import Construct

from constructs_lib.arguments import choices, flag, is_text, is_unresolved, text, whole_number
from trnkit.config.storage_values import FileSystemId
from trnkit.errors import ConstructError
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.repository_paths import judge_file_system_path, judge_repository_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]

_LARGEST_CHUNK_MIB = 512_000


class DataRepositoryAssociation(Construct):
    """A folder whose files come from, and may go to, an S3 bucket or prefix.

    Creates `AWS::FSx::DataRepositoryAssociation`. At most 8 a file system, with paths that do not
    overlap; FSx makes one at a time, so chain several by `node.add_dependency`. A file system with
    an association has no automatic backups: leave `automatic_backup_retention_days` out.

    Sources:
        https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.storage import DataRepositoryAssociation
        >>> link = DataRepositoryAssociation(
        ...     Stack(App(), "Storage"), "Corpus", file_system_id="fs-0123456789abcdef0",
        ...     file_system_path="/data", data_repository_path="s3://example-bucket/corpus")
    """

    association_id: str
    """Id of the association (`dra-...`)."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        file_system_id: str,
        file_system_path: str,
        data_repository_path: str,
        batch_import_meta_data_on_create: bool = False,
        imported_file_chunk_size_mib: int | None = None,
        auto_import_events: Sequence[RepositoryEvent] = ("NEW", "CHANGED", "DELETED"),
        auto_export_events: Sequence[RepositoryEvent] = (),
    ) -> None:
        """Create the association.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            file_system_id: The file system.
            file_system_path: Folder: one leading slash, no trailing one, none doubled.
            data_repository_path: `s3://bucket` or `s3://bucket/prefix`.
            batch_import_meta_data_on_create: Import all objects' metadata at once.
            imported_file_chunk_size_mib: Stripe count and most data per disk of imported files, 1
                to 512,000 MiB. None takes FSx's own, 1024.
            auto_import_events: Changes in S3 that show by themselves. (The API's default is none.)
            auto_export_events: Changes in the folder written to S3 by themselves; none by default,
                so that nothing in the bucket is changed unasked.

        Raises:
            ConstructError: A path of another shape, a chunk size or an event that FSx does not
                have, or an event twice.
        """
        super().__init__(scope, construct_id)
        text("file_system_id", file_system_id, FileSystemId)
        _check("file_system_path", file_system_path, _judge_folder, "a path like /data")
        _check(
            "data_repository_path",
            data_repository_path,
            judge_repository_path,
            "like s3://bucket/prefix",
        )
        flag("batch_import_meta_data_on_create", batch_import_meta_data_on_create)
        chunk = imported_file_chunk_size_mib
        most = _LARGEST_CHUNK_MIB
        whole_number("imported_file_chunk_size_mib", chunk, least=1, most=most, optional=True)
        choices("auto_import_events", auto_import_events, get_args(RepositoryEvent))
        choices("auto_export_events", auto_export_events, get_args(RepositoryEvent))
        data = fsx.CfnDataRepositoryAssociation
        association = data(
            self,
            "Resource",
            file_system_id=file_system_id,
            file_system_path=file_system_path,
            data_repository_path=data_repository_path,
            batch_import_meta_data_on_create=batch_import_meta_data_on_create,
            imported_file_chunk_size=chunk,
            s3=data.S3Property(
                auto_import_policy=data.AutoImportPolicyProperty(events=list(auto_import_events))
                if auto_import_events
                else None,
                auto_export_policy=data.AutoExportPolicyProperty(events=list(auto_export_events))
                if auto_export_events
                else None,
            ),
        )
        self.association_id = association.attr_association_id


def _judge_folder(path: str) -> Objection | None:
    if path[1:].endswith("/"):
        return Objection(f"is {path}, which ends in a slash", "leave it out")
    return judge_file_system_path(path)


def _check(name: str, value: str, judge: Callable[[str], Objection | None], expected: str) -> None:
    if is_unresolved(value):
        return
    found = judge(value) if is_text(value) else Objection("", "")
    if found is not None:
        _, _, why = found.text.partition(", which ")
        reason = f", which {why}" if why else ""
        raise ConstructError(f"{name} must be {expected}, got {value!r}{reason}")
    text(name, value)
