"""TRN355: S3 links are associations, with well-formed paths and without what they exclude."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.repository_paths import judge_file_system_path, judge_repository_path
from trnkit.rules.judging.lustre_judgement import overlapping
from trnkit.rules.judging.lustre_links import OLD_LINKS, judge_linked_backups, judge_old_link
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.machine_images import is_certainly_named
from trnkit.rules.reading.s3_arns import BUCKET, pieces_of
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.stack_set import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_BACKUPS = "AutomaticBackupRetentionDays"
_SCHEME = "s3://"
_JUDGES = {"FileSystemPath": judge_file_system_path, "DataRepositoryPath": judge_repository_path}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        yield from _old_style(found)
        yield from _backups(found)
        for key in _JUDGES:
            yield from _overlaps(found, key)
    for resource in stack_set.resources("AWS::FSx::DataRepositoryAssociation"):
        for key, judge in _JUDGES.items():
            value = properties_of(resource)[key]
            text = value.text()
            wrong = judge(text) if text is not None else _judge_beginning(key, value)
            if wrong is not None:
                yield Violation(
                    message=f"{resource.logical_id}: {key} {wrong.text}",
                    hint=wrong.hint,
                    resource=resource,
                    path=value.path,
                )


def _judge_beginning(key: str, value: TemplateValue) -> Objection | None:
    """What is wrong with a path of which only the beginning is known, or where it comes from."""
    first, *rest = pieces_of(value)
    if key == "FileSystemPath":
        wrong = isinstance(first, str) and not first.startswith("/")
        text = f"begins with {first}, and not with a slash"
        return Objection(text, "write a slash before it") if wrong else None
    bucket, hint = first, "write s3:// and the bucket's name, Ref in Fn::Sub"
    if isinstance(first, str):
        if not first.startswith(_SCHEME):
            whole = _SCHEME.startswith(first)
            return None if whole else Objection(f"begins with {first}, and not with s3://", hint)
        bucket = rest[0] if rest and first == _SCHEME else None
    if not isinstance(bucket, Reference) or bucket.resource.type != BUCKET:
        return None
    name = bucket.resource.logical_id
    if bucket.attribute is not None:
        return Objection(f"has {bucket.attribute} of {name}, and not its name", hint)
    is_bare = bucket is first
    return Objection(f"is the name of {name} without s3:// before it", hint) if is_bare else None


def _old_style(found: LustreFileSystem) -> Iterator[Violation]:
    for key in OLD_LINKS:
        value = found.configuration[key]
        wrong = judge_old_link(
            key,
            found.deployment_type,
            has_associations=bool(found.associations),
            associations="AWS::FSx::DataRepositoryAssociation",
        )
        if wrong is not None and is_certainly_named(value):
            yield Violation(
                message=f"{found.name}: {wrong.text}",
                hint=wrong.hint,
                resource=found.resource,
                path=value.path,
            )


def _backups(found: LustreFileSystem) -> Iterator[Violation]:
    days = found.configuration[_BACKUPS]
    if not found.associations or days.is_absent or days.is_unknown:
        return
    severity, wrong = judge_linked_backups(_BACKUPS, days.integer())
    yield Violation(
        message=f"{found.name}: {wrong.text}",
        hint=wrong.hint,
        resource=found.resource,
        path=days.path,
        severity=severity,
    )


def _overlaps(found: LustreFileSystem, key: str) -> Iterator[Violation]:
    known: list[tuple[TemplateValue, str]] = []
    for association in found.associations:
        text = association[key].text()
        if text is not None:
            known.append((association[key], text))
    for first, second in overlapping([text for _, text in known]):
        (one, here), (other, there) = known[second], known[first]
        yield Violation(
            message=f"{one.resource.logical_id}: {key} is {here}, which overlaps {there} of "
            f"{other.resource.logical_id}",
            hint="link separate folders and prefixes",
            resource=one.resource,
            path=one.path,
        )


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 125%s}
  Link:
    Type: AWS::FSx::DataRepositoryAssociation
    Properties:
      FileSystemId: {Ref: Fsx}
      FileSystemPath: /data
      DataRepositoryPath: s3://example-bucket/data
"""

RULE = TemplateRule(
    id="TRN355",
    title="S3 links are associations without what they exclude",
    severity=Severity.ERROR,
    why="The older import options and automatic backups do not go with associations; FSx refuses "
    "them, in part only when the stack is changed later.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_HEAD % "",
    bad=_HEAD % ", AutomaticBackupRetentionDays: 7",
    check=_check,
)
