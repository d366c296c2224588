"""TRN254: accelerated nodes require IMDSv2 and let containers reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        options = template.data["MetadataOptions"]
        if options.is_unknown or options["HttpEndpoint"].text() == "disabled":
            continue
        tokens, hops = options["HttpTokens"], options["HttpPutResponseHopLimit"]
        limit, faults, fixes = hops.integer(), list[str](), list[str]()
        if not tokens.is_unknown and tokens.text() != "required":
            faults.append(f"does not require IMDSv2 (HttpTokens is {tokens.text() or 'not set'})")
            fixes.append("HttpTokens to required")
        if hops.is_absent or (limit is not None and limit < 2):
            faults.append(
                "keeps containers from the instance metadata (HttpPutResponseHopLimit is "
                f"{'not set' if limit is None else limit}, they need 2)"
            )
            fixes.append("HttpPutResponseHopLimit to 2")
        if faults:
            yield Violation(
                message=f"{template.resource.logical_id}: {' and '.join(faults)}",
                hint=f"set, in MetadataOptions, {' and '.join(fixes)}",
                resource=template.resource,
                path=options.path,
                evidence="image or account may require IMDSv2 all the same; the template does not"
                if tokens.is_absent
                else None,
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
