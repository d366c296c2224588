"""TRN555: nodes from an image of their own are told everything about their cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.eks_groups import BOOTSTRAP, eks_groups, is_wholly_known
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.machine_images import image_parameter
from trnkit.rules.reading.node_config import GAP, NODE_CONFIG_TYPE, has_unknown_lines, setting
from trnkit.rules.reading.template_value import as_mapping
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.reading.node_config import NodeConfig
    from trnkit.rules.stack_set import Resource, StackSet

_NEEDED = ("name", "apiServerEndpoint", "certificateAuthority", "cidr")
_AL2023 = "amazon-linux-2023"
_FACTS = "write name, apiServerEndpoint, certificateAuthority and cidr under spec.cluster"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in eks_groups(stack_set):
        template = group.template.resource if group.template else None
        if template is None or template in told:
            continue
        found = _fault(group)
        if found is not None and group.user_data is not None:
            told.add(template)
            fault, hint = found
            yield Violation(
                message=f"{template.logical_id}: {fault}, so {group.nodes} do not join the cluster",
                hint=hint,
                resource=template,
                path=group.user_data.path,
            )


def _fault(group: EksGroup) -> tuple[str, str] | None:
    """What the nodes are not told, and what to write."""
    configs, text = group.node_configs, group.text or ""
    malformed = next(filter(None, map(_malformed, configs)), None)
    joins_by_itself = group.is_managed and not group.has_own_image
    # To an image of its choice EKS adds the facts about the cluster; a launch template alone may
    # be for such a group.
    is_started = group.resource.type != LAUNCH_TEMPLATE
    if malformed is not None or joins_by_itself or not (is_started or group.has_own_image):
        return malformed
    if not configs:
        return _without_config(group)
    if "nodeadm.d" in text or "nodeadm init" in text or has_unknown_lines(text):
        return None  # More of it may come from elsewhere.
    missing = [key for key in _NEEDED if _is_missing(setting(configs, "cluster", key))]
    if any(config.document is None for config in configs) or not missing:
        return None
    return f"its NodeConfig lacks {alternatives(missing, 'and')} of the cluster", _FACTS


def _malformed(config: NodeConfig) -> tuple[str, str] | None:
    if config.is_partial:
        return None
    if config.document is None:
        return "its NodeConfig is no YAML", "mend its indentation"
    api, kind = (config.document.get(key, "") for key in ("apiVersion", "kind"))
    is_ours = kind == "NodeConfig" and isinstance(api, str) and api.startswith("node.eks.aws/")
    if is_ours or GAP in (api, kind):
        return None
    return (
        "its NodeConfig names another apiVersion or kind",
        "write apiVersion: node.eks.aws/v1alpha1 and kind: NodeConfig",
    )


def _is_missing(value: Any) -> bool:
    """Whether a value is not there, or empty."""
    if as_mapping(value) is not None or isinstance(value, list):
        return False
    return value is None or not str(value).strip() or value in ("null", "~")


def _without_config(group: EksGroup) -> tuple[str, str] | None:
    """An image of EKS for Amazon Linux 2023 joins by NodeConfig; of others nothing is known."""
    if group.os != _AL2023 or group.user_data is None or not _is_of_eks(group):
        return None
    if group.user_data.is_absent:
        return "names an image of EKS and has no user data", f"add a part of {NODE_CONFIG_TYPE}"
    text = group.text
    if text is None or not is_wholly_known(text) or "nodeadm" in text or BOOTSTRAP in text:
        return None
    return "user data has no NodeConfig", f"add a part of type {NODE_CONFIG_TYPE}"


def _is_of_eks(group: EksGroup) -> bool:
    parameter = image_parameter(group.image) if group.image is not None else None
    family = parameter.family() if parameter else None
    return family is not None and family.host == "eks"


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
        ImageId: ami-0123456789abcdef0
        UserData:
          Fn::Base64: |
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary="//"

            --//
            Content-Type: application/node.eks.aws

            apiVersion: node.eks.aws/v1alpha1
            kind: NodeConfig
            spec:
              cluster:
                name: training
                apiServerEndpoint: https://example.com
                certificateAuthority: Y2VydGlmaWNhdGU=
                cidr: %s

            --//--
"""

RULE = TemplateRule(
    id="TRN555",
    title="nodes from an image of their own are told everything about their cluster",
    severity=Severity.ERROR,
    why="EKS adds the cluster's name, endpoint, certificate and service CIDR only to images that "
    "it chose itself. Without one of them nodeadm stops, and the node never joins.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD % "10.100.0.0/16",
    bad=_HEAD % '""',
    check=_check,
)
