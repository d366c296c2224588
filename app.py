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

from aws_cdk import App, Validations

from constructs_lib.policy import TemplateRulesPlugin
from stacks import build
from trnkit.config import load_cluster
from trnkit.errors import TrnkitError
from trnkit.findings import Severity, has_errors
from trnkit.rules import check_cluster

app = App()
Validations.of(app).add_plugins(TemplateRulesPlugin())
configured = app.node.try_get_context("config")
try:
    for path in configured.split(",") if isinstance(configured, str) else configured:
        cluster = load_cluster(path)
        findings = check_cluster(cluster)
        told = [f for f in findings if f.severity is not Severity.INFO]
        print(*(f.headline() for f in told), sep="\n", end="\n" * bool(told), file=sys.stderr)
        if has_errors(findings):
            sys.exit(1)
        build(app, cluster.config)
except TrnkitError as error:
    sys.exit(str(error))
app.synth()
