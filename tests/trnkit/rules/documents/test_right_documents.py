"""Right documents stay quiet, and so does everything that is not about Neuron."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.documents.documents import (
    DAEMON_SET,
    EKSCTL,
    KARPENTER,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    RIGHT,
    SERVING,
)
from tests.trnkit.rules.judging import judge_documents
from trnkit.findings import Severity

GPU = "p5.48xlarge"


def loud(*texts, region=None):
    found = judge_documents(*texts, region=region)
    return [f"{f.rule_id} {f.message}" for f in found if f.severity is not Severity.INFO]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_document_has_no_finding(name):
    assert not judge_documents(RIGHT[name])


def test_all_of_them_together_have_none():
    assert not judge_documents(*RIGHT.values())


@pytest.mark.parametrize("name", ["karpenter", "eksctl", "parallelcluster", "pytorch job"])
def test_the_same_mistakes_about_gpus_are_no_concern_of_ours(name):
    text = RIGHT[name].replace("aws.amazon.com/neuron: 16", "nvidia.com/gpu: 99")
    for neuron in ("trn2.48xlarge", "trn1.32xlarge"):
        text = text.replace(neuron, GPU)
    wrong = {
        "privateNetworking: true": "privateNetworking: false",
        "StorageCapacity: 4800": "StorageCapacity: 3600",
        "marketType: capacity-block": "marketType: spot",
        "hugepages-2Mi: 5120Mi": "hugepages-2Mi: 256",
        "al2023@v20260714": "windows2022@latest",
    }
    for right, bad in wrong.items():
        text = text.replace(right, bad)
    assert text != RIGHT[name]
    assert not judge_documents(text)


STYLES = {
    "an anchor for what is repeated": SERVING.replace(
        'requests: {aws.amazon.com/neuroncore: "2", memory: 24Gi}\n            limits: '
        '{aws.amazon.com/neuroncore: "2", memory: 24Gi}',
        'requests: &asked {aws.amazon.com/neuroncore: "2", memory: 24Gi}\n'
        "            limits: *asked",
    ),
    "a merge key": SERVING.replace(
        '            limits: {aws.amazon.com/neuroncore: "2", memory: 24Gi}\n',
        '            limits: {<<: {memory: 24Gi}, aws.amazon.com/neuroncore: "2"}\n',
    ),
    "limits alone": SERVING.replace(
        '            requests: {aws.amazon.com/neuroncore: "2", memory: 24Gi}\n', ""
    ),
    "a List": "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Pod\n"
    "    spec: {containers: [{name: a, resources: {limits: {aws.amazon.com/neuron: 1}}}]}\n",
    "JSON": '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": '
    '{"containers": [{"resources": {"limits": {"aws.amazon.com/neuron": "1"}}}]}}',
    "the beta API of Karpenter, without a group": KARPENTER.replace("/v1\n", "/v1beta1\n")
    .replace("        group: karpenter.k8s.aws\n", "")
    .replace("        kind: EC2NodeClass\n", ""),
    "families in place of types": KARPENTER.replace(
        "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family"
    ).replace('["trn2.48xlarge"]', '["trn1", "trn2"]'),
    "zone ids of which one offers the type": KARPENTER.replace(
        "topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"
    )
    .replace('"us-east-2a", "us-east-2c"', '"usw2-az1", "usw2-az2"')
    .replace('"trn2.48xlarge"', '"trn1.32xlarge"')
    .replace("  capacityReservationSelectorTerms:\n    - id: cr-0123456789abcdef0\n", ""),
    "placeholders of envsubst": EKSCTL.replace("us-east-2c", "${AZ}").replace(
        "cr-0123456789abcdef0", "$CR_ID"
    ),
    "placeholders everywhere": PARALLELCLUSTER.replace("us-west-2", "<YOUR REGION>")
    .replace("4800", "${CAPACITY}")
    .replace("250", "${THROUGHPUT}")
    .replace("PERSISTENT_2", "${TYPE}")
    .replace("16\n", "${NODES}\n"),
    "a group in place of a reservation": EKSCTL.replace(
        "capacityReservationID: cr-0123456789abcdef0",
        "capacityReservationResourceGroupARN: "
        "arn:aws:resource-groups:us-east-2:111122223333:group/g",
    ),
    "the id in camel case": EKSCTL.replace("capacityReservationID", "capacityReservationId"),
    "an image of one's own": PARALLELCLUSTER.replace(
        "      CustomActions:\n        OnNodeConfigured:\n          Script: "
        "s3://example-bucket/install_neuron.sh\n",
        "      Image: {CustomAmi: ami-0123456789abcdef0}\n",
    ),
    "several subnets without EFA": PARALLELCLUSTER.replace(
        "          - subnet-0123456789abcdef1\n",
        "          - subnet-0123456789abcdef1\n          - subnet-0123456789abcdef2\n",
    )
    .replace("          Enabled: true", "          Enabled: false")
    .replace("            Enabled: true", "            Enabled: false"),
    "an existing file system": PARALLELCLUSTER.replace(
        "      StorageCapacity: 4800\n", "      FileSystemId: fs-0123456789abcdef0\n"
    ).replace("250", "7"),
    "a file system from a backup": PARALLELCLUSTER.replace(
        "      StorageCapacity: 4800\n      DeploymentType: PERSISTENT_2\n"
        "      PerUnitStorageThroughput: 250\n",
        "      BackupId: backup-0123456789abcdef0\n",
    ),
    "SageMaker's names on HyperPod's nodes": PYTORCH_JOB.replace(
        "trn2.48xlarge", "ml.trn2.48xlarge"
    ),
    "bootstrap with nodeadm": EKSCTL.replace(
        "    volumeSize: 500\n",
        "    volumeSize: 500\n    preBootstrapCommands: ['echo hello']\n",
    ),
    "a user data script": KARPENTER.replace(
        "  instanceStorePolicy",
        "  userData: |\n    #!/bin/bash\n    dnf install -y tmux\n  instanceStorePolicy",
    ),
    "a cluster of its own subnets": EKSCTL.replace(
        'availabilityZones: ["us-east-2a", "us-east-2b", "us-east-2c"]',
        "vpc:\n  subnets:\n    private:\n      us-east-2a: {id: subnet-1}\n"
        "      us-east-2c: {id: subnet-2}",
    ),
    "Kustomize's own fields": SERVING + "status: {}\n",
}


@pytest.mark.parametrize("style", STYLES)
def test_a_right_document_in_another_style_is_quiet(style):
    assert STYLES[style] not in RIGHT.values(), "the style is not another one"
    assert not loud(STYLES[style])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "---\n---\n---\n",
        "null\n",
        "- 1\n",
        "apiVersion: v1\nkind: ConfigMap\ndata: {type: trn2.48xlarge}\n",
        "apiVersion: v1\nkind: Pod\n",
        "apiVersion: karpenter.sh/v1\nkind: NodePool\n",
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nnodeGroups: 7\n",
        "HeadNode: {}\nScheduling: {}\nImage: {}\n",
        "HeadNode: {}\nScheduling: {SlurmQueues: {a: 1}}\nImage: {Os: rhel9}\n",
    ],
)
def test_a_document_that_says_little_is_quiet(text):
    assert not judge_documents(text)


def test_a_monitor_for_the_types_of_its_cluster_is_information_only():
    (finding,) = judge_documents(DAEMON_SET)
    assert (finding.rule_id, finding.severity) == ("TRN535", Severity.INFO)
