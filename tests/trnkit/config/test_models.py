"""Every section of the model tree keeps the same contract."""

import types
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError

from trnkit.config import ClusterConfig, load_cluster, with_image_locks
from trnkit.config.complaints import section_at

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))
CHANGES = {"in place", "new nodes only", "replaces nodes", "replaces", "destroys data"}


def sections(model=ClusterConfig):
    """The model and every model below it, each once."""
    found = {model: None}
    pending = [field.annotation for field in model.model_fields.values()]
    while pending:
        annotation = pending.pop()
        if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
            if issubclass(annotation, BaseModel):
                found |= sections(annotation)
        else:
            pending += get_args(annotation)
    return found


SECTIONS = list(sections())
FIELDS = [
    pytest.param(section, name, id=f"{section.__name__}.{name}")
    for section in SECTIONS
    for name in section.model_fields
]


def test_the_tree_has_every_section():
    assert len(SECTIONS) >= 13
    assert len(FIELDS) >= 50


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_frozen_strange_keys_refused_and_documented(section):
    assert section.model_config["frozen"] is True
    assert section.model_config["extra"] == "forbid"
    assert section.__doc__
    assert section.__doc__ != BaseModel.__doc__
    with pytest.raises(ValidationError) as caught:
        section.model_validate({"no_such_key": 1})
    assert "extra_forbidden" in {error["type"] for error in caught.value.errors()}


@pytest.mark.parametrize(("section", "name"), FIELDS)
def test_every_field_says_what_it_is_and_what_changing_it_does(section, name):
    field = section.model_fields[name]
    assert len(field.description) >= 7
    assert field.description.rstrip().endswith((".", ")"))
    assert field.json_schema_extra["change"] in CHANGES


@pytest.mark.parametrize(("section", "name"), FIELDS)
def test_every_default_and_example_is_itself_valid(section, name):
    field = section.model_fields[name]
    values = list(field.json_schema_extra.get("examples", []))
    if not field.is_required():
        values.append(field.default)
    for value in values:
        # The other fields may be missing; this one must not be among the errors.
        try:
            section.model_validate({name: value})
        except ValidationError as error:
            wrong = {details["loc"][0] for details in error.errors()}
            assert name not in wrong


@pytest.mark.parametrize(("section", "name"), FIELDS)
def test_a_field_cannot_be_set_afterwards(section, name):
    instance = section.model_construct()
    with pytest.raises(ValidationError, match="frozen"):
        setattr(instance, name, None)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_cluster_survives_a_round_trip_through_plain_values(path):
    cluster = load_cluster(path)
    values, text = cluster.config.model_dump(), cluster.config.model_dump_json()
    again = [ClusterConfig.model_validate(values), ClusterConfig.model_validate_json(text)]
    # What stands in a lock is no value of the cluster file, and is looked up again.
    assert [with_image_locks(one, cluster.image_locks) for one in again] == [cluster.config] * 2


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ((), "ClusterConfig"),
        (("compute",), "ComputeConfig"),
        (("compute", "node_groups", 3), "NodeGroupConfig"),
        (("compute", "node_groups", 3, "image"), "ImageConfig"),
        (("budget", "thresholds", 0), "BudgetThreshold"),
        (("tags",), None),
        (("nowhere", "x"), None),
        (("name", "x"), None),
    ],
)
def test_the_section_at_a_path(path, name):
    assert getattr(section_at(path), "__name__", None) == name
