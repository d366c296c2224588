"""Values that a check would let through and a synthesis would not: refused by the model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.properties.cluster_files import _leaves
from trnkit.config import ClusterConfig

GROUP = "compute.node_groups.0"
FSX = "storage.lustre_file_systems.0"
LINK = f"{FSX}.data_repository_associations.0"
PLACEHOLDERS = ["${Token[TOKEN.1]}", "a${AWS::AccountId}b", "#{Token[TOKEN.0]}", "s3://a-b/${x}"]


@pytest.mark.parametrize(
    "name",
    ["/mine", "my-param", "/a/b/c", "/my/image:3", "my-param:prod", "/aws/service/x/image_id"],
)
def test_names_of_parameters(with_value, problems, name):
    assert problems(with_value(f"{GROUP}.image", {"ssm_parameter": f"'{name}'"})) == ()


@pytest.mark.parametrize(
    "name",
    [
        *("resolve:ssm:/x", "ssm:/x", "ssm:x", "my/own", "/my/own param", "/\u00e9", "/a//b"),
        *("/{{x}}", "/a/", "/", "arn:aws:ssm:us-east-2:111122223333:parameter/x", "/a:", "/a:b:c"),
        *("aws-image", "SSM-image", "/x\\n", "/" + "/".join("abcdefghijklmnopq")),
    ],
)
def test_what_is_no_name_of_a_parameter(with_value, problems, name):
    (found,) = problems(with_value(f"{GROUP}.image", {"ssm_parameter": f'"{name}"'}))
    assert "must be the name of an SSM parameter, like /my/image or my-image" in found.message


def test_a_name_of_a_parameter_may_be_1011_characters_long(with_value, problems):
    text = with_value(f"{GROUP}.image", {"ssm_parameter": "/" + "a" * 1010})
    assert problems(text) == ()
    (found,) = problems(text.replace("/aaaa", "/aaaaa"))
    assert "at most 1011" in found.message


def kinds(model: type[BaseModel], path: tuple[str, ...] = ()) -> Any:
    for name, field in model.model_fields.items():
        here = (*path, name)
        for leaf in _leaves(field.annotation):
            if isinstance(leaf, type) and issubclass(leaf, BaseModel):
                yield from kinds(leaf, here)
            elif leaf is str or "dict" in str(leaf):
                yield ".".join(here), model, name


TEXTS = sorted({(path, model, name) for path, model, name in kinds(ClusterConfig)}, key=str)


@pytest.mark.parametrize(("path", "model", "name"), TEXTS, ids=[path for path, *_ in TEXTS])
@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_no_text_of_the_file_carries_a_placeholder(path, model, name, text):
    """Whatever the field: alone, in a list, as a tag's value and as its key."""
    field = model.model_fields[name]
    annotation = field.rebuild_annotation()
    forms: list[Any] = [text, [text], {"key": text}, {text: "value"}]
    for form in forms:
        with pytest.raises(ValidationError):
            TypeAdapter(annotation).validate_python(form)


def test_the_walk_finds_the_fields_people_named():
    found = {path for path, *_ in TEXTS}
    assert found >= {
        "budget.emails",
        "budget.services",
        "tags",
        "storage.lustre_file_systems.data_repository_associations.data_repository_path",
        "compute.node_groups.placement.group_name",
    }


def test_the_message_says_what_a_placeholder_is(with_value, problems):
    (found,) = problems(with_value("budget.services", ["'${Token[TOKEN.1]}'"]))
    assert "must not hold ${ or #{, which begin a value that is filled in later" in found.message


def test_a_dollar_sign_alone_is_no_placeholder(with_value, problems):
    assert problems(with_value("budget.services", ["'Amazon $ave'"])) == ()


@pytest.mark.parametrize(
    ("path", "right"), [(f"/{'x' * 255}", True), (f"/{'x' * 256}", False), ("/a" * 7, False)]
)
def test_folders_of_a_mount_path_have_255_characters(with_value, problems, path, right):
    assert (problems(with_value(f"{FSX}.mount_path", path)) == ()) is right


@pytest.mark.parametrize("field", ["auto_import_events", "auto_export_events"])
def test_an_event_twice_is_refused(with_value, problems, field):
    (found,) = problems(with_value(f"{LINK}.{field}", ["NEW", "CHANGED", "NEW"]))
    assert "must not name NEW twice" in found.message


ROLE = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"


@pytest.mark.parametrize(
    ("arns", "message"),
    [
        ([ROLE, "arn:aws:iam::111122223333:policy/teams/Training"], None),
        (["arn:aws-cn:iam::aws:policy/service-role/Some"], None),
        ([ROLE, ROLE], "must not name arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess twice"),
        (["AmazonS3ReadOnlyAccess"], "must be the ARN of a managed policy"),
        (["arn:aws:iam::111122223333:role/x"], "must be the ARN of a managed policy"),
        (["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"], "must be left out, because"),
        ([f"arn:aws:iam::111122223333:policy/p{n}" for n in range(10)], "at most 9 entries"),
    ],
)
def test_policies_of_the_node_role(with_value, problems, arns, message):
    quoted = [f"'{arn}'" for arn in arns]
    found = problems(with_value("compute.node_role", {"managed_policy_arns": quoted}))
    assert [message in f.message for f in found] == ([True] if message else [])


@pytest.mark.parametrize("prefix", ["..", "runs/../x", "./runs", "runs/."])
def test_a_prefix_has_no_relative_parts(with_value, problems, prefix):
    text = with_value("storage.checkpoint_bucket", {"lifecycle": [{"prefix": f"'{prefix}'"}]})
    (found,) = problems(text)
    assert "without . or .. as a part" in found.message
