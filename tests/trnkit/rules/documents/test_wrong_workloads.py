"""Rules about storage and pods, on wrong ones: what fires, how loud; and what stays quiet."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.documents.documents import (
    DAEMON_SET,
    EKSCTL,
    KARPENTER,
    MPI_JOB,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    SERVING,
    STORAGE_CLASS,
    STORED,
)
from tests.trnkit.rules.judging import judge_documents
from trnkit.findings import Severity
from trnkit.rules import list_rules

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
SUBJECTS = "35"

# (rule, severity, part of the message, document)
OF_A_FAMILY = PYTORCH_JOB.replace(
    "node.kubernetes.io/instance-type: trn2.48xlarge", "karpenter.k8s.aws/instance-family: trn2"
)
EFA_STORED = STORED.replace(
    "  dataCompressionType: LZ4\n",
    '  efaEnabled: "true"\n  metadataConfigurationMode: AUTOMATIC\n',
)

NEURON = "public.ecr.aws/neuron/pytorch-training-neuronx"
SDK_2_29 = f"{NEURON}:2.9.0-neuronx-py312-sdk2.29.0-ubuntu24.04"
TORCH_NEURON = f"{NEURON}:2.14.0-neuronx-py312-sdk2.33.0-ubuntu24.04"

WRONG = [
    # -- storage
    ("TRN330", ERROR, "StorageCapacity is 3600 GiB", PARALLELCLUSTER.replace("4800", "3600")),
    ("TRN330", ERROR, "PerUnitStorageThroughput is 200", PARALLELCLUSTER.replace(" 250", " 200")),
    (
        "TRN330",
        ERROR,
        "PerUnitStorageThroughput is missing",
        PARALLELCLUSTER.replace("      PerUnitStorageThroughput: 250\n", ""),
    ),
    (
        "TRN330",
        ERROR,
        "PerUnitStorageThroughput is 250, but SCRATCH_2 SSD takes none",
        PARALLELCLUSTER.replace("      DeploymentType: PERSISTENT_2\n", ""),
    ),
    (
        "TRN330",
        ERROR,
        "DeploymentType is PERSISTENT_2, which sa-east-1 does not offer",
        PARALLELCLUSTER.replace("us-west-2", "sa-east-1").replace("trn1.32xlarge", "trn2.3xlarge"),
    ),
    (
        "TRN331",
        ERROR,
        "has ImportPath, which FSx refuses together with PERSISTENT_2",
        PARALLELCLUSTER + "      ImportPath: s3://example-bucket/x\n",
    ),
    (
        "TRN331",
        ERROR,
        "has AutoImportPolicy, which FSx refuses together with an association",
        PARALLELCLUSTER.replace("PERSISTENT_2", "PERSISTENT_1").replace(" 250", " 200")
        + "      AutoImportPolicy: NEW\n",
    ),
    (
        "TRN331",
        ERROR,
        "has AutomaticBackupRetentionDays 7 and is linked to S3",
        PARALLELCLUSTER + "      AutomaticBackupRetentionDays: 7\n",
    ),
    (
        "TRN332",
        ERROR,
        "AutomaticBackupRetentionDays is 7, but SCRATCH_2 has no backups",
        PARALLELCLUSTER.replace("PERSISTENT_2", "SCRATCH_2")
        + "      AutomaticBackupRetentionDays: 7\n",
    ),
    (
        "TRN333",
        ERROR,
        "StorageType is HDD; PERSISTENT_2 comes with",
        PARALLELCLUSTER + "      StorageType: HDD\n",
    ),
    (
        "TRN333",
        ERROR,
        "DriveCacheType is READ, but PERSISTENT_2 SSD has no drive cache",
        PARALLELCLUSTER + "      DriveCacheType: READ\n",
    ),
    (
        "TRN332",
        ERROR,
        "automaticBackupRetentionDays is 1, but SCRATCH_1 has no backups",
        STORED.replace("  deploymentType: PERSISTENT_2\n", ""),
    ),
    (
        "TRN333",
        ERROR,
        "storageType is HDD; PERSISTENT_2 comes with",
        STORED.replace("dataCompressionType: LZ4", "storageType: HDD"),
    ),
    (
        "TRN334",
        ERROR,
        "FileSystemPath",
        PARALLELCLUSTER.replace("FileSystemPath: /data", "FileSystemPath: data"),
    ),
    (
        "TRN334",
        ERROR,
        "FileSystemPath is /data/x, which overlaps /data",
        PARALLELCLUSTER
        + "        - {Name: x, FileSystemPath: /data/x, DataRepositoryPath: s3://example-bucket/x}\n",
    ),
    (
        "TRN330",
        ERROR,
        "perUnitStorageThroughput is 100; PERSISTENT_2 SSD has",
        STORED.replace('"250"', '"100"'),
    ),
    ("TRN330", ERROR, "fileSystemTypeVersion is 2.10", STORED.replace("2.15", "2.10")),
    (
        "TRN330",
        ERROR,
        "efaEnabled is true, but PERSISTENT_1 SSD has no EFA",
        STORED.replace("PERSISTENT_2", "PERSISTENT_1")
        .replace('"250"', '"200"')
        .replace("  dataCompressionType: LZ4\n", '  efaEnabled: "true"\n'),
    ),
    (
        "TRN331",
        ERROR,
        "has ImportPath, which FSx refuses together with PERSISTENT_2",
        STORED.replace("dataCompressionType: LZ4", "s3ImportPath: s3://example-bucket"),
    ),
    (
        "TRN335",
        WARNING,
        "metadataConfigurationMode is missing; EfaEnabled needs it",
        STORED.replace("  dataCompressionType: LZ4\n", '  efaEnabled: "true"\n'),
    ),
    (
        "TRN335",
        WARNING,
        "efaEnabled is true, but nodes of trn2.48xlarge mount the file system over TCP",
        STORED.replace("  dataCompressionType: LZ4\n", '  efaEnabled: "true"\n'),
    ),
    # -- orchestration
    (
        "TRN530",
        ERROR,
        "asks for aws.amazon.com/neurondevice",
        SERVING.replace("neuroncore", "neurondevice"),
    ),
    (
        "TRN531",
        ERROR,
        "asks for 17 Neuron devices; trn2.48xlarge has 16",
        PYTORCH_JOB.replace("neuron: 16", "neuron: 17"),
    ),
    (
        "TRN531",
        WARNING,
        "asks for 32 Neuron devices; no instance type of the catalogue has more",
        SERVING.replace('neuroncore: "2"', "neuron: 32"),
    ),
    (
        "TRN531",
        WARNING,
        "asks for 128 NeuronCores; trn2.48xlarge has 64 unless",
        PYTORCH_JOB.replace("neuron: 16", "neuroncore: 128"),
    ),
    (
        "TRN531",
        ERROR,
        "asks for 64 NeuronCores; trn1.32xlarge has 32",
        MPI_JOB.replace("neuron: 16", "neuroncore: 64"),
    ),
    (
        "TRN532",
        ERROR,
        "asks for 16 EFA interfaces; trn1.32xlarge has 8",
        MPI_JOB.replace("efa: 8", "efa: 16"),
    ),
    (
        "TRN532",
        WARNING,
        "asks for 8 EFA interfaces of 16 beside all Neuron devices",
        PYTORCH_JOB.replace("efa: 16", "efa: 8"),
    ),
    (
        "TRN532",
        ERROR,
        "asks for 1 EFA interface; trn1.2xlarge has none",
        MPI_JOB.replace("trn1.32", "trn1.2")
        .replace("neuron: 16", "neuron: 1")
        .replace("efa: 8", "efa: 1"),
    ),
    (
        "TRN533",
        ERROR,
        "asks for hugepages-2Mi 256, which are bytes",
        PYTORCH_JOB.replace("5120Mi", '"256"'),
    ),
    (
        "TRN533",
        ERROR,
        "asks for hugepages-2Mi 3Mi; it comes in pages of 2Mi",
        PYTORCH_JOB.replace("5120Mi", "3Mi"),
    ),
    (
        "TRN533",
        ERROR,
        "has hugepages-2Mi 10Gi as request and 5120Mi as limit",
        PYTORCH_JOB.replace("5120Mi", "10Gi", 1),
    ),
    (
        "TRN533",
        WARNING,
        "asks for hugepages-2Mi without memory or cpu",
        MPI_JOB.replace("efa: 8}", "efa: 8, hugepages-2Mi: 5120Mi}"),
    ),
    (
        "TRN533",
        ERROR,
        "asks for hugepages-2Mi without memory or cpu",
        SERVING.replace("memory: 24Gi", "hugepages-2Mi: 256Mi"),
    ),
    (
        "TRN531",
        WARNING,
        "asks for 64 Neuron devices; trn2.48xlarge, the largest, has 16",
        OF_A_FAMILY.replace("neuron: 16", "neuron: 64"),
    ),
    ("TRN532", WARNING, "asks for 99 EFA interfaces", OF_A_FAMILY.replace("efa: 16", "efa: 99")),
    ("TRN536", WARNING, "GiB of memory", OF_A_FAMILY.replace("1900Gi", "4Ti")),
    (
        "TRN534",
        ERROR,
        "as request and 2 as limit",
        SERVING.replace('neuroncore: "2"', 'neuroncore: "1"', 1),
    ),
    (
        "TRN534",
        ERROR,
        "has a request for aws.amazon.com/neuroncore and no limit",
        SERVING.replace('limits: {aws.amazon.com/neuroncore: "2", ', "limits: {"),
    ),
    ("TRN534", ERROR, "asks for 0.5 of aws.amazon.com/neuroncore", SERVING.replace('"2"', '"0.5"')),
    (
        "TRN535",
        WARNING,
        "without trn2.48xlarge, of which nodes are described beside it",
        DAEMON_SET + "---\n" + KARPENTER,
    ),
    (
        "TRN535",
        WARNING,
        "without trn2.48xlarge, of which nodes are described beside it",
        DAEMON_SET + "---\n" + PYTORCH_JOB,
    ),
    (
        "TRN535",
        WARNING,
        "lists inf2.xlarge, which has no EFA",
        DAEMON_SET.replace("neuron/neuron-monitor:1.3.0", "eks/aws-efa-k8s-device-plugin:v0.5.20"),
    ),
    (
        "TRN536",
        ERROR,
        "asks for 2048 GiB of memory; trn2.48xlarge has 2048 GiB",
        PYTORCH_JOB.replace("1900Gi", "2Ti"),
    ),
    (
        "TRN537",
        ERROR,
        "asks for nvidia.com/gpu beside aws.amazon.com/neuroncore",
        SERVING.replace("memory: 24Gi}", "memory: 24Gi, nvidia.com/gpu: 1}"),
    ),
    (
        "TRN539",
        INFO,
        "its kind is not understood",
        SERVING.replace("apps/v1\nkind: Deployment", "ray.io/v1\nkind: RayService"),
    ),
    (
        "TRN540",
        WARNING,
        "has Neuron SDK 2.29.0, whose runtime is older than 2.33",
        MPI_JOB.replace("example.com/nccom:1", SDK_2_29) + "---\n" + KARPENTER,
    ),
    (
        "TRN540",
        WARNING,
        "has Neuron SDK 2.29.0, whose runtime is older than 2.33",
        SERVING.replace("neuron/pytorch-inference-vllm-neuronx:1", SDK_2_29.partition("/")[2])
        + "---\n"
        + KARPENTER.replace("al2023@v20260714", "al2023@latest"),
    ),
    (
        "TRN541",
        WARNING,
        "has TorchNeuron, the native PyTorch backend, which runs on trn2 and trn3, not on trn1",
        MPI_JOB.replace("example.com/nccom:1", TORCH_NEURON),
    ),
]


@pytest.mark.parametrize(
    ("rule", "severity", "text", "document"),
    WRONG,
    ids=[f"{rule}-{text[:40]}" for rule, _, text, _ in WRONG],
)
def test_it_fires(rule, severity, text, document):
    found = [f for f in judge_documents(document) if f.rule_id == rule]
    assert [f for f in found if text in f.message and f.severity is severity], [
        f"{f.severity} {f.message}" for f in judge_documents(document)
    ]


def test_every_rule_is_tried():
    wanted = {rule.id for rule in list_rules("document") if rule.id[3] in SUBJECTS}
    assert {rule for rule, *_ in WRONG} == wanted


@pytest.mark.parametrize(
    ("rule", "document"),
    [
        ("TRN331", PARALLELCLUSTER + "      AutomaticBackupRetentionDays: 0\n"),
        ("TRN330", STORAGE_CLASS.replace('"250"', '"100"')),
        ("TRN330", STORED.replace('"250"', '"100"').replace("fsx.csi", "ebs.csi")),
        (
            "TRN330",
            STORED.replace('"250"', '"100"').replace("  subnetId", "  dnsname: x\n  subnetId"),
        ),
        # GPUs beside, which may mount the file system over EFA.
        ("TRN335", f"{EFA_STORED}---\n{EKSCTL.replace('trn2.48xlarge', 'p5.48xlarge')}"),
        # The pod has what its container does not ask for.
        (
            "TRN533",
            SERVING.replace("memory: 24Gi", "hugepages-2Mi: 256Mi").replace(
                "      containers:", "      resources: {limits: {memory: 24Gi}}\n      containers:"
            ),
        ),
        ("TRN531", PYTORCH_JOB.replace("neuron: 16", "neuroncore: 64")),
        # Patches, of which something else has the rest.
        (
            "TRN534",
            SERVING.replace('limits: {aws.amazon.com/neuroncore: "2", ', "limits: {").replace(
                "          image: ", "          a: "
            ),
        ),
        (
            "TRN534",
            SERVING.replace(
                'limits: {aws.amazon.com/neuroncore: "2", memory: 24Gi}', "limits: ${LIMITS}"
            ),
        ),
        ("TRN533", MPI_JOB.replace("efa: 8}", "efa: 8, hugepages-2Mi: 2Mi}").replace("image", "a")),
        ("TRN531", PYTORCH_JOB.replace("trn2.48", "trn9.48").replace("neuron: 16", "neuron: 99")),
        ("TRN532", PYTORCH_JOB.replace("efa: 16", "efa: 8").replace("neuron: 16", "neuron: 8")),
        ("TRN533", PYTORCH_JOB.replace("5120Mi", "5Gi")),
        ("TRN535", DAEMON_SET.replace("[trn1.32xlarge, inf2.xlarge]", "[p5.48xlarge]")),
        ("TRN535", DAEMON_SET.replace("neuron/neuron-monitor", "example/agent")),
        (
            "TRN536",
            PYTORCH_JOB.replace(
                "            node.kubernetes.io/instance-type: trn2.48xlarge\n",
                "            a: b\n",
            ).replace("1900Gi", "4Ti"),
        ),
        (
            "TRN539",
            SERVING.replace("apps/v1\nkind: Deployment", "ray.io/v1\nkind: RayService")
            .replace("aws.amazon.com/neuroncore", "nvidia.com/gpu")
            .replace("neuron", "gpu"),
        ),
    ],
)
def test_it_is_quiet(rule, document):
    assert not [f.message for f in judge_documents(document) if f.rule_id == rule]
