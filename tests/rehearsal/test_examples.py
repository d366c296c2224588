"""Every example, deployed with the unmodified CDK command line.

A few that differ most by the command, with all its steps. The others stand in one emulated AWS by
one deployment, which the same steps prove and destroy; with TRNKIT_SLOW=1 all by the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.rehearsal.deployments import ACCOUNT, cluster_of, make_named_once, seeds_of_all
from tests.synthesis import EXAMPLES, ROOT, run_app
from trnkit.emulation.process import emulated_aws
from trnkit.operations.rehearsal.cdk_cli import CdkCli
from trnkit.operations.rehearsal.creating import create
from trnkit.operations.rehearsal.destroying import destroy
from trnkit.operations.rehearsal.progress import Progress
from trnkit.operations.rehearsal.stage import Stage

ALL_STEPS = ("create", "update", "fault", "destroy")
SLOW = os.environ.get("TRNKIT_SLOW") == "1"
DIFFERENT = {"dual-stack", "imported-vpc", "trn2-pretrain", "trn2-small-sao-paulo"}
BY_COMMAND = [path for path in EXAMPLES if SLOW or path.stem in DIFFERENT]
TOGETHER = [path for path in EXAMPLES if path.stem not in DIFFERENT]
COMMAND = [sys.executable, "-c", "from trnkit.cli.main import main; main()", "rehearse"]


def rehearse(example):
    done = subprocess.run(
        [*COMMAND, str(example), "--format", "json"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def rehearsals():
    """The rehearsal of each example, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield {example.name: pool.submit(rehearse, example) for example in BY_COMMAND}


@pytest.mark.parametrize("name", [example.name for example in BY_COMMAND])
def test_an_example_is_deployed_changed_broken_and_destroyed(rehearsals, name):
    code, answer, errors = rehearsals[name].result()
    (rehearsal,) = answer["rehearsals"]
    wrong = [f for step in rehearsal["steps"] for f in step["facts"] if not f["holds"]]
    assert (code, wrong, errors) == (0, [], "")
    assert [step["name"] for step in rehearsal["steps"]] == ["prepare", *ALL_STEPS]
    schema_only = [t["type"] for t in rehearsal["resource_types"] if t["properties_equal"] == 0]
    assert schema_only == []
    said = " ".join(fact["text"] for step in rehearsal["steps"] for fact in step["facts"])
    assert ("with the" in said and "launch template (" in said) or "no launch was tried" in said
    assert "sets off every alert" in said
    assert "rolled back" in said
    assert "cdk drift finds that the rule for EFA was taken" in said
    assert rehearsal["not_provable"]


def test_the_budget_stack_is_deployed_in_its_own_region(rehearsals):
    _, answer, _ = rehearsals["trn2-small-sao-paulo.yaml"].result()
    assert answer["rehearsals"][0]["regions"] == ["sa-east-1", "us-east-1"]


def test_an_upload_arrives_where_the_file_system_is_linked(rehearsals):
    _, answer, _ = rehearsals["trn2-pretrain.yaml"].result()
    said = [f["text"] for step in answer["rehearsals"][0]["steps"] for f in step["facts"]]
    (link,) = [text for text in said if text.startswith("an upload arrives in ")]
    assert "s3://example-training-corpus/pretrain, linked to /data of fs-" in link


def test_what_a_file_takes_to_exist_is_said(rehearsals):
    _, answer, _ = rehearsals["imported-vpc.yaml"].result()
    assumed = answer["rehearsals"][0]["assumed"]
    assert "vpc vpc-0123456789abcdef0" in assumed
    assert "route table rtb-0123456789abcdef0" in assumed


@pytest.fixture(scope="module")
def together():
    """What the steps found of the other examples: facts of their creation and destruction."""
    clusters = [cluster_of(path.stem) for path in TOGETHER]
    with emulated_aws(ACCOUNT, seeds=seeds_of_all(path.stem for path in TOGETHER)) as aws:
        for cluster in clusters:
            make_named_once(aws, cluster)
        assembly = aws.folder / "assembly"
        ran = run_app(TOGETHER, assembly)
        assert ran.returncode == 0, ran.stderr
        stage = Stage(
            aws=aws,
            cdk=CdkCli(aws, dict(os.environ), lambda _: None),
            cluster=clusters[0],
            assembly=assembly,
            progress=Progress(),
            folder=aws.folder,
        )
        stacks = {stack.name: stack.region for stack in stage.stacks}
        made = create(stage)
        created = stage.taken()
        gone = destroy(stage)
        yield stacks, (made, created), (gone, stage.taken())


def test_the_other_examples_stand_beside_each_other_and_are_destroyed(together):
    stacks, (made, created), (gone, destroyed) = together
    assert [fact for fact in (*created, *destroyed) if not fact.holds] == []
    assert (made, gone) == (True, True)
    names = {cluster_of(path.stem).config.name for path in TOGETHER}
    assert {name.rpartition("-")[0] for name in stacks} == names
    said = [fact.text for fact in created]
    (deployed,) = [text for text in said if text.startswith("cdk deploy made")]
    assert f"made {len(stacks)} stacks" in deployed
    assert "the same deployment again changes nothing" in said
    bootstrapped = [text for text in said if text.startswith("cdk bootstrap made")]
    assert len(bootstrapped) == len({*stacks.values()})


def test_of_each_other_example_nodes_are_launched_and_spend_is_heard_of(together):
    _, (_, created), _ = together
    said = [fact.text for fact in created]
    groups = [
        group for path in TOGETHER for group in cluster_of(path.stem).config.compute.node_groups
    ]
    launches = [text for text in said if "of its launch template (" in text]
    none_yet = [text for text in said if text.endswith("so no launch was tried")]
    assert len(launches) + len(none_yet) == len(groups)
    assert launches
    budgets = [text for text in said if "sets off every alert" in text]
    assert len(budgets) >= len(TOGETHER)
