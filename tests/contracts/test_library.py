"""The constructs as a library: exported names, working examples, documented arguments."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest
from constructs import Construct

import constructs_lib

ROOMS = [
    importlib.import_module(f"constructs_lib.{module.name}")
    for module in pkgutil.iter_modules(constructs_lib.__path__)
    if module.ispkg
]

EXPORTED = {
    "compute": [
        "CapacityBlockEvents",
        "CapacityReservation",
        "ClusterPlacementGroup",
        "DrainSchedule",
        "HomeMount",
        "ImageBuild",
        "ImageDistribution",
        "LustreMount",
        "MachineImage",
        "NodeAutoScalingGroup",
        "NodeBoot",
        "NodeBundle",
        "NodeCapacity",
        "NodeImagePipeline",
        "NodeReports",
        "NodeRole",
        "NodeVolume",
        "NodeVolumeKey",
        "NodeVolumes",
        "S3Mount",
        "S3Mountpoint",
        "SourceImage",
        "TrainiumLaunchTemplate",
    ],
    "cost": [
        "AlertSubscription",
        "AlertTopic",
        "BudgetAlarm",
        "BudgetNotification",
        "ChatAlerts",
        "CostAnomalyMonitor",
        "CostTag",
        "LaunchDenial",
        "SlackChannel",
        "SpendEnforcer",
        "SpendWatchdog",
        "TeamsChannel",
    ],
    "network": [
        "ClusterVpc",
        "EfaSecurityGroup",
        "ImportedNetwork",
        "InterfaceEndpoints",
        "VpcFlowLog",
    ],
    "observability": ["NodeLogGroup"],
    "policy": [
        "TemplateRulesPlugin",
        "acknowledge_nag_rules",
        "acknowledge_template_rules",
        "add_rule_packs",
    ],
    "storage": [
        "CheckpointBucket",
        "CheckpointLifecycle",
        "DataRepositoryAssociation",
        "ExistingLustreFileSystem",
        "HomeFileSystem",
        "LustreFileSystem",
        "LustreOptions",
    ],
}

CONSTRUCTS = [
    value
    for room in ROOMS
    for value in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(value) and issubclass(value, Construct)
]


def test_exported_names_are_frozen():
    assert {room.__name__.rpartition(".")[2]: list(room.__all__) for room in ROOMS} == EXPORTED


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda c: c.__name__)
def test_every_construct_has_an_example_that_runs(construct):
    examples = doctest.DocTestFinder(recurse=False).find(construct, construct.__name__)
    (example,) = examples
    assert len(example.examples) >= 3, "imports alone show nothing"
    failures: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda c: c.__name__)
def test_every_construct_says_what_it_creates_and_where_that_is_written(construct):
    text = inspect.getdoc(construct)
    assert "AWS::" in text
    assert "https://docs.aws.amazon.com/" in text


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda c: c.__name__)
def test_every_argument_is_keyword_only_typed_and_documented(construct):
    signature = inspect.signature(construct.__init__)
    doc = inspect.getdoc(construct.__init__)
    for name, parameter in list(signature.parameters.items())[1:]:
        assert parameter.annotation is not inspect.Parameter.empty, name
        assert f"{name}:" in doc, name
        if name not in ("scope", "construct_id"):
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY, name


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda c: c.__name__)
def test_a_positional_argument_too_many_is_refused(construct):
    with pytest.raises(TypeError):
        construct(None, "Id", "surprise", "surprise")
