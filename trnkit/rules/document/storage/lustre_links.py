"""TRN331: S3 links of Lustre are associations, without what they exclude."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_links import judge_linked_backups, judge_old_link
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.file_systems import DocumentFileSystem


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for found in documents.file_systems:
        for key, value in found.old_links.items():
            wrong = judge_old_link(
                key,
                found.deployment_type,
                has_associations=bool(found.associations),
                associations="data repository associations",
            )
            if wrong is not None:
                yield in_document(found.name, value, wrong)
        yield from _backups(found)


def _backups(found: DocumentFileSystem) -> Iterator[Violation]:
    days = found.retention.integer()
    if not found.associations or days is None or days == 0:
        return  # ParallelCluster's own default is 0.
    key = str(found.retention.path[-1])
    severity, wrong = judge_linked_backups(key, days)
    yield in_document(found.name, found.retention, Objection(wrong.text, f"remove {key}"), severity)


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
      DeploymentType: PERSISTENT_2
      PerUnitStorageThroughput: 250
      StorageCapacity: 1200
"""

RULE = DocumentRule(
    id="TRN331",
    title="Lustre is linked to S3 by associations, without what they exclude",
    severity=Severity.ERROR,
    why="FSx refuses the older import and export options on PERSISTENT_2, and backups of a file "
    "system that is linked to S3.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_CLUSTER
    + "      DataRepositoryAssociations:\n"
    + "        - {Name: data, FileSystemPath: /data, DataRepositoryPath: s3://example-bucket/data}\n",
    bad=_CLUSTER + "      ImportPath: s3://example-bucket/data\n",
    check=_check,
)
