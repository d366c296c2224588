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

from constructs_lib import policy
from stacks import build
from trnkit.errors import TrnkitError
from trnkit.findings import Severity, has_errors
from trnkit.operations.checking import check_context

# The templates need nothing of the bootstrap stack, so pipelines may deploy them without one.
app = App(default_stack_synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False))
try:
    report = check_context(app.node.try_get_context)
    Validations.of(app).add_plugins(policy.TemplateRulesPlugin(report.described_types))
    told = [f for f in report.findings if f.severity is not Severity.INFO]
    print(*(f.headline() for f in told), sep="\n", end="\n" * bool(told), file=sys.stderr)
    if has_errors(report.findings):
        sys.exit(1)
    for cluster in report.clusters_in_turn():
        stage = build(app, cluster.config)
        if os.environ.get("CDK_VALIDATION") != "false":
            policy.add_rule_packs(stage, cluster.config.policy.packs, report.reasons_for(cluster))
    policy.acknowledge_template_rules(app, report.reasons)
except TrnkitError as error:
    sys.exit(f"error: {error}")
app.synth()
