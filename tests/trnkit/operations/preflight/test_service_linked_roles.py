"""Roles of services: which must be there before, and which come by themselves."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import DENIED, Refusal
from tests.trnkit.operations.preflight.situations.service_linked_roles import role
from trnkit.catalog import service_linked_role, service_linked_roles

SPOT = {"capacity": {"type": "spot"}}
AUTO_SCALING = "AWSServiceRoleForAutoScaling"
LUSTRE = {
    "lustre_file_systems": [
        {
            "name": "fsx",
            "deployment_type": "PERSISTENT_2",
            "storage_capacity_gib": 2400,
            "per_unit_storage_throughput": 125,
        }
    ]
}


def keyed(*groups, **keys):
    """A cluster that makes a key whose policy names Auto Scaling's role."""
    whole = make_cluster(*groups, **keys).model_dump(exclude_unset=True)
    whole["compute"]["volume_key"] = "customer-managed"
    return type(make_cluster()).model_validate(whole)


def without(*names):
    def answer(told, region):
        gone = told["RoleName"] in names
        return Refusal("NoSuchEntity", status=404) if gone else role(told, region)

    return {"GetRole": answer}


def told(done):
    return [(result.status.value, result.path) for result in done.results]


@pytest.mark.parametrize(
    ("cluster", "missing", "status"),
    [
        (make_cluster(), AUTO_SCALING, "ok"),
        (keyed(), AUTO_SCALING, "fail"),
        (make_cluster(SPOT), "AWSServiceRoleForEC2Spot", "warning"),
        (make_cluster(storage=LUSTRE), "AWSServiceRoleForAmazonFSx", "ok"),
        (
            make_cluster(storage={"home_file_system": {}}),
            "AWSServiceRoleForAmazonElasticFileSystem",
            "ok",
        ),
    ],
    ids=["auto scaling", "key that names it", "spot", "lustre", "home folders"],
)
def test_what_a_missing_role_means(cluster, missing, status, ask):
    done = ask("service-linked-roles", cluster, **without(missing))
    assert done.status == status
    (about,) = [result for result in done.results if missing in result.message]
    service = next(role.service for role in service_linked_roles() if role.name == missing)
    command = f"aws iam create-service-linked-role --aws-service-name {service}"
    assert command in f"{about.command} {about.evidence}"


def test_a_role_that_comes_by_itself_says_who_makes_it(ask):
    done = ask("service-linked-roles", **without(AUTO_SCALING))
    (result,) = done.results
    assert "is made with the account's first Auto Scaling group" in result.message
    assert "iam:CreateServiceLinkedRole" in result.evidence


def test_each_role_is_asked_for_once_and_at_the_place_that_wants_it(ask):
    cluster = make_cluster({}, SPOT, SPOT, storage=LUSTRE | {"home_file_system": {}})
    done = ask("service-linked-roles", cluster)
    assert told(done) == [
        ("ok", ("compute", "node_groups")),
        ("ok", ("compute", "node_groups", 1, "capacity", "type")),
        ("ok", ("storage", "lustre_file_systems")),
        ("ok", ("storage", "home_file_system")),
    ]
    assert len(ask.sessions[0].asked) == 4


def test_roles_that_nothing_in_the_file_needs_are_not_asked_for(ask):
    done = ask("service-linked-roles", **without("AWSServiceRoleForEC2Spot"))
    assert [result.message for result in done.results] == [f"role {AUTO_SCALING} exists"]


def test_a_key_that_names_the_role_which_exists(ask):
    assert told(ask("service-linked-roles", keyed())) == [("ok", ("compute", "volume_key"))]


def test_a_role_of_that_name_which_is_no_service_s_is_none(ask):
    def own(asked, region):
        answer = role(asked, region)
        return {"Role": answer["Role"] | {"Path": "/"}}

    assert ask("service-linked-roles", keyed(), GetRole=own).status == "fail"


def test_one_role_that_may_not_be_looked_at_leaves_the_others(ask):
    def one_denied(asked, region):
        return DENIED if asked["RoleName"] == AUTO_SCALING else role(asked, region)

    done = ask("service-linked-roles", make_cluster(SPOT), GetRole=one_denied)
    assert [status for status, _ in told(done)] == ["unknown", "ok"]


def test_image_pipelines_need_a_role_too(ask):
    whole = make_cluster().model_dump(exclude_unset=True)
    whole["compute"]["image_pipeline"] = {}
    cluster = type(make_cluster()).model_validate(whole)
    done = ask("service-linked-roles", cluster, **without("AWSServiceRoleForImageBuilder"))
    assert told(done)[-1] == ("ok", ("compute", "image_pipeline"))
    assert "first image of Image Builder" in done.results[-1].message


@pytest.mark.parametrize("name", [role.name for role in service_linked_roles()])
def test_a_role_s_name_begins_as_the_policy_allows(name):
    assert name.startswith("AWSServiceRoleFor")


def test_a_service_that_the_catalogue_does_not_know():
    with pytest.raises(KeyError):
        service_linked_role("x.amazonaws.com")
