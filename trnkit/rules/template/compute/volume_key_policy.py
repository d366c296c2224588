"""TRN266: Auto Scaling may use the key of the nodes' volumes."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_GROUPS = ("AWS::AutoScaling::AutoScalingGroup", "AWS::EKS::Nodegroup")
_KEY = "AWS::KMS::Key"
_GRANT_ACTION = "kms:creategrant"
_ROLE = "AWSServiceRoleForAutoScaling"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        if fleet.resource.type not in _GROUPS or not template.is_accelerated:
            continue
        for mapping in template.data["BlockDeviceMappings"].entries() or ():
            value = mapping["Ebs"]["KmsKeyId"]
            key = _key_of(value)
            if key is not None and _admits(key) is False:
                yield Violation(
                    message=f"{template.resource.logical_id}: a volume is encrypted with "
                    f"{key.logical_id}, whose policy does not let {_ROLE} make grants, but "
                    f"{fleet.resource.logical_id} starts it",
                    hint=f"allow {_ROLE} to use the key, and kms:CreateGrant where "
                    "kms:GrantIsForAWSResource is true",
                    resource=template.resource,
                    path=value.path,
                )


def _key_of(value: TemplateValue) -> Resource | None:
    alias = value.referred("AWS::KMS::Alias")
    return (properties_of(alias)["TargetKeyId"] if alias else value).referred(_KEY)


def _admits(key: Resource) -> bool | None:
    """Whether a policy lets the role make grants; None when a part of it is not known.

    Of the principals only the account's root is known not to be the role: a service-linked role has
    no policy of its own that root could delegate to.
    """
    statements = properties_of(key)["KeyPolicy"]["Statement"].entries()
    if statements is None:
        return None
    verdicts = [_statement_admits(statement) for statement in statements]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _statement_admits(statement: TemplateValue) -> bool | None:
    if statement.mapping() is None:
        return None
    if statement["Effect"].text() == "Deny":
        return False
    actions = statement["Action"].entries()
    if actions is None or not statement["NotAction"].is_absent:
        return None
    names = [action.text() for action in actions]
    if not any(fnmatchcase(_GRANT_ACTION, (name or "").lower()) for name in names):
        return None if None in names else False
    principal = statement["Principal"]["AWS"]
    if principal.is_absent:
        return False
    # An ARN's account is hardly ever known, the role's name is.
    texts = [entry.partial_text() for entry in principal.entries() or (principal,)]
    if any(_ROLE in text for text in texts):
        return True
    return False if all(text.endswith(":root") for text in texts) else None


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        BlockDeviceMappings:
          - DeviceName: /dev/sda1
            Ebs: {VolumeSize: 512, VolumeType: gp3, Encrypted: true, KmsKeyId: {Ref: Key}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Key:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy:
        Statement:
          - Effect: Allow
            Action: "kms:*"
            Resource: "*"
            Principal: {AWS: "arn:aws:iam::111122223333:root"}
"""
_GRANT = """\
          - Effect: Allow
            Action: "kms:CreateGrant"
            Resource: "*"
            Principal:
              AWS: "arn:aws:iam::111122223333:role/aws-service-role/autoscaling.amazonaws.com/\
AWSServiceRoleForAutoScaling"
            Condition: {Bool: {"kms:GrantIsForAWSResource": "true"}}
"""

RULE = TemplateRule(
    id="TRN266",
    title="Auto Scaling may use the key of the nodes' volumes",
    severity=Severity.ERROR,
    why="The service-linked role of Auto Scaling has no right on customer managed keys; instances "
    "end as soon as they start, with Client.InternalError as the only trace.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    good=_HEAD + _GRANT,
    bad=_HEAD,
    check=_check,
)
