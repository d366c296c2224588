"""Rules about pools of nodes, on wrong ones: what fires, how loud; and what stays quiet."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.documents.documents import (
    EFA_INTERFACES,
    EKSCTL,
    KARPENTER,
    PARALLELCLUSTER,
)
from tests.trnkit.rules.judging import judge_documents
from trnkit.findings import Severity
from trnkit.rules import list_rules

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
SUBJECTS = "12"
UNMANAGED = EKSCTL.replace("managedNodeGroups", "nodeGroups")
BLOCK = "    instanceMarketOptions:\n      marketType: capacity-block\n"
ODCR = EKSCTL.replace(BLOCK, "")
NO_TARGET = EKSCTL.replace(
    "    capacityReservation:\n      capacityReservationTarget:\n"
    "        capacityReservationID: cr-0123456789abcdef0\n",
    "",
)
PLAIN = NO_TARGET.replace(BLOCK, "")
SCRIPT = (
    "      CustomActions:\n        OnNodeConfigured:\n          Script: "
    "s3://example-bucket/install_neuron.sh\n"
)
P_TARGET = "      CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}\n"
P_ODCR = PARALLELCLUSTER.replace("ONDEMAND\n", "ONDEMAND\n" + P_TARGET)
P_BLOCK = P_ODCR.replace("ONDEMAND", "CAPACITY_BLOCK").replace("MinCount: 0", "MinCount: 16")
P_BLOCK = P_BLOCK.replace(
    "          Enabled: true\n      Custom", "          Enabled: false\n      Custom"
)
TYPES = 'values: ["trn2.48xlarge"]'


# (rule, severity, part of the message, document)
WRONG = [
    # -- network
    (
        "TRN130",
        ERROR,
        "us-west-2 does not offer trn2.48xlarge",
        KARPENTER.replace("us-east-2", "us-west-2"),
    ),
    (
        "TRN130",
        ERROR,
        "us-east-1 does not offer trn2.48xlarge",
        EKSCTL.replace("us-east-2", "us-east-1"),
    ),
    (
        "TRN130",
        ERROR,
        "us-west-2a is a zone of us-west-2",
        EKSCTL.replace('["us-east-2c"]', '["us-west-2a"]'),
    ),
    (
        "TRN130",
        ERROR,
        "eu-north-1 does not offer trn1n.32xlarge",
        PARALLELCLUSTER.replace("us-west-2", "eu-north-1").replace("trn1.32", "trn1n.32"),
    ),
    (
        "TRN131",
        WARNING,
        "starts nodes in 2 zones, but they are in a cluster placement group",
        PLAIN.replace('["us-east-2c"]', '["us-east-2a", "us-east-2c"]'),
    ),
    (
        "TRN131",
        WARNING,
        "starts nodes in 2 zones, but they have EFA",
        EKSCTL.replace('["us-east-2c"]', '["us-east-2a", "us-east-2c"]'),
    ),
    (
        "TRN131",
        WARNING,
        "starts nodes in 2 subnets",
        PARALLELCLUSTER.replace(
            "          - subnet-0123456789abcdef1\n", "          - subnet-1\n          - subnet-2\n"
        ),
    ),
    (
        "TRN132",
        ERROR,
        "AssignPublicIp is true, but trn1.32xlarge",
        PARALLELCLUSTER.replace(
            "        PlacementGroup:", "        AssignPublicIp: true\n        PlacementGroup:"
        ),
    ),
    (
        "TRN132",
        WARNING,
        "puts nodes with several interfaces into public subnets",
        EKSCTL.replace("    privateNetworking: true\n", ""),
    ),
    (
        "TRN132",
        WARNING,
        "puts nodes with several interfaces into public subnets",
        EKSCTL.replace("privateNetworking: true", "privateNetworking: false"),
    ),
    (
        "TRN132",
        ERROR,
        "associatePublicIPAddress is true, but the nodes have 17 interfaces",
        KARPENTER + EFA_INTERFACES + "  associatePublicIPAddress: true\n",
    ),
    (
        "TRN133",
        ERROR,
        "availabilityZones names 1 zone",
        EKSCTL.replace('["us-east-2a", "us-east-2b", "us-east-2c"]', '["us-east-2c"]'),
    ),
    (
        "TRN133",
        ERROR,
        "subnets names 1 zone",
        EKSCTL.replace(
            'availabilityZones: ["us-east-2a", "us-east-2b", "us-east-2c"]',
            "vpc: {subnets: {private: {train: {id: subnet-1, az: us-east-2c}}}}",
        ),
    ),
    ("TRN134", INFO, "and 49 pods at most have an address", KARPENTER + EFA_INTERFACES),
    # -- compute
    ("TRN230", INFO, "names the type trn3.48xlarge", KARPENTER.replace("trn2.48", "trn3.48")),
    (
        "TRN230",
        INFO,
        "names the family inf1",
        KARPENTER.replace(
            "node.kubernetes.io/instance-type", "eks.amazonaws.com/instance-family"
        ).replace("trn2.48xlarge", "inf1"),
    ),
    (
        "TRN230",
        ERROR,
        "ml.trn2.48xlarge is a SageMaker name",
        EKSCTL.replace("trn2.48", "ml.trn2.48"),
    ),
    (
        "TRN230",
        INFO,
        "names the type trn1.48xlarge",
        PARALLELCLUSTER.replace("trn1.32xlarge", "trn1.48xlarge"),
    ),
    (
        "TRN231",
        ERROR,
        "efaEnabled is true, but trn1.2xlarge has no EFA",
        EKSCTL.replace("trn2.48xlarge", "trn1.2xlarge"),
    ),
    (
        "TRN231",
        ERROR,
        "Efa.Enabled is true, but inf2.48xlarge has no EFA",
        PARALLELCLUSTER.replace("trn1.32xlarge", "inf2.48xlarge"),
    ),
    (
        "TRN232",
        WARNING,
        "attaches 8 EFA interfaces; trn2.48xlarge has 16",
        KARPENTER + "".join(EFA_INTERFACES.splitlines(True)[:10]),
    ),
    (
        "TRN232",
        ERROR,
        "attaches 16 EFA interfaces; trn1.32xlarge has 8",
        (KARPENTER + EFA_INTERFACES).replace("trn2.48", "trn1.32"),
    ),
    (
        "TRN232",
        ERROR,
        "has no interface of kind interface at card 0",
        KARPENTER + EFA_INTERFACES.replace("interfaceType: interface", "interfaceType: efa-only"),
    ),
    (
        "TRN232",
        ERROR,
        "has a second EFA interface on card 3",
        KARPENTER + EFA_INTERFACES.replace("networkCardIndex: 4", "networkCardIndex: 3"),
    ),
    (
        "TRN233",
        INFO,
        "may have 4 nodes, but not their EFA",
        EKSCTL.replace("    efaEnabled: true\n", ""),
    ),
    (
        "TRN233",
        INFO,
        "may have 16 nodes, but not their EFA",
        PARALLELCLUSTER.replace("          Efa:\n            Enabled: true\n", ""),
    ),
    ("TRN234", ERROR, "is to use a Capacity Block, and names no reservation", NO_TARGET),
    (
        "TRN234",
        ERROR,
        "is to use a Capacity Block, and names no reservation",
        P_BLOCK.replace(P_TARGET, ""),
    ),
    (
        "TRN234",
        ERROR,
        "is to use reservations only, and names no reservation",
        KARPENTER.replace(
            "  capacityReservationSelectorTerms:\n    - id: cr-0123456789abcdef0\n", ""
        ).replace('"reserved", "on-demand"', '"reserved"'),
    ),
    (
        "TRN235",
        ERROR,
        "PlacementGroup.Enabled asks for a placement group",
        P_BLOCK.replace("          Enabled: false\n", "          Enabled: true\n", 1),
    ),
    (
        "TRN235",
        ERROR,
        "placement.groupName asks for a placement group",
        EKSCTL.replace("    efaEnabled", "    placement: {groupName: together}\n    efaEnabled"),
    ),
    ("TRN235", ERROR, "(eksctl makes a group for EFA unasked)", UNMANAGED),
    (
        "TRN235",
        WARNING,
        "efaEnabled is true: in a new placement group no instance starts",
        ODCR.replace("managedNodeGroups", "nodeGroups"),
    ),
    ("TRN235", WARNING, "PlacementGroup.Enabled is true: in a new placement group", P_ODCR),
    (
        "TRN235",
        ERROR,
        "spec.placementGroupSelector asks for a placement group",
        KARPENTER.replace(
            "karpenter.sh/capacity-type", "karpenter.k8s.aws/capacity-reservation-type"
        ).replace('"reserved", "on-demand"', '"capacity-block"')
        + "  placementGroupSelector: {name: together}\n",
    ),
    ("TRN236", INFO, "is taken for an On-Demand Capacity Reservation", ODCR),
    (
        "TRN236",
        INFO,
        "is taken for an On-Demand Capacity Reservation",
        P_ODCR.replace("      CapacityType: ONDEMAND\n", ""),
    ),
    (
        "TRN237",
        ERROR,
        "is Spot and names a reservation",
        ODCR.replace("    efaEnabled", "    spot: true\n    efaEnabled"),
    ),
    (
        "TRN237",
        ERROR,
        "instanceMarketOptions.marketType and a reservation exclude each other",
        EKSCTL.replace("    efaEnabled", "    spot: true\n    efaEnabled").replace(
            "spot: true", "spot: true"
        ),
    ),
    ("TRN237", ERROR, "is Spot and names a reservation", P_ODCR.replace("ONDEMAND", "SPOT")),
    (
        "TRN238",
        WARNING,
        "allows no reserved capacity",
        KARPENTER.replace('"reserved", "on-demand"', '"on-demand", "spot"'),
    ),
    (
        "TRN238",
        ERROR,
        "capacityReservation.capacityReservationPreference is none",
        ODCR.replace(
            "    capacityReservation:\n",
            "    capacityReservation:\n      capacityReservationPreference: none\n",
        ),
    ),
    (
        "TRN239",
        ERROR,
        "has MinCount 0 and MaxCount 16",
        P_BLOCK.replace("MinCount: 16", "MinCount: 0"),
    ),
    (
        "TRN239",
        ERROR,
        "names trn2.48xlarge and trn2u.48xlarge; a Capacity Block has one",
        EKSCTL.replace(
            "instanceType: trn2.48xlarge", "instanceTypes: [trn2.48xlarge, trn2u.48xlarge]"
        ),
    ),
    (
        "TRN242",
        ERROR,
        "no Capacity Blocks of trn1n.32xlarge are known to be sold in us-west-2",
        P_BLOCK.replace("trn1.32", "trn1n.32"),
    ),
    (
        "TRN242",
        WARNING,
        "is spot, which trn2u.48xlarge does not have",
        PLAIN.replace("trn2.48", "trn2u.48").replace(
            "    efaEnabled", "    spot: true\n    efaEnabled"
        ),
    ),
    (
        "TRN242",
        WARNING,
        "is spot, which trn2u.48xlarge does not have",
        KARPENTER.replace("trn2.48", "trn2u.48").replace('"reserved", "on-demand"', '"spot"'),
    ),
    (
        "TRN243",
        ERROR,
        "is an image for GPUs",
        KARPENTER.replace(
            "alias: al2023@v20260714",
            "ssmParameter: /aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/"
            "recommended/image_id",
        ),
    ),
    (
        "TRN243",
        WARNING,
        "is the standard image",
        KARPENTER.replace(
            "alias: al2023@v20260714", "name: amazon-eks-node-al2023-x86_64-standard-1.33-v2026*"
        ),
    ),
    ("TRN243", WARNING, "is Amazon Linux 2", KARPENTER.replace("al2023@v20260714", "al2@latest")),
    (
        "TRN243",
        WARNING,
        "amiFamily AmazonLinux2 is Amazon Linux 2",
        EKSCTL.replace("AmazonLinux2023", "AmazonLinux2"),
    ),
    (
        "TRN243",
        ERROR,
        "is a Windows image",
        EKSCTL.replace("AmazonLinux2023", "WindowsServer2022CoreContainer"),
    ),
    (
        "TRN243",
        ERROR,
        "is an image for Arm",
        KARPENTER.replace(
            "alias: al2023@v20260714", "name: amazon-eks-node-al2023-arm64-standard-1.33*"
        ),
    ),
    (
        "TRN243",
        WARNING,
        "is an image for GPUs",
        KARPENTER.replace("alias: al2023@v20260714", "name: acme-gpu-and-trainium-*"),
    ),
    (
        "TRN243",
        ERROR,
        "is an image for GPUs",
        KARPENTER.replace("alias: al2023@v20260714", "name: bottlerocket-aws-k8s-1.33-nvidia-*"),
    ),
    (
        "TRN243",
        WARNING,
        "has neither an image of its own nor a start script",
        PARALLELCLUSTER.replace(SCRIPT, ""),
    ),
    (
        "TRN244",
        WARNING,
        "httpTokens is optional",
        KARPENTER.replace("httpTokens: required", "httpTokens: optional"),
    ),
    (
        "TRN244",
        INFO,
        "httpPutResponseHopLimit is 1",
        KARPENTER.replace("HopLimit: 2", "HopLimit: 1"),
    ),
    (
        "TRN245",
        ERROR,
        "overrideBootstrapCommand calls /etc/eks/bootstrap.sh",
        EKSCTL.replace(
            "    volumeSize: 500\n",
            "    ami: ami-0123456789abcdef0\n    overrideBootstrapCommand: |\n"
            "      #!/bin/bash\n      /etc/eks/bootstrap.sh train\n",
        ),
    ),
    (
        "TRN245",
        ERROR,
        "userData calls /etc/eks/bootstrap.sh",
        KARPENTER + "  userData: |\n    #!/bin/bash\n    /etc/eks/bootstrap.sh train\n",
    ),
    (
        "TRN246",
        ERROR,
        "has instanceType beside launchTemplate",
        EKSCTL.replace("    volumeSize: 500\n", "    launchTemplate: {id: lt-0123456789abcdef0}\n"),
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
        (
            "TRN131",
            EKSCTL.replace("efaEnabled: true", "efaEnabled: false").replace(
                '["us-east-2c"]', '["us-east-2a", "us-east-2c"]'
            ),
        ),
        (
            "TRN132",
            EKSCTL.replace("    privateNetworking: true\n", "").replace(
                "    efaEnabled: true\n", ""
            ),
        ),
        ("TRN132", EKSCTL.replace("    privateNetworking: true\n", "    subnets: [mine]\n")),
        (
            "TRN132",
            EKSCTL.replace("    privateNetworking: true\n", "")
            + "kubernetesNetworkConfig: {ipFamily: IPv6}\n",
        ),
        # A launch template of the user's own may name the block; so may what is filled in later.
        (
            "TRN234",
            NO_TARGET.replace("instanceType: trn2.48xlarge", "instanceTypes: [trn2.48xlarge]")
            + "    launchTemplate: {id: lt-0123456789abcdef0}\n",
        ),
        ("TRN234", NO_TARGET + "    capacityReservation: ${RESERVATION}\n"),
        (
            "TRN234",
            P_BLOCK.replace("{CapacityReservationId: cr-0123456789abcdef0}", "${RESERVATION}"),
        ),
        ("TRN233", PARALLELCLUSTER.replace("Efa:\n            Enabled: true", "Efa: ${EFA}")),
        (
            "TRN132",
            PARALLELCLUSTER.replace(
                "        PlacementGroup:", "        AssignPublicIp: true\n        PlacementGroup:"
            ).replace("trn1.32", "trn1.2"),
        ),
        (
            "TRN133",
            EKSCTL.replace('availabilityZones: ["us-east-2a", "us-east-2b", "us-east-2c"]\n', ""),
        ),
        (
            "TRN230",
            KARPENTER.replace("trn2.48xlarge", "ml.trn2.48xlarge").replace(
                "kind: EC2NodeClass", "kind: HyperpodNodeClass"
            ),
        ),
        ("TRN233", EKSCTL.replace("efaEnabled: true", "efaEnabled: false")),
        ("TRN233", EKSCTL.replace("    efaEnabled: true\n", "").replace(": 4\n", ": 1\n")),
        ("TRN235", EKSCTL),
        ("TRN235", ODCR),
        ("TRN134", f"{KARPENTER}{EFA_INTERFACES}  ipPrefixCount: 1\n"),
        ("TRN134", (KARPENTER + EFA_INTERFACES).replace("trn2.48", "trn1.32")),
        ("TRN134", KARPENTER),
        (
            "TRN133",
            EKSCTL.replace(
                'availabilityZones: ["us-east-2a", "us-east-2b", "us-east-2c"]',
                "vpc:\n  id: vpc-1\n  securityGroup: sg-1\n  subnets:\n    private:\n"
                "      one: {id: subnet-1}",
            ),
        ),
        ("TRN236", P_ODCR),
        ("TRN237", KARPENTER.replace('"on-demand"', '"spot"')),
        (
            "TRN238",
            KARPENTER.replace('"reserved", "on-demand"', '"on-demand"')
            + "---\n"
            + KARPENTER.split("---\n", maxsplit=1)[0].replace("name: trn2", "name: second"),
        ),
        ("TRN239", P_BLOCK),
        ("TRN242", EKSCTL),
        (
            "TRN245",
            EKSCTL.replace(
                "    volumeSize: 500\n",
                "    preBootstrapCommands: ['test -f /etc/eks/bootstrap.sh || exit 0']\n",
            ),
        ),
    ],
)
def test_it_is_quiet(rule, document):
    assert not [f.message for f in judge_documents(document) if f.rule_id == rule]
