"""TRN334: paths of S3 links are well formed, and none lies inside another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.repository_paths import judge_file_system_path, judge_repository_path
from trnkit.layout.storage import MOST_ASSOCIATIONS
from trnkit.rules.judging.lustre_judgement import overlapping
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.file_systems import DocumentFileSystem

_JUDGES = {"FileSystemPath": judge_file_system_path, "DataRepositoryPath": judge_repository_path}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for found in documents.file_systems:
        for key in _JUDGES:
            yield from _judge(found, key)


def _judge(found: DocumentFileSystem, key: str) -> Iterator[Violation]:
    known = [link[key] for link in found.associations if link[key].text() is not None]
    for value in known:
        wrong = _JUDGES[key](value.text() or "")
        if wrong is not None:
            yield in_document(found.name, value, Objection(f"{key} {wrong.text}", wrong.hint))
    known = known[:MOST_ASSOCIATIONS]  # FSx refuses more.
    for first, second in overlapping([value.text() or "" for value in known]):
        one, other = known[second], known[first]
        text = f"{key} is {one.text()}, which overlaps {other.text()}"
        yield in_document(found.name, one, Objection(text, "link separate folders and prefixes"))


_CLUSTER = """\
Region: us-west-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      Networking: {SubnetIds: [subnet-2], PlacementGroup: {Enabled: true}}
      ComputeResources:
        - {Name: trn1, InstanceType: trn1.32xlarge, MaxCount: 4, Efa: {Enabled: true}}
SharedStorage:
  - Name: fsx
    MountDir: /fsx
    StorageType: FsxLustre
    FsxLustreSettings:
      StorageCapacity: 1200
      DataRepositoryAssociations:
        - {Name: data, FileSystemPath: %s, DataRepositoryPath: s3://example-bucket/data}
"""

RULE = DocumentRule(
    id="TRN334",
    title="paths of S3 links are well formed and separate",
    severity=Severity.ERROR,
    why="FSx refuses other paths, and two associations whose folders or prefixes overlap.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_CLUSTER % "/data",
    bad=_CLUSTER % "data",
    check=_check,
)
