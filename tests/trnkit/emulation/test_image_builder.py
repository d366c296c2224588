"""EC2 Image Builder in the emulated CloudFormation: ARNs that fit, nothing twice."""

from __future__ import annotations

from typing import Any

import pytest

from constructs_lib.compute.image_version import content_version
from trnkit.emulation.resources.image_builder import TYPES
from trnkit.emulation.resources.resource import Place, Proof, Refused

OF = {kind.name.rpartition("::")[2]: kind for kind in TYPES}


def no_clients(_: str) -> Any:
    raise AssertionError("no service is asked")


@pytest.fixture
def place():
    return Place("111122223333", "us-east-2", "images", "It", no_clients)


@pytest.mark.parametrize(
    ("kind", "properties", "rest"),
    [
        ("Component", {"Name": "Node EFA", "Version": "1.2.3"}, "component/node-efa/1.2.3/1"),
        ("ImageRecipe", {"Name": "Nodes", "Version": "1.2.3"}, "image-recipe/nodes/1.2.3"),
        ("ImagePipeline", {"Name": "Nodes"}, "image-pipeline/nodes"),
        ("LifecyclePolicy", {"Name": "Nodes"}, "lifecycle-policy/nodes"),
    ],
)
def test_an_arn_is_of_name_and_version(place, kind, properties, rest):
    resource = OF[kind]
    assert resource.proof is Proof.SCHEMA
    made = resource.create(place, properties)
    assert made.physical_id == f"arn:aws:imagebuilder:us-east-2:111122223333:{rest}"
    assert made.attributes["Arn"] == made.physical_id
    resource.delete(place, made.physical_id, properties)


def test_what_there_is_already_is_refused_until_it_is_deleted(place):
    properties = {"Name": "Nodes", "Version": "1.0.1"}
    recipe = OF["ImageRecipe"]
    made = recipe.create(place, properties)
    with pytest.raises(Refused, match="already exists"):
        recipe.create(place, properties)
    other = recipe.create(place, properties | {"Version": "1.0.2"})
    recipe.delete(place, made.physical_id, properties)
    again = recipe.create(place, properties)
    assert recipe.read(no_clients, again.physical_id, properties) == {}
    for kept in (again, other):
        recipe.delete(place, kept.physical_id, properties)
        assert recipe.read(no_clients, kept.physical_id, properties) is None


def test_a_changed_document_is_deployed_and_taken_back_without_meeting_an_old_name(place):
    """As CloudFormation does it: what is new first, then what is old is removed."""
    component = OF["Component"]
    texts = ["phases: [a]", "phases: [b]", "phases: [a]"]
    standing: dict[str, Any] | None = None
    for text in texts:
        new = {"Name": "efa", "Version": content_version({"data": text}), "Data": text}
        made = component.create(place, new)
        if standing is not None:
            component.delete(place, standing["arn"], standing)
        standing = {**new, "arn": made.physical_id}
    assert standing is not None
    with pytest.raises(Refused, match="already exists"):
        component.create(place, {**standing, "Data": "phases: [c]"})
    component.delete(place, standing["arn"], standing)
