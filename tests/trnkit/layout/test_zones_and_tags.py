"""The zone of the nodes, the tags of everything, and where the budget lives."""

import pytest

from trnkit.layout.tags import (
    CLUSTER_TAG,
    NODE_GROUP_TAG,
    budget_region,
    budget_tag_filter,
    cluster_tags,
)
from trnkit.layout.zones import common_zone_ids, compute_zone_id


@pytest.mark.parametrize(
    ("region", "types", "zones"),
    [
        pytest.param(
            "us-east-2", ["trn2.48xlarge"], ("use2-az1", "use2-az2", "use2-az3"), id="three"
        ),
        pytest.param(
            "us-east-2", ["trn2.48xlarge", "trn1.32xlarge"], ("use2-az3",), id="both types"
        ),
        pytest.param(
            "us-east-2", ["trn1.32xlarge", "trn2.48xlarge"], ("use2-az3",), id="other way round"
        ),
        pytest.param("us-west-2", ["trn1.32xlarge"], ("usw2-az1", "usw2-az4"), id="two"),
        pytest.param(
            "us-west-2", ["trn1.32xlarge", "trn1n.32xlarge"], ("usw2-az4",), id="intersection"
        ),
        pytest.param("us-east-1", ["trn2.48xlarge"], (), id="NET-06 type not in the region"),
        pytest.param("us-east-2", ["trn2.48xlarge", "trn9.96xlarge"], (), id="unknown type"),
        pytest.param("eu-nowhere-1", ["trn2.48xlarge"], (), id="unknown region"),
        pytest.param("ap-southeast-4", ["trn2.3xlarge"], ("apse4-az3",), id="one"),
    ],
)
def test_zones_with_every_type(cluster, region, types, zones):
    made = cluster(*types, region=region)
    assert common_zone_ids(made) == zones
    assert compute_zone_id(made) == (zones[0] if zones else None)


def test_the_zone_of_the_file_is_taken_as_it_is(cluster):
    for zone in ("use2-az2", "use1-az1", "us-east-2a"):
        made = cluster(network={"availability_zone_id": zone})
        assert compute_zone_id(made) == zone


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        pytest.param(CLUSTER_TAG, "pretrain", "user:trnkit-cluster$pretrain", id="BUD-01"),
        pytest.param("team", "", "user:team$", id="no value"),
        pytest.param("a:b", "c:d", "user:a:b$c:d", id="colons"),
        pytest.param("a$b", "c$d", "user:a$b$c$d", id="dollar signs"),
        pytest.param("a b", "ü/=+-@._", "user:a b$ü/=+-@._", id="every other sign"),
        pytest.param("user:team", "x", "user:user:team$x", id="prefix is not swallowed"),
    ],
)
def test_the_filter_of_a_tag(key, value, text):
    assert budget_tag_filter(key, value) == text


def test_the_cluster_s_own_tag_is_the_last_and_cannot_be_overridden(cluster):
    made = cluster(tags={CLUSTER_TAG: "other", "team": "ml", "a": "b"})
    assert cluster_tags(made)[CLUSTER_TAG] == "pretrain"
    assert cluster_tags(made) == {"team": "ml", "a": "b", CLUSTER_TAG: "pretrain"}
    assert list(cluster_tags(cluster(tags={"z": "1", "a": "2"}))) == ["z", "a", CLUSTER_TAG]
    assert CLUSTER_TAG != NODE_GROUP_TAG


@pytest.mark.parametrize(
    ("region", "explicit", "expected"),
    [
        pytest.param("ap-south-2", None, "us-east-1", id="BUD-13 Hyderabad lacks it"),
        pytest.param("ap-southeast-4", None, "us-east-1", id="BUD-13 Melbourne lacks it"),
        pytest.param("eu-north-1", None, "us-east-1", id="BUD-13 Stockholm lacks it"),
        pytest.param("us-east-2", None, "us-east-2", id="Ohio has it"),
        pytest.param("sa-east-1", None, "sa-east-1", id="São Paulo has it"),
        pytest.param("us-east-1", None, "us-east-1", id="Virginia"),
        pytest.param("eu-nowhere-1", None, "us-east-1", id="unknown region"),
        pytest.param("sa-east-1", "us-east-1", "us-east-1", id="the file says so"),
        pytest.param("ap-south-2", "eu-west-1", "eu-west-1", id="the file says otherwise"),
        pytest.param("us-east-2", "eu-nowhere-1", "eu-nowhere-1", id="the file is believed"),
    ],
)
def test_the_region_of_the_budget(cluster, region, explicit, expected):
    made = cluster(region=region, budget={"region": explicit})
    assert budget_region(made) == expected
