"""Rules about EKS nodes: in what form they are told of their cluster, and all of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.eks_templates import (
    AMI,
    EKS_IMAGE,
    HEAD,
    NODE_CONFIG,
    SCRIPT,
    config,
    encoded,
    joined,
    managed,
    mime,
    own_image,
    plain,
    shell,
    subbed,
    with_template,
)
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    group,
    nodes,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
PARAMETER = {"Ref": "Given"}
TRN2 = "trn2.48xlarge"
SMALL = "trn2.3xlarge"
Row = tuple[str, str, Body, list[str]]


def other(body: Body, **more: Any) -> Body:
    """A template with further top-level sections or resources."""
    resources = {**body["Resources"], **more.pop("Resources", {})}
    return {**body, **more, "Resources": resources}


BROKEN = shell().replace("--//\n", "--/\n")
ENDLESS = shell().replace("--//--\n", "")
USER_DATA: list[Row] = [
    *[
        (
            f"AMI-07 a script, {make.__name__}",
            "TRN554",
            with_template(managed(), UserData=make(SCRIPT)),
            E,
        )
        for make in (plain, subbed, joined, encoded)
    ],
    *[
        (
            f"AMI-07 an archive, {make.__name__}",
            "TRN554",
            with_template(managed(), UserData=make(shell())),
            [],
        )
        for make in (plain, subbed, joined, encoded)
    ],
    (
        "AMI-07 a cloud-config",
        "TRN554",
        with_template(managed(), UserData=plain("#cloud-config\npackages: [jq]\n")),
        E,
    ),
    (
        "AMI-07 a bare NodeConfig",
        "TRN554",
        with_template(managed(), UserData=plain(NODE_CONFIG)),
        E,
    ),
    (
        "AMI-07 an empty line before",
        "TRN554",
        with_template(managed(), UserData=plain("\n" + shell())),
        E,
    ),
    (
        "AMI-07 indented",
        "TRN554",
        with_template(
            managed(), UserData=plain("".join(f"    {line}\n" for line in shell().splitlines()))
        ),
        E,
    ),
    (
        "AMI-07 no boundary",
        "TRN554",
        with_template(managed(), UserData=plain(shell().replace('; boundary="//"', ""))),
        E,
    ),
    ("AMI-07 another boundary", "TRN554", with_template(managed(), UserData=plain(BROKEN)), E),
    ("AMI-07 no last boundary", "TRN554", with_template(managed(), UserData=plain(ENDLESS)), W),
    (
        "AMI-07 no last boundary yet",
        "TRN554",
        with_template(managed(), UserData=subbed(ENDLESS + "${Rest}")),
        [],
    ),
    (
        "AMI-07 lines that end like on Windows",
        "TRN554",
        with_template(managed(), UserData=plain(shell().replace("\n", "\r\n"))),
        [],
    ),
    (
        "AMI-07 a NodeConfig and a script",
        "TRN554",
        with_template(
            managed(),
            UserData=plain(
                mime(("application/node.eks.aws", NODE_CONFIG), ("text/x-shellscript", SCRIPT))
            ),
        ),
        [],
    ),
    (
        "AMI-07 values filled in",
        "TRN554",
        with_template(managed(), UserData=subbed(shell("echo ${AWS::Region}"))),
        [],
    ),
    (
        "AMI-07 begins with what is not known",
        "TRN554",
        with_template(managed(), UserData=subbed("${Head}\n#!/bin/bash")),
        [],
    ),
    (
        "AMI-07 not known",
        "TRN554",
        with_template(managed(), UserData={"Fn::Base64": PARAMETER}),
        [],
    ),
    ("AMI-07 no user data", "TRN554", with_template(managed()), []),
    ("AMI-07 own image", "TRN554", own_image(plain(SCRIPT)), []),
    (
        "AMI-07 image under a condition",
        "TRN554",
        with_template(managed(), ImageId=SOMETIMES, UserData=plain(SCRIPT)),
        [],
    ),
    (
        "AMI-07 Bottlerocket",
        "TRN554",
        with_template(
            managed(AmiType="BOTTLEROCKET_x86_64"),
            UserData=plain("[settings.kubernetes]\nmax-pods = 40\n"),
        ),
        [],
    ),
    (
        "AMI-07 a script, no AMI type",
        "TRN554",
        with_template(managed(AmiType=None), UserData=plain(SCRIPT)),
        E,
    ),
    (
        "AMI-07 a script, AMI type not known",
        "TRN554",
        with_template(managed(AmiType=PARAMETER), UserData=plain(SCRIPT)),
        [],
    ),
    (
        "AMI-07 Auto Scaling takes any",
        "TRN554",
        template(Nodes=nodes(TRN2, UserData=plain(SCRIPT)), Group=group(["subnet-1"])),
        [],
    ),
    ("AMI-08 all of it", "TRN555", own_image(plain(config())), []),
    ("AMI-08 all of it, without MIME", "TRN555", own_image(plain(NODE_CONFIG)), []),
    ("AMI-08 all of it, encoded", "TRN555", own_image(encoded(config())), []),
    (
        "AMI-08 all of it, filled in",
        "TRN555",
        own_image(
            subbed(
                config(
                    NODE_CONFIG.replace("training", "${Name}").replace(
                        "Y2VydGlmaWNhdGU=", "${Cluster.CertificateAuthorityData}"
                    )
                )
            )
        ),
        [],
    ),
    *[
        (
            f"AMI-08 without {key}",
            "TRN555",
            own_image(
                plain(
                    config(
                        "".join(
                            line for line in NODE_CONFIG.splitlines(True) if f" {key}:" not in line
                        )
                    )
                )
            ),
            E,
        )
        for key in ("name", "apiServerEndpoint", "certificateAuthority", "cidr")
    ],
    *[
        (
            f"AMI-08 cidr is {value!r}",
            "TRN555",
            own_image(plain(config(NODE_CONFIG.replace("10.100.0.0/16", value)))),
            E,
        )
        for value in ('""', "", "null", "''")
    ],
    (
        "AMI-08 no cluster at all",
        "TRN555",
        own_image(plain(config(HEAD + "spec: {kubelet: {config: {maxPods: 40}}}\n"))),
        E,
    ),
    (
        "AMI-08 two configs together",
        "TRN555",
        own_image(
            plain(
                mime(
                    (
                        "application/node.eks.aws",
                        NODE_CONFIG.replace("    cidr: 10.100.0.0/16\n", ""),
                    ),
                    (
                        "application/node.eks.aws",
                        HEAD + "spec: {cluster: {cidr: 10.100.0.0/16}}\n",
                    ),
                )
            )
        ),
        [],
    ),
    (
        "AMI-08 the cluster is filled in",
        "TRN555",
        own_image(subbed(config(HEAD + "spec:\n  cluster: ${Facts}\n"))),
        [],
    ),
    (
        "AMI-08 lines are filled in",
        "TRN555",
        own_image(subbed(config(HEAD + "spec:\n  cluster:\n    name: a\n${Facts}\n"))),
        [],
    ),
    (
        "AMI-08 more from a drop-in",
        "TRN555",
        own_image(
            plain(
                mime(
                    (
                        "application/node.eks.aws",
                        HEAD + "spec: {}\n",
                    ),
                    ("text/x-shellscript", "aws s3 cp s3://b/c /etc/eks/nodeadm.d/c.yaml"),
                )
            )
        ),
        [],
    ),
    (
        "AMI-08 no YAML",
        "TRN555",
        own_image(plain(config(NODE_CONFIG.replace("  cluster:", "\tcluster:")))),
        E,
    ),
    (
        "AMI-08 no YAML, image of EKS",
        "TRN555",
        with_template(managed(), UserData=plain(config("a: [\n"))),
        E,
    ),
    (
        "AMI-08 no NodeConfig by its kind",
        "TRN555",
        own_image(plain(config(NODE_CONFIG.replace("NodeConfig", "KubeletConfiguration")))),
        E,
    ),
    (
        "AMI-08 nothing but settings, image of EKS",
        "TRN555",
        with_template(
            managed(),
            UserData=plain(config(HEAD + "spec: {kubelet: {config: {maxPods: 40}}}\n")),
        ),
        [],
    ),
    (
        "AMI-08 image under a condition",
        "TRN555",
        with_template(
            managed(),
            ImageId=SOMETIMES,
            UserData=plain(config(HEAD + "spec: {}\n")),
        ),
        [],
    ),
    (
        "AMI-08 image of EKS by name, a script alone",
        "TRN555",
        own_image(plain(shell()), f"{{{{resolve:ssm:{EKS_IMAGE}:7}}}}"),
        E,
    ),
    (
        "AMI-08 image of EKS by name, nothing",
        "TRN555",
        own_image({"Ref": "AWS::NoValue"}, f"{{{{resolve:ssm:{EKS_IMAGE}:7}}}}"),
        E,
    ),
    (
        "AMI-08 image of EKS by name, script not known",
        "TRN555",
        own_image(subbed(shell("${Script}")), f"{{{{resolve:ssm:{EKS_IMAGE}:7}}}}"),
        [],
    ),
    ("AMI-08 own image that may know its cluster", "TRN555", own_image(plain(shell())), []),
    (
        "AMI-08 self-managed, without cidr",
        "TRN555",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(
                TRN2,
                ImageId=AMI,
                IamInstanceProfile={"Name": "n"},
                UserData=plain(NODE_CONFIG.replace("    cidr: 10.100.0.0/16\n", "")),
            ),
        ),
        E,
    ),
    (
        "AMI-08 self-managed",
        "TRN555",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(
                TRN2, ImageId=AMI, IamInstanceProfile={"Name": "n"}, UserData=plain(NODE_CONFIG)
            ),
        ),
        [],
    ),
    (
        "AMI-08 bootstrap.sh, image of EKS",
        "TRN556",
        with_template(managed(), UserData=plain(shell("/etc/eks/bootstrap.sh training"))),
        E,
    ),
    (
        "AMI-08 bootstrap.sh, image by name",
        "TRN556",
        own_image(
            plain("#!/bin/bash\n/etc/eks/bootstrap.sh training"),
            f"{{{{resolve:ssm:{EKS_IMAGE}:7}}}}",
        ),
        E,
    ),
    (
        "AMI-08 bootstrap.sh, name with a version to come",
        "TRN556",
        own_image(
            plain("/etc/eks/bootstrap.sh training"),
            {"Fn::Sub": f"{{{{resolve:ssm:{EKS_IMAGE.replace('1.33', '${V}')}}}}}"},
        ),
        E,
    ),
    (
        "AMI-08 bootstrap.sh, own image",
        "TRN556",
        own_image(plain("#!/bin/bash\n/etc/eks/bootstrap.sh training")),
        [],
    ),
    (
        "AMI-08 bootstrap.sh, Amazon Linux 2",
        "TRN556",
        with_template(
            managed(AmiType="AL2_x86_64_GPU"),
            UserData=plain(shell("/etc/eks/bootstrap.sh training")),
        ),
        [],
    ),
    (
        "AMI-08 bootstrap.sh where there is one",
        "TRN556",
        with_template(
            managed(),
            UserData=plain(shell("[ -x /etc/eks/bootstrap.sh ] && /etc/eks/bootstrap.sh training")),
        ),
        [],
    ),
    (
        "AMI-08 bootstrap.sh in a comment",
        "TRN556",
        with_template(managed(), UserData=plain(shell("# formerly /etc/eks/bootstrap.sh\necho"))),
        [],
    ),
    (
        "AMI-08 self-managed, bootstrap.sh",
        "TRN556",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(
                TRN2,
                ImageId=f"resolve:ssm:{EKS_IMAGE}",
                IamInstanceProfile={"Name": "n"},
                UserData=plain("#!/bin/bash\n/etc/eks/bootstrap.sh training"),
            ),
        ),
        E,
    ),
    (
        "AMI-14 self-managed without profile",
        "TRN564",
        template(
            Group=group(["subnet-1"]), Nodes=nodes(TRN2, ImageId=AMI, UserData=plain(NODE_CONFIG))
        ),
        E,
    ),
    (
        "AMI-14 self-managed by bootstrap.sh without profile",
        "TRN564",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(TRN2, ImageId=AMI, UserData=plain("/etc/eks/bootstrap.sh training")),
        ),
        E,
    ),
    (
        "AMI-14 self-managed with profile",
        "TRN564",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(
                TRN2, ImageId=AMI, IamInstanceProfile=SOMETIMES, UserData=plain(NODE_CONFIG)
            ),
        ),
        [],
    ),
    ("AMI-14 managed without profile", "TRN564", own_image(plain(config())), []),
    (
        "AMI-14 nodes of no cluster",
        "TRN564",
        template(
            Group=group(["subnet-1"]),
            Nodes=nodes(TRN2, ImageId=AMI, UserData=plain("# not for nodeadm\necho")),
        ),
        [],
    ),
]

PARTIAL = NODE_CONFIG.replace("    cidr: 10.100.0.0/16\n", "")
EITHER = {"Fn::If": ["HasOwn", {"Ref": "Own"}, {"Ref": "Public"}]}


def alone(text: Any, image: Any = AMI, **data: Any) -> Body:
    """A launch template that nobody here starts, as for eksctl."""
    return template(Nodes=nodes(TRN2, ImageId=image, UserData=text, **data))


STARTED_ELSEWHERE: list[Row] = [
    ("AMI-08 started elsewhere, without cidr", "TRN555", alone(plain(config(PARTIAL))), E),
    ("AMI-08 started elsewhere", "TRN555", alone(plain(config())), []),
    ("AMI-08 started elsewhere, no image", "TRN555", alone(plain(config(PARTIAL)), None), []),
    ("AMI-08 started elsewhere, one of two", "TRN555", alone(plain(config(PARTIAL)), EITHER), E),
    ("AMI-08 started elsewhere, or none", "TRN555", alone(plain(config(PARTIAL)), SOMETIMES), []),
    ("AMI-08 started elsewhere, no YAML", "TRN555", alone(plain(config("a: ["))), E),
    (
        "AMI-08 one of two, one of them of EKS",
        "TRN555",
        own_image(plain(config(PARTIAL)), EITHER),
        E,
    ),
    (
        "AMI-08 started elsewhere, bootstrap.sh",
        "TRN556",
        alone(plain("/etc/eks/bootstrap.sh t"), f"resolve:ssm:{EKS_IMAGE}"),
        E,
    ),
    ("AMI-14 started elsewhere", "TRN564", alone(plain(NODE_CONFIG)), []),
]

ROWS = [*USER_DATA, *STARTED_ELSEWHERE]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def test_a_fault_of_a_shared_template_is_said_once():
    body = with_template(managed(), IamInstanceProfile={"Name": "n"}, UserData=plain(SCRIPT))
    body["Resources"]["Again"] = managed()
    found = judge_template(body)
    assert [len(of_rule(rule_id, found)) for rule_id in ("TRN550", "TRN554")] == [1, 1]


def test_a_launch_template_of_another_stack_is_the_groups():
    lower = {
        "Resources": {"Nodes": nodes(TRN2, UserData=plain(SCRIPT))},
        "Outputs": {"Id": {"Value": {"Ref": "Nodes"}, "Export": {"Name": "nodes-id"}}},
    }
    named = {"Id": {"Fn::ImportValue": "nodes-id"}, "Version": "1"}
    upper = template(Group=managed(LaunchTemplate=named))
    (found,) = of_rule("TRN554", judge_template(lower, upper))
    assert (found.file, found.logical_id) == ("0.yaml", "Nodes")
    assert not of_rule("TRN554", judge_template(upper))
