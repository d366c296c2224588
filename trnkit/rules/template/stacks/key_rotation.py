"""TRN864: only a key that KMS can rotate is told to be rotated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_ROTATED = "SYMMETRIC_DEFAULT"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for key in stack_set.resources("AWS::KMS::Key"):
        properties = properties_of(key)
        rotation, spec = properties["EnableKeyRotation"], properties["KeySpec"]
        origin = properties["Origin"].text()
        if rotation.boolean() is not True:
            continue
        if spec.text() is not None and spec.text() != _ROTATED:
            text = f"is true, and KMS rotates no key of {spec.text()}"
            yield at_value(rotation, Objection(text, "remove it, and rotate by hand"))
        elif origin in ("EXTERNAL", "AWS_CLOUDHSM", "EXTERNAL_KEY_STORE"):
            text = f"is true, and KMS rotates no key whose origin is {origin}"
            yield at_value(rotation, Objection(text, "remove it, and rotate by hand"))


_KEY = """\
Resources:
  Key:
    Type: AWS::KMS::Key
    Properties: {EnableKeyRotation: true, KeySpec: %s}
"""

RULE = TemplateRule(
    id="TRN864",
    title="only a key that KMS can rotate is told to be rotated",
    severity=Severity.ERROR,
    why="KMS refuses automatic rotation of asymmetric, HMAC and imported keys: "
    "UnsupportedOperation.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html",
    good=_KEY % "SYMMETRIC_DEFAULT",
    bad=_KEY % "RSA_2048",
    check=_check,
)
