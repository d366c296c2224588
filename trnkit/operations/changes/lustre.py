"""What FSx changes on a file system that exists, which the registry's schema does not tell.

Of Lustre the API is known property by property; of the other kinds only the schema's word counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.expiring import judge_backups, judge_link_events
from trnkit.operations.changes.pairs import number_at, value_at
from trnkit.report.change_results import Effect, Verdict
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

FILE_SYSTEM = "AWS::FSx::FileSystem"
ASSOCIATION = "AWS::FSx::DataRepositoryAssociation"

_GUIDE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/"
_CONFIGURATION_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-properties-fsx-filesystem-lustreconfiguration.html"
)
EXPORT_FIRST = "export first: aws fsx create-data-repository-task --type EXPORT_TO_REPOSITORY"
_ASSOCIATION_PAGE = (
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html"
)
_UPDATE_PAGE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html"
_TAGS_PAGE = "https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1687"

_REPLACING = frozenset({"DeploymentType", "CopyTagsToBackups"})
_AT_CREATION = frozenset(
    {
        "DriveCacheType",
        "EfaEnabled",
        "ExportPath",
        "FileSystemTypeVersion",
        "ImportPath",
        "ImportedFileChunkSize",
        "StorageType",
    }
)
"""UpdateFileSystem cannot change these of Lustre, or CloudFormation's own pages disagree."""
_BESIDE_IT = "add a second file system with the new value, copy, then remove this one"
_FEW_MINUTES = (
    "the file system may be unavailable for a few minutes, in which requests of clients wait"
)
_AN_HOUR = "the file system may be unavailable for up to an hour, in which requests of clients wait"


def judge(pair: ResourcePair, difference: Difference) -> Effect | None:
    """What one differing property of a file system does; None for what the schema tells."""
    if not _is_lustre(pair):
        return _of_another_kind(difference)
    if difference.top == "StorageCapacity":
        return _capacity(pair)
    name = difference.name if difference.top == "LustreConfiguration" else difference.top
    if len(difference.path) == 1 and name == "LustreConfiguration":
        return _at_creation(name)
    if name in _REPLACING:
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{name} of a file system cannot be changed: CloudFormation makes a new one",
            hint=_BESIDE_IT,
            source=_CONFIGURATION_PAGE,
            replaces=True,
        )
    if name in _AT_CREATION:
        return _at_creation(name)
    if "MetadataConfiguration" in difference.path:
        return _metadata(pair)
    if name == "AutomaticBackupRetentionDays":
        return judge_backups(pair)
    if name == "PerUnitStorageThroughput":
        return _throughput_per_tib(pair)
    if name == "ThroughputCapacity":
        return _throughput(pair)
    return None


def judge_whole(pair: ResourcePair) -> Iterator[Effect]:
    """What only the differences together tell: a change of nothing but tags (FSX-08)."""
    tops = {difference.top for difference in pair.differences}
    if tops != {"Tags"} or not _is_linked(pair):
        return
    lustre = value_at(pair.new_form, "LustreConfiguration", "AutomaticBackupRetentionDays")
    if lustre is not None:
        yield Effect(
            verdict=Verdict.REFUSED,
            message="FSx refuses the update: with the tags CloudFormation sends "
            "AutomaticBackupRetentionDays, which a file system that is linked to S3 must not have",
            hint="leave AutomaticBackupRetentionDays out of the template",
            source=_TAGS_PAGE,
        )
    else:
        yield Effect(
            verdict=Verdict.SAFE,
            message="FSx has refused updates of nothing but tags of file systems linked to S3; "
            "then the update is rolled back",
            source=_TAGS_PAGE,
        )


def judge_association(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A link to S3 is remade, during which neither side follows the other."""
    schema = pair.schema
    if schema is None or not schema.is_create_only(difference.path):
        return judge_link_events(pair, difference)
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message="another link takes its place: meanwhile changes do not cross; files stay, and "
        "those that were not exported are in the file system only",
        hint=EXPORT_FIRST,
        source=_ASSOCIATION_PAGE,
        replaces=True,
    )


def _is_lustre(pair: ResourcePair) -> bool:
    kind = value_at(pair.old_form, "FileSystemType")
    if isinstance(kind, str):
        return kind == "LUSTRE"
    return "LustreConfiguration" in pair.old_form


def _of_another_kind(difference: Difference) -> Effect | None:
    if difference.top in ("Tags", "StorageCapacity") or not difference.top.endswith(
        "Configuration"
    ):
        return None
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"what a change of {difference.top} does cannot be told from its schema",
        hint="make a change set and read its replacements",
        source=_UPDATE_PAGE,
    )


def _at_creation(name: str) -> Effect:
    return Effect(
        verdict=Verdict.DESTROYS_DATA,
        message=f"{name} is chosen when a file system is made; to have it otherwise means a new, "
        "empty one",
        hint=_BESIDE_IT,
        source=_UPDATE_PAGE,
        replaces=True,
    )


def _capacity(pair: ResourcePair) -> Effect:
    page = f"{_GUIDE}managing-storage-capacity.html"
    old, new = (number_at(form, "StorageCapacity") for form in (pair.old_form, pair.new_form))
    if old is None or new is None:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="whether the storage capacity grows cannot be told",
            hint="write both capacities as numbers",
            source=page,
        )
    if new < old:
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"storage capacity only grows: FSx refuses {new:g} GiB after {old:g}, and the "
            "update is rolled back",
            hint="keep the capacity; a smaller file system is another one, to which data is copied",
            source=page,
        )
    if value_at(pair.old_form, "LustreConfiguration", "DeploymentType") == "SCRATCH_1":
        return Effect(
            verdict=Verdict.REFUSED,
            message="the capacity of a SCRATCH_1 file system cannot be changed",
            hint=_BESIDE_IT,
            source=page,
        )
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message=f"it grows in place: {_FEW_MINUTES}; spreading the data takes hours, and another "
        "change of capacity has to wait",
        hint="change it when no job writes a checkpoint",
        source=page,
    )


def _metadata(pair: ResourcePair) -> Effect:
    page = f"{_GUIDE}managing-metadata-performance.html"
    way = ("LustreConfiguration", "MetadataConfiguration")
    old, new = (value_at(form, *way) for form in (pair.old_form, pair.new_form))
    if old is None or new is None:
        what = "added to" if old is None else "taken from"
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"a metadata configuration cannot be {what} a file system: it means a new, "
            "empty one",
            hint=_BESIDE_IT,
            source=page,
            replaces=True,
        )
    before, after = (number_at(form, *way, "Iops") for form in (pair.old_form, pair.new_form))
    if before is not None and after is not None and after < before:
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"metadata IOPS only grow: FSx refuses {after:g} after {before:g}",
            hint="keep the number, or set the mode to AUTOMATIC",
            source=page,
        )
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message=f"metadata performance changes in place: {_FEW_MINUTES}",
        source=page,
    )


def _throughput_per_tib(pair: ResourcePair) -> Effect:
    page = f"{_GUIDE}managing-throughput-capacity.html"
    efa = value_at(pair.old_form, "LustreConfiguration", "EfaEnabled")
    storage = value_at(pair.old_form, "StorageType")
    is_told = efa in (None, "true", "false") and (storage is None or isinstance(storage, str))
    if efa != "true" and not is_told:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="the throughput of a file system with EFA, or of HDD storage, cannot be "
            "changed; whether this is one cannot be told",
            hint="write EfaEnabled and StorageType as values",
            source=page,
        )
    if efa == "true" or storage not in (None, "SSD"):
        what = "with EFA" if efa == "true" else f"of {storage} storage"
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"the throughput of a file system {what} cannot be changed",
            hint=_BESIDE_IT,
            source=page,
        )
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message=f"FSx exchanges the file servers: {_AN_HOUR}",
        hint="change it when no job writes a checkpoint",
        source=page,
    )


def _throughput(pair: ResourcePair) -> Effect:
    page = f"{_GUIDE}managing-throughput-capacity.html"
    way = ("LustreConfiguration", "ThroughputCapacity")
    old, new = (number_at(form, *way) for form in (pair.old_form, pair.new_form))
    if old is not None and new is not None and new < old:
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"this throughput only grows: FSx refuses {new:g} MB/s after {old:g}",
            hint="keep the number",
            source=page,
        )
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message=f"FSx adds file servers: {_AN_HOUR}",
        hint="change it when no job writes a checkpoint",
        source=page,
    )


def _is_linked(pair: ResourcePair) -> bool:
    for association in pair.new.template.stack_set.resources(ASSOCIATION):
        value = properties_of(association)["FileSystemId"].value
        if isinstance(value, Reference) and value.resource is pair.new:
            return True
    return False
