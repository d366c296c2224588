"""Anything at all in any place: findings or none, never an exception, in bounded time."""

from __future__ import annotations

import json
import random
import time
from copy import deepcopy
from typing import Any

import pytest
import yaml

from tests.trnkit.rules.documents.documents import (
    DAEMON_SET,
    EFA_INTERFACES,
    EKSCTL,
    KARPENTER,
    MPI_JOB,
    NODE_CLASS,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    RIGHT,
)
from tests.trnkit.rules.judging import judge_documents
from trnkit.config.yaml_reader import YamlDocument
from trnkit.rules import Document, DocumentSet, check_documents, list_rules

ROUNDS = 1500
SEED = 20261130
STRIDE = 7
HOSTILE: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, "", " ", "x" * 2000, "\u202e", "%s", "{0}", "\n"),
    *([], {}, [[]], [None], [{}], {"": ""}, {"a": {"a": {"a": []}}}, ["trn2.48xlarge"], "trn2."),
    *(
        "trn2.48xlarge",
        "ml.trn2.48xlarge",
        "trn99",
        "inf1",
        "p5.48xlarge",
        "us-east-2a",
        "use2-az9",
    ),
    *(
        "${X}",
        "{{ x }}",
        "<x>",
        "-",
        "cr-1",
        "capacity-block",
        "In",
        "Exists",
        "256",
        "5Gi",
        "-5Gi",
    ),
    *("hugepages-2Mi", "hugepages-", "aws.amazon.com/neuron", "PERSISTENT_2", "HDD", "List"),
    *({"items": []}, {"matchExpressions": 7}, {"limits": []}, [0] * 50, {"kind": ["Pod"]}),
]
TEXTS = [*RIGHT.values(), DAEMON_SET, KARPENTER + EFA_INTERFACES]
TEXTS += [text for rule in list_rules("document") for text in (rule.good, rule.bad)]
SEEDS = [list(yaml.safe_load_all(text)) for text in TEXTS]


def judge(*bodies: Any) -> int:
    """How many findings there are, each of which can be written and has its place."""
    documents = [Document("f.yaml", YamlDocument("f.yaml", body)) for body in bodies]
    findings = check_documents(DocumentSet(documents))
    for finding in findings:
        json.dumps(finding.as_dict())
        assert finding.message
        assert finding.line
    return len(findings)


def places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            found.append((here, key))
            if isinstance(here[key], dict | list):
                waiting.append(here[key])
    return found


def spoil(body: Any, chance: random.Random) -> None:
    possible = places(body)
    if not possible:
        return
    container, key = chance.choice(possible)
    deed = chance.random()
    if deed < 0.6:
        container[key] = deepcopy(chance.choice(HOSTILE))
    elif deed < 0.8:
        del container[key]
    elif isinstance(container, list):
        container.append(deepcopy(container[key]))
    elif isinstance(key, str):
        container[str(chance.choice(["values", "limits", "spec", "x"]))] = container.pop(key)


def test_spoiled_documents_are_answered():
    chance = random.Random(SEED)
    found = 0
    for _ in range(ROUNDS):
        bodies = deepcopy(chance.choice(SEEDS))
        if chance.random() < 0.3:
            bodies += deepcopy(chance.choice(SEEDS))
        for _ in range(chance.randint(1, 8)):
            spoil(bodies, chance)
        found += judge(*bodies)
    assert found > ROUNDS // 10, "what is spoilt is still understood in part"


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:30])
def test_a_hostile_value_in_place_of_any_value_is_answered(value: Any):
    tried = 0
    for bodies in ([*SEEDS[0], *SEEDS[2]], SEEDS[3], SEEDS[4], SEEDS[5]):
        # Each value tries other places than the last; together they try all of them.
        first = HOSTILE.index(value) % STRIDE
        for number in range(first, len(places(bodies)), STRIDE):
            spoiled = deepcopy(bodies)
            container, key = places(spoiled)[number]
            container[key] = deepcopy(value)
            assert judge(*spoiled) < 20
            tried += 1
    assert tried >= 10


def test_a_name_of_any_length_makes_no_message_of_that_length():
    text = EKSCTL.replace("name: trn2", f"name: {'x' * 100_000}").replace(
        "efaEnabled: true", "spot: yes"
    )
    for finding in judge_documents(text):
        assert len(finding.message) <= 600
        assert finding.message.endswith("...")


def seconds(*texts: str) -> float:
    before = time.monotonic()
    judge_documents(*texts)
    return time.monotonic() - before


def renamed(text: str, number: int) -> str:
    return text.replace("name: trn2", f"name: trn2-{number}").replace(
        "name: neuron", f"name: neuron-{number}"
    )


def test_many_documents_take_time_in_proportion():
    few = "---\n".join(renamed(KARPENTER, number) for number in range(20))
    many = "---\n".join(renamed(KARPENTER, number) for number in range(160))
    assert seconds(many) < 40 * seconds(few) + 0.5


def test_many_pools_of_one_class_with_many_node_groups_beside_are_judged_at_once():
    pools = "---\n".join(KARPENTER.split("---\n")[0] for _ in range(150))
    groups = EKSCTL + "".join(
        f"  - {{name: g{number}, instanceType: trn2.48xlarge, efaEnabled: true}}\n"
        for number in range(400)
    )
    sets = "---\n".join([DAEMON_SET] * 60 + [PYTORCH_JOB] * 60 + [MPI_JOB] * 60)
    assert seconds(f"{pools}---\n{NODE_CLASS}", groups, sets) < 20


def test_many_links_of_a_file_system_are_not_compared_each_with_each():
    links = "".join(
        f"        - {{Name: d{number}, FileSystemPath: /d{number}, "
        f"DataRepositoryPath: s3://example-bucket/d{number}}}\n"
        for number in range(3000)
    )
    assert seconds(PARALLELCLUSTER + links) < 15
