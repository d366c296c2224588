"""A small CDK app whose nodes boot as those of a cluster do: a bundle, a hook, a log group.

Written by hand and not with our constructs: a second opinion about what they make.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from aws_cdk import App, ArnFormat, Environment, Fn, RemovalPolicy, Stack, Tags
from aws_cdk import aws_autoscaling as autoscaling
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3_assets as s3_assets

REGION = "us-east-2"
STACK = "Booting"
LOG_GROUP = "/trnkit/booting"
HOOK = "trnkit-node-ready"
ENDPOINTS = ("autoscaling", "ec2", "logs", "monitoring")

USER_DATA = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==trnkit=="

--==trnkit==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
BUCKET=${{Bucket}}
KEY='${{Key}}'
SHA256='{sums}'
aws s3 cp "s3://$BUCKET/$KEY" /opt/trnkit/bundle.zip
unzip -q /opt/trnkit/bundle.zip -d /opt/trnkit/new && cd /opt/trnkit/new
sha256sum --check --strict <<<"$SHA256" && exec ./boot
--==trnkit==
Content-Type: text/cloud-config; charset="us-ascii"

#cloud-config
write_files:
  - path: /etc/trnkit/settings.sh
    content: |
      TRNKIT_REPORT='lifecycle {hook}'
      TRNKIT_LOG_GROUP={log_group}
      TRNKIT_CLOUDWATCH=1
      TRNKIT_METRICS_NAMESPACE=trnkit
      TRNKIT_TAG_STATE=1
--==trnkit==--
"""


def write_bundle(folder: Path, greeting: str = "boot") -> Path:
    """The files of a bundle, one of them in a folder."""
    (folder / "steps").mkdir(parents=True)
    (folder / "boot").write_text(f"#!/bin/bash\necho {greeting}\n")
    (folder / "boot").chmod(0o755)
    (folder / "steps" / "lustre.sh").write_text("mount_lustre() { :; }\n")
    return folder


def synthesize(
    out: Path,
    bundle: Path,
    *,
    retention: int = 30,
    hook: dict[str, Any] | None = None,
    nodes: int = 2,
) -> Path:
    """Write the cloud assembly.

    Args:
        out: Where to.
        bundle: The folder of the bundle.
        retention: Days that logs are kept.
        hook: What replaces members of the hook.
        nodes: How many nodes.
    """
    app = App(outdir=str(out), builtin_cloud_formation_validation=False)
    stack = Stack(app, STACK, env=Environment(region=REGION))
    Tags.of(stack).add("trnkit-cluster", "booting")
    log_group = logs.CfnLogGroup(
        stack, "NodeLogs", log_group_name=LOG_GROUP, retention_in_days=retention
    )
    log_group.apply_removal_policy(RemovalPolicy.RETAIN)
    asset = s3_assets.Asset(stack, "Boot", path=str(bundle))
    subnet, group = _network(stack)
    role = _role(stack)
    asset.grant_read(role)
    profile = iam.CfnInstanceProfile(stack, "Profile", roles=[role.role_name])
    template = ec2.CfnLaunchTemplate(
        stack,
        "Template",
        launch_template_data=ec2.CfnLaunchTemplate.LaunchTemplateDataProperty(
            image_id="ami-0123456789abcdef0",
            instance_type="m5.large",
            iam_instance_profile=ec2.CfnLaunchTemplate.IamInstanceProfileProperty(
                arn=profile.attr_arn
            ),
            security_group_ids=[group.attr_group_id],
            user_data=Fn.base64(_user_data(asset, bundle)),
        ),
    )
    members = {
        "lifecycle_hook_name": HOOK,
        "lifecycle_transition": "autoscaling:EC2_INSTANCE_LAUNCHING",
        "heartbeat_timeout": 1800,
        "default_result": "ABANDON",
        **(hook or {}),
    }
    autoscaling.CfnAutoScalingGroup(
        stack,
        "Nodes",
        min_size="0",
        max_size="4",
        desired_capacity=str(nodes),
        vpc_zone_identifier=[subnet.ref],
        launch_template=autoscaling.CfnAutoScalingGroup.LaunchTemplateSpecificationProperty(
            launch_template_id=template.ref, version=template.attr_latest_version_number
        ),
        lifecycle_hook_specification_list=[
            autoscaling.CfnAutoScalingGroup.LifecycleHookSpecificationProperty(**members)
        ],
    )
    app.synth()
    return out


def _user_data(asset: s3_assets.Asset, bundle: Path) -> str:
    files = sorted(path for path in bundle.rglob("*") if path.is_file())
    sums = "\n".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}"
        for path in files
    )
    text = USER_DATA.format(hook=HOOK, log_group=LOG_GROUP, sums=sums)
    return Fn.sub(text, {"Bucket": asset.s3_bucket_name, "Key": asset.s3_object_key})


def _network(stack: Stack) -> tuple[ec2.CfnSubnet, ec2.CfnSecurityGroup]:
    vpc = ec2.CfnVPC(
        stack,
        "Vpc",
        cidr_block="10.0.0.0/16",
        enable_dns_hostnames=True,
        enable_dns_support=True,
    )
    subnet = ec2.CfnSubnet(stack, "Subnet", vpc_id=vpc.ref, cidr_block="10.0.0.0/20")
    group = ec2.CfnSecurityGroup(
        stack, "Group", vpc_id=vpc.ref, group_description="nodes and endpoints"
    )
    for service in ENDPOINTS:
        ec2.CfnVPCEndpoint(
            stack,
            f"{service.capitalize()}Endpoint",
            vpc_id=vpc.ref,
            service_name=f"com.amazonaws.{REGION}.{service}",
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=[subnet.ref],
            security_group_ids=[group.attr_group_id],
        )
    return subnet, group


def _role(stack: Stack) -> iam.Role:
    """The role of the nodes, with inline policies in it."""
    arn = stack.format_arn
    tagged = {"StringEquals": {"aws:ResourceTag/trnkit-cluster": "booting"}}
    one_key = {"ForAllValues:StringEquals": {"aws:TagKeys": ["trnkit-node-state"]}}
    groups = arn(service="autoscaling", resource="autoScalingGroup:*")
    instances = arn(service="ec2", resource="instance", resource_name="*")
    log_group = arn(
        service="logs",
        resource="log-group",
        resource_name=f"{LOG_GROUP}:*",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
    lifecycle = ("CompleteLifecycleAction", "RecordLifecycleActionHeartbeat")
    statements: dict[str, tuple[list[str], str, dict[str, Any]]] = {
        "Report": ([f"autoscaling:{action}" for action in lifecycle], groups, tagged),
        "Look": (["autoscaling:DescribeAutoScalingInstances"], "*", {}),
        "Tag": (["ec2:CreateTags"], instances, {**tagged, **one_key}),
        "Logs": (["logs:CreateLogStream", "logs:PutLogEvents"], log_group, {}),
        "Metrics": (
            ["cloudwatch:PutMetricData"],
            "*",
            {"StringEquals": {"cloudwatch:namespace": "trnkit"}},
        ),
        "Signal": (["cloudformation:SignalResource"], stack.stack_id, {}),
    }
    return iam.Role(
        stack,
        "NodeRole",
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        inline_policies={
            name: iam.PolicyDocument(
                statements=[
                    iam.PolicyStatement(
                        actions=actions, resources=[resource], conditions=conditions
                    )
                ]
            )
            for name, (actions, resource, conditions) in statements.items()
        },
    )
