"""The pytest fixture for projects that build on trnkit, as docs/python.md shows it."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

from tests.synthesis import ROOT

GUIDE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
IMPORTS = """
import os

from trnkit.toolchain import use_bundled_node

use_bundled_node(os.environ)

from aws_cdk import App, Environment, Stack

from constructs_lib.network import ClusterVpc, EfaSecurityGroup
"""


def run(tmp_path, test: str):
    (tmp_path / "test_app.py").write_text(IMPORTS + textwrap.dedent(test), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_app.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_guides_test_passes_in_a_project_that_configures_nothing(tmp_path):
    (snippet,) = re.findall(r"```python\n(def test_.*?)```", GUIDE, flags=re.DOTALL)
    done = run(tmp_path, snippet)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_what_aws_refuses_fails_the_deployment_with_its_reason(tmp_path):
    done = run(
        tmp_path,
        """
        from aws_cdk import aws_ec2 as ec2


        def test_a_subnet_outside_of_its_vpc(rehearsal):
            app = App()
            stack = Stack(app, "Wrong", env=Environment(region="us-east-2"))
            vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.0.0.0/24")
            ec2.CfnSubnet(stack, "Subnet", vpc_id=vpc.ref, cidr_block="10.9.0.0/24")
            deployed = rehearsal.deploy(app.synth().directory)
            assert not deployed.succeeded
            assert "InvalidSubnet.Range" in deployed.reasons[0]
            assert [event.status for event in deployed.events].count("CREATE_FAILED") >= 1
            assert not rehearsal.prove().holds
        """,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
