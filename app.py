"""The CDK app: one stage per cluster file named in the context key `config`.

cdk synth -c config=examples/trn2-pretrain.yaml        several: a comma between them
"""

import os
import sys

from trnkit.toolchain import ToolchainError, use_bundled_node

try:
    use_bundled_node(os.environ)
except ToolchainError as error:
    sys.exit(f"error: {error}")

from aws_cdk import App, DefaultStackSynthesizer, Validations

from constructs_lib.policy import TemplateRulesPlugin, add_rule_packs
from stacks import build
from trnkit.errors import TrnkitError
from trnkit.findings import Severity, has_errors
from trnkit.operations.checking import check_files, files_in_context

# The templates need nothing of the bootstrap stack, so pipelines may deploy them without one.
app = App(default_stack_synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False))
Validations.of(app).add_plugins(TemplateRulesPlugin())
try:
    report = check_files(files_in_context(app.node.try_get_context("config")))
    told = [f for f in report.findings if f.severity is not Severity.INFO]
    print(*(f.headline() for f in told), sep="\n", end="\n" * bool(told), file=sys.stderr)
    if has_errors(report.findings):
        sys.exit(1)
    for cluster in report.clusters:
        stage = build(app, cluster.config)
        if os.environ.get("CDK_VALIDATION") != "false":
            reasons = {entry.rule_id: entry.reason for entry in cluster.config.suppress}
            add_rule_packs(stage, cluster.config.policy.packs, reasons)
except TrnkitError as error:
    sys.exit(f"error: {error}")
app.synth()
