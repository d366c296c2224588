"""`policy`: whose rules judge the templates at every synth, beside trnkit's own."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from trnkit.config.values import EachOnce, Section, setting

RulePack = Literal[
    "aws-solutions", "hipaa-security", "nist-800-53-r4", "nist-800-53-r5", "pci-dss-321"
]

PACK_NAMES: Final[dict[RulePack, str]] = {
    "aws-solutions": "AwsSolutions",
    "hipaa-security": "HIPAA.Security",
    "nist-800-53-r4": "NIST.800.53.R4",
    "nist-800-53-r5": "NIST.800.53.R5",
    "pci-dss-321": "PCI.DSS.321",
}
"""Each pack's own name, with which the ids of its rules begin: `AwsSolutions-VPC7`."""


_RULE = re.compile(r"[A-Z][A-Za-z0-9]*(\[.+\])?")
"""What follows the name of a pack, which lists no rules: `VPC7`, `IAM5[Resource::*]`."""


class PolicyConfig(Section):
    """The rules of others that a synth holds the templates to."""

    packs: Annotated[tuple[RulePack, ...], EachOnce] = setting(
        ("aws-solutions",),
        max_length=len(PACK_NAMES),
        example=["aws-solutions", "nist-800-53-r5"],
        description="Rule packs of cdk-nag. What a pack calls an error makes the synth fail; "
        "`suppress` takes the ids of its rules too. `[]`: none. See [rule packs](policy-packs.md).",
    )


def pack_of(rule_id: str) -> RulePack | None:
    """The pack that a rule is of, by its id; None when it is of none.

    Args:
        rule_id: As a pack has it, such as `NIST.800.53.R5-VPCFlowLogsEnabled`.
    """
    pack, _, rule = rule_id.partition("-")
    if _RULE.fullmatch(rule) is None:
        return None
    return next((key for key, name in PACK_NAMES.items() if name == pack), None)
