"""File systems, associations and buckets that FSx, EFS and S3 refuse."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.rehearsal.mutant import CREATE, UPDATE, Mutant, again, all_of, drop, find, put

_storage = partial(Mutant, stack="Storage")

_LUSTRE, _LINK = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"
_FSX = "https://docs.aws.amazon.com/fsx/latest"
_CREATE = f"{_FSX}/APIReference/API_CreateFileSystem.html"
_CONFIGURATION = f"{_FSX}/APIReference/API_CreateFileSystemLustreConfiguration.html"
_ASSOCIATION = f"{_FSX}/APIReference/API_CreateDataRepositoryAssociation.html"
_GROUPS = f"{_FSX}/LustreGuide/limit-access-security-groups.html"
_EFS = "https://docs.aws.amazon.com/efs/latest/ug"
_S3 = "https://docs.aws.amazon.com/AmazonS3/latest/API"


def _lustre(path: str, value: Any) -> Any:
    return put(_LUSTRE, f"LustreConfiguration.{path}", value)


def _without_own_rules(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    gone = [
        name
        for name, resource in resources.items()
        if resource["Type"] == "AWS::EC2::SecurityGroupIngress"
        and name.startswith(("LustrefsxSelf", "LustrefsxNodesTo"))
    ]
    for name in gone:
        del resources[name]
    system = find(template, _LUSTRE)
    system["DependsOn"] = [name for name in system["DependsOn"] if name not in gone]


MUTANTS = (
    _storage(
        id="capacity-between-the-steps",
        change=put(_LUSTRE, "StorageCapacity", 5000),
        says="Invalid Lustre FS storage capacity: 5000",
        source=_CREATE,
    ),
    _storage(
        id="capacity-that-shrinks",
        change=put(_LUSTRE, "StorageCapacity", 2400),
        says="StorageCapacity 2400 must be greater than the current 4800",
        source=f"{_FSX}/LustreGuide/managing-storage-capacity.html",
        by=UPDATE,
    ),
    _storage(
        id="throughput-of-another-generation",
        change=_lustre("PerUnitStorageThroughput", 200),
        says="Invalid PerUnitStorageThroughput 200",
        source=_CONFIGURATION,
    ),
    _storage(
        id="no-throughput",
        change=drop(_LUSTRE, "LustreConfiguration.PerUnitStorageThroughput"),
        says="PerUnitStorageThroughput is required",
        source=_CONFIGURATION,
        by=CREATE,
    ),
    _storage(
        id="file-system-in-two-subnets",
        change=put(_LUSTRE, "SubnetIds.+", "subnet-0123456789abcdef0"),
        says="Exactly one subnet ID",
        source=_CREATE,
    ),
    _storage(
        id="file-system-in-no-subnet",
        change=put(_LUSTRE, "SubnetIds", ["subnet-0123456789abcdef0"]),
        says="The subnet ID 'subnet-0123456789abcdef0' does not exist (Service: FSx",
        source=_CREATE,
    ),
    _storage(
        id="file-system-in-no-group",
        change=put(_LUSTRE, "SecurityGroupIds", ["sg-0123456789abcdef0"]),
        says="The security group 'sg-0123456789abcdef0' does not exist in the subnet's VPC",
        source=_CREATE,
    ),
    _storage(
        id="servers-that-cannot-reach-each-other",
        change=_without_own_rules,
        says="do not permit Lustre LNET network traffic on port 988",
        source=_GROUPS,
        by=CREATE,
    ),
    _storage(
        id="efa-servers-that-cannot-reach-each-other",
        example="trn1-efa-lustre",
        change=all_of(
            put("LustrefsxSelfIngressAll", "IpProtocol", "tcp"),
            put("LustrefsxSelfIngressAll", "FromPort", 988),
            put("LustrefsxSelfIngressAll", "ToPort", 1023),
        ),
        says="do not allow all traffic to and from themselves, which EFA requires",
        source=f"{_FSX}/LustreGuide/efa-file-systems.html",
        by=CREATE,
    ),
    _storage(
        id="disks-of-a-generation-that-has-none",
        change=put(_LUSTRE, "StorageType", "HDD"),
        says="Storage type HDD is not supported",
        source=_CREATE,
        by=CREATE,
    ),
    _storage(
        id="version-that-persistent-2-does-not-have",
        change=put(_LUSTRE, "FileSystemTypeVersion", "2.10"),
        says="FileSystemTypeVersion 2.10 is not supported",
        source=_CREATE,
        by=CREATE,
    ),
    _storage(
        id="generation-that-sao-paulo-does-not-have",
        example="trn2-small-sao-paulo",
        change=_lustre("DeploymentType", "PERSISTENT_2"),
        says="PERSISTENT_2 is not supported in sa-east-1",
        source=f"{_FSX}/LustreGuide/using-fsx-lustre.html",
    ),
    _storage(
        id="backups-of-scratch",
        example="trn1-oregon",
        change=all_of(
            _lustre("DeploymentType", "SCRATCH_2"),
            _lustre("AutomaticBackupRetentionDays", 7),
            drop(_LUSTRE, "LustreConfiguration.PerUnitStorageThroughput"),
        ),
        says="Backups are not supported for scratch file systems",
        source=f"{_FSX}/LustreGuide/using-backups-fsx.html",
    ),
    _storage(
        id="metadata-operations-between-the-steps",
        example="trn1-efa-lustre",
        change=_lustre("MetadataConfiguration.Iops", 13000),
        says="Invalid Metadata IOPS 13000",
        source=f"{_FSX}/APIReference/API_CreateFileSystemLustreMetadataConfiguration.html",
    ),
    _storage(
        id="log-group-of-another-name",
        example="trn1-efa-lustre",
        change=_lustre(
            "LogConfiguration.Destination",
            "arn:aws:logs:us-west-2:111122223333:log-group:lustre",
        ),
        says="must begin with the /aws/fsx prefix",
        source=f"{_FSX}/APIReference/API_LustreLogCreateConfiguration.html",
    ),
    _storage(
        id="maintenance-on-the-eighth-day",
        example="trn1-efa-lustre",
        change=_lustre("WeeklyMaintenanceStartTime", "8:03:00"),
        says="'lustreConfiguration.weeklyMaintenanceStartTime'",
        source=_CONFIGURATION,
    ),
    _storage(
        id="capacity-of-intelligent-tiering",
        example="intelligent-tiering",
        change=put(_LUSTRE, "StorageCapacity", 4800),
        says="StorageCapacity is not supported for storage type INTELLIGENT_TIERING",
        source=_CREATE,
    ),
    _storage(
        id="cache-smaller-than-its-throughput-needs",
        example="intelligent-tiering",
        change=_lustre("DataReadCacheConfiguration.SizeGiB", 8),
        says="SizeGiB must be between",
        source=f"{_FSX}/APIReference/API_LustreReadCacheConfiguration.html",
    ),
    _storage(
        id="compression-of-an-unknown-kind",
        change=_lustre("DataCompressionType", "ZSTD"),
        says="'lustreConfiguration.dataCompressionType'",
        source=_CONFIGURATION,
    ),
    _storage(
        id="link-to-no-bucket",
        change=put(_LINK, "DataRepositoryPath", "/data"),
        says="is not a path of Amazon S3",
        source=_ASSOCIATION,
    ),
    _storage(
        id="link-at-no-path",
        change=put(_LINK, "FileSystemPath", "data"),
        says="The file system path data must begin with a forward slash",
        source=_ASSOCIATION,
    ),
    _storage(
        id="link-below-another",
        change=again(_LINK, "FileSystemPath", "/data/raw"),
        says=" overlaps with /data",
        source=_ASSOCIATION,
    ),
    _storage(
        id="link-of-an-unknown-event",
        change=put(_LINK, "S3.AutoImportPolicy.Events", ["RENAMED"]),
        says="'RENAMED' is not one of",
        source=f"{_FSX}/APIReference/API_AutoImportPolicy.html",
    ),
    _storage(
        id="link-of-scratch-of-the-first-generation",
        change=all_of(
            _lustre("DeploymentType", "SCRATCH_1"),
            drop(_LUSTRE, "LustreConfiguration.PerUnitStorageThroughput"),
            put(_LUSTRE, "StorageCapacity", 3600),
            drop(_LUSTRE, "FileSystemTypeVersion"),
        ),
        says="Data repository associations are not supported on SCRATCH_1",
        source=_ASSOCIATION,
        by=CREATE,
    ),
    _storage(
        id="home-that-is-elastic-and-max-io",
        example="intelligent-tiering",
        change=put("AWS::EFS::FileSystem", "PerformanceMode", "maxIO"),
        says="only supported for performance mode generalPurpose",
        source=f"{_EFS}/performance.html",
    ),
    _storage(
        id="home-with-throughput-that-nobody-set",
        example="intelligent-tiering",
        change=put("AWS::EFS::FileSystem", "ThroughputMode", "provisioned"),
        says="ProvisionedThroughputInMibps is required",
        source=f"{_EFS}/API_CreateFileSystem.html",
    ),
    _storage(
        id="home-unencrypted-with-a-key",
        example="intelligent-tiering",
        change=all_of(
            put("AWS::EFS::FileSystem", "Encrypted", False),
            put("AWS::EFS::FileSystem", "KmsKeyId", "alias/aws/elasticfilesystem"),
        ),
        says='"encrypted" must be True',
        source=f"{_EFS}/API_CreateFileSystem.html",
    ),
    _storage(
        id="home-with-two-mount-targets-in-a-zone",
        example="intelligent-tiering",
        change=again("AWS::EFS::MountTarget"),
        says="MountTargetConflict",
        source=f"{_EFS}/API_CreateMountTarget.html",
    ),
    _storage(
        id="mount-target-in-an-unknown-group",
        example="intelligent-tiering",
        change=put("AWS::EFS::MountTarget", "SecurityGroups", ["sg-0123456789abcdef0"]),
        says="SecurityGroupNotFound",
        source=f"{_EFS}/API_CreateMountTarget.html",
    ),
    _storage(
        id="mount-target-in-six-groups",
        example="intelligent-tiering",
        change=put(
            "AWS::EFS::MountTarget", "SecurityGroups", [f"sg-0123456789abcdef{n}" for n in range(6)]
        ),
        says="SecurityGroupLimitExceeded",
        source=f"{_EFS}/API_CreateMountTarget.html",
    ),
    _storage(
        id="home-that-archives-after-a-day-of-31",
        example="intelligent-tiering",
        change=put(
            "AWS::EFS::FileSystem", "LifecyclePolicies", [{"TransitionToIA": "AFTER_31_DAYS"}]
        ),
        says="'AFTER_31_DAYS' is not one of",
        source=f"{_EFS}/API_LifecyclePolicy.html",
    ),
    _storage(
        id="bucket-name-in-capitals",
        example="intelligent-tiering",
        change=put("AWS::S3::Bucket", "BucketName", "Checkpoints"),
        says="#/BucketName: 'Checkpoints' does not match",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    ),
    _storage(
        id="bucket-that-exists-already",
        example="intelligent-tiering",
        change=put("AWS::S3::Bucket", "BucketName", "example-training-corpus"),
        says="Validation failed with 1 error(s)",
        source=f"{_S3}/API_CreateBucket.html",
    ),
    _storage(
        id="bucket-with-a-key-of-the-wrong-encryption",
        example="intelligent-tiering",
        change=put(
            "AWS::S3::Bucket",
            "BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault"
            ".KMSMasterKeyID",
            "alias/aws/s3",
        ),
        says="InvalidArgument",
        source=f"{_S3}/API_ServerSideEncryptionByDefault.html",
    ),
    _storage(
        id="objects-that-move-after-they-expired",
        example="intelligent-tiering",
        change=put("AWS::S3::Bucket", "LifecycleConfiguration.Rules.1.ExpirationInDays", 10),
        says="must be greater than 'Days' in the Transition action",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html",
    ),
    _storage(
        id="objects-that-move-to-standard-ia-too-soon",
        example="intelligent-tiering",
        change=put(
            "AWS::S3::Bucket",
            "LifecycleConfiguration.Rules.1.Transitions",
            [{"StorageClass": "STANDARD_IA", "TransitionInDays": 7}],
        ),
        says="greater than or equal to 30",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html",
    ),
    _storage(
        id="bucket-policy-about-another-bucket",
        example="intelligent-tiering",
        change=put(
            "AWS::S3::BucketPolicy",
            "PolicyDocument.Statement.0.Resource",
            "arn:aws:s3:::another-bucket/*",
        ),
        says="MalformedPolicy",
        source=f"{_S3}/API_PutBucketPolicy.html",
    ),
)
