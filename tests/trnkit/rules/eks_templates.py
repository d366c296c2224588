"""Templates of EKS nodes for tests, with user data in the shapes that people write."""

from __future__ import annotations

import base64
from typing import Any

from tests.trnkit.rules.templates import Body, nodes, template

LATEST = {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}
CLUSTER_GROUP = {"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}
EKS_IMAGE = (
    "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/neuron/recommended/image_id"
)
AMI = "ami-0123456789abcdef0"
SCRIPT = "#!/bin/bash\necho ready\n"
HEAD = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
"""
NODE_CONFIG = f"""\
{HEAD}spec:
  cluster:
    name: training
    apiServerEndpoint: https://example.com
    certificateAuthority: Y2VydGlmaWNhdGU=
    cidr: 10.100.0.0/16
"""


def mime(*parts: tuple[str, str], boundary: str = "//") -> str:
    """A MIME archive of parts, each a type and a text."""
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n'
    inside = (f"--{boundary}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return head + "".join(inside) + f"--{boundary}--\n"


def shell(text: str = SCRIPT) -> str:
    """An archive of one script."""
    return mime(('text/x-shellscript; charset="us-ascii"', text))


def config(text: str = NODE_CONFIG) -> str:
    """An archive of one NodeConfig."""
    return mime(("application/node.eks.aws", text))


def plain(text: str) -> Body:
    """User data as a text."""
    return {"Fn::Base64": text}


def subbed(text: str) -> Body:
    """User data with values filled in."""
    return {"Fn::Base64": {"Fn::Sub": text}}


def joined(text: str) -> Body:
    """User data as the CDK writes it, in pieces."""
    middle = len(text) // 2
    return {"Fn::Base64": {"Fn::Join": ["", [text[:middle], text[middle:]]]}}


def encoded(text: str) -> str:
    """User data that is encoded already."""
    return base64.b64encode(text.encode()).decode()


def managed(**more: Any) -> Body:
    """A managed node group of the launch template `Nodes`, from EKS's own Neuron image."""
    base = {
        "ClusterName": "training",
        "NodeRole": "arn:aws:iam::111122223333:role/nodes",
        "Subnets": ["subnet-1"],
        "AmiType": "AL2023_x86_64_NEURON",
        "LaunchTemplate": {"Id": {"Ref": "Nodes"}, "Version": LATEST},
    }
    kept = {key: value for key, value in {**base, **more}.items() if value is not None}
    return {"Type": "AWS::EKS::Nodegroup", "Properties": kept}


def with_template(group: Body, /, kind: str | None = "trn2.48xlarge", **data: Any) -> Body:
    """A node group and its launch template."""
    return template(Group=group, Nodes=nodes(kind, data.pop("interfaces", None), **data))


def own_image(text: Any, image: Any = AMI, **data: Any) -> Body:
    """A managed node group from an image of one's own."""
    group = managed(AmiType=None)
    return with_template(group, ImageId=image, UserData=text, **data)


def cluster(**properties: Any) -> Body:
    """A cluster."""
    network = {"SubnetIds": ["subnet-1", "subnet-2"]}
    base = {"RoleArn": "arn:aws:iam::111122223333:role/cluster", "ResourcesVpcConfig": network}
    return {"Type": "AWS::EKS::Cluster", "Properties": {**base, **properties}}
