"""TRN254: accelerated nodes require IMDSv2 and let containers reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.launch_templates import accelerated_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        options = template.data["MetadataOptions"]
        if options.is_unknown or options["HttpEndpoint"].text() == "disabled":
            continue
        name, tokens, hops = (
            template.resource.logical_id,
            options["HttpTokens"],
            options["HttpPutResponseHopLimit"],
        )
        if not tokens.is_unknown and tokens.text() != "required":
            yield Violation(
                message=f"{name}: does not require IMDSv2 (HttpTokens is "
                f"{tokens.text() or 'not set'})",
                hint="set MetadataOptions.HttpTokens to required",
                resource=template.resource,
                path=options.path,
                evidence="image or account may require it all the same; the template does not"
                if tokens.is_absent
                else None,
            )
        limit = hops.integer()
        if hops.is_absent or (limit is not None and limit < 2):
            yield Violation(
                message=f"{name}: containers cannot reach the instance metadata; "
                f"HttpPutResponseHopLimit is {'not set' if limit is None else limit}, they need 2",
                hint="set MetadataOptions.HttpPutResponseHopLimit to 2",
                resource=template.resource,
                path=options.path,
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        MetadataOptions:
          HttpTokens: required
"""

RULE = TemplateRule(
    id="TRN254",
    title="accelerated nodes require IMDSv2, two hops away",
    severity=Severity.WARNING,
    why="IMDSv1 hands credentials to anything that can make the node fetch a URL. With a hop limit "
    "of 1, device plugins, CSI drivers and training code in containers get none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-options.html",
    good=_HEAD + "          HttpPutResponseHopLimit: 2\n",
    bad=_HEAD,
    check=_check,
)
