"""A CDK app of existing templates, each included in a stack of its own; run as a process.

It reads JSON from the standard input: `out` (a folder), `context` (feature flags), `judge`
(`validator` or `nag`), and `templates`, each with `name`, `path` and `region`. What a judge says is
in `validation-report.json` of the folder. When there is no cloud assembly, `failed.json` says why,
and the name of the template where that is known. After a construct has failed, jsii's process must
not be used any more, so the app ends there.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from trnkit.toolchain import use_bundled_node

use_bundled_node(os.environ)

from aws_cdk import App, DefaultStackSynthesizer, Environment, Stack, Validations  # noqa: E402
from aws_cdk.cloudformation_include import CfnInclude  # noqa: E402


def main(asked: dict[str, Any]) -> None:
    """Include the templates and synthesize."""
    out = Path(asked["out"])
    app = App(
        context=asked["context"],
        outdir=str(out),
        default_stack_synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False),
        builtin_cloud_formation_validation=asked["judge"] == "validator",
    )
    if asked["judge"] == "nag":
        from cdk_nag import AwsSolutionsChecks

        Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    for template in asked["templates"]:
        stack = Stack(app, template["name"], env=Environment(region=template["region"]))
        try:
            CfnInclude(stack, "Template", template_file=template["path"])
        except RuntimeError as error:
            _fail(out, template["name"], error)
            return
    try:
        app.synth()
    except RuntimeError as error:
        if not str(error).startswith("ValidationFailed:"):
            _fail(out, None, error)


def _fail(out: Path, name: str | None, error: RuntimeError) -> None:
    failed = {"name": name, "message": str(error)}
    (out / "failed.json").write_text(json.dumps(failed), encoding="utf-8")


if __name__ == "__main__":
    main(json.load(sys.stdin))
