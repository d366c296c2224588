"""TRN372: a mount target's security group lets somebody in through NFS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.security_groups import known_groups, rules_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_NFS_PORT = 2049


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::EFS::MountTarget"):
        value = properties_of(resource)["SecurityGroups"]
        groups = known_groups(value.entries())
        sets = [rules_of(group, "Ingress", stack_set) for group in dict.fromkeys(groups or ())]
        if not sets or not all(known.is_complete for known in sets):
            continue
        if not any(rule.admits(_NFS_PORT) for known in sets for rule in known.rules):
            names = " or ".join(group.logical_id for group in (groups or ())[:3])
            text = f"is {names}, which admits TCP {_NFS_PORT} from nowhere"
            hint = f"add an ingress rule for TCP {_NFS_PORT} that names the clients' group"
            yield at_value(value, Objection(text, hint))


_HEAD = """\
Resources:
  Home:
    Type: AWS::EFS::FileSystem
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties: {Encrypted: true}
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: efs, VpcId: vpc-1}}
  Target:
    Type: AWS::EFS::MountTarget
    Properties: {FileSystemId: {Ref: Home}, SubnetId: subnet-1, SecurityGroups: [{Ref: Group}]}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: Group}
      IpProtocol: tcp
      SourceSecurityGroupId: sg-1
"""

RULE = TemplateRule(
    id="TRN372",
    title="an EFS mount target admits NFS",
    severity=Severity.ERROR,
    why="Without TCP 2049 every mount hangs until it times out, and the boot with it.",
    source="https://docs.aws.amazon.com/efs/latest/ug/network-access.html",
    good=_HEAD + "      FromPort: 2049\n      ToPort: 2049\n",
    bad=_HEAD + "      FromPort: 988\n      ToPort: 988\n",
    check=_check,
    judges_absence=True,
)
