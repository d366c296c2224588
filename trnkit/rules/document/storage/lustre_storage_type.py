"""TRN333: a Lustre file system's storage type, and its drive cache, go with its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_drive_cache
from trnkit.rules.judging.lustre_judgement import judge_storage_type
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for found in documents.file_systems:
        storage, cache = found.storage.text(), found.drive_cache
        wrong = judge_storage_type(found.deployment_type, storage)
        if wrong is not None:
            named = Objection(f"{found.storage.path[-1]} {wrong.text}", wrong.hint)
            yield in_document(found.name, found.storage, named)
        wrong = judge_drive_cache(found.tier, cache.text()) if found.tier else None
        if wrong is not None:
            named = Objection(f"{cache.path[-1]} {wrong.text}", wrong.hint, wrong.evidence)
            yield in_document(found.name, cache, named)


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
      PerUnitStorageThroughput: 12
      StorageCapacity: 6000
      StorageType: HDD
      DriveCacheType: NONE
"""

RULE = DocumentRule(
    id="TRN333",
    title="a Lustre storage type and its drive cache go with the deployment type",
    severity=Severity.ERROR,
    why="FSx refuses other pairs: disks are for PERSISTENT_1 alone, and a drive cache for disks.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_CLUSTER + "      DeploymentType: PERSISTENT_1\n",
    bad=_CLUSTER + "      DeploymentType: PERSISTENT_2\n",
    check=_check,
)
