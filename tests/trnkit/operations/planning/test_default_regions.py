"""Which Regions a plan compares when nobody says which."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.planning.market_answers import REGIONS, answers
from tests.trnkit.operations.preflight.fake_account import DENIED, FakeAccount
from trnkit.catalog import region_names, regions_offering
from trnkit.operations.planning.default_regions import default_regions


def ask(*types, home="us-east-2", every=False, **changes):
    session = FakeAccount(answers() | changes)
    found = default_regions(session, types, home, every=every)
    return found, [(name, region) for _, name, region in session.asked]


@pytest.mark.parametrize(
    ("types", "found"),
    [
        (["trn2.48xlarge"], ("us-east-2", "ap-south-2")),
        # Offered in one, and sold as UltraServers in the other.
        (["trn2u.48xlarge"], ("us-east-2", "ap-south-2")),
        (["trn2.3xlarge"], ("ap-south-2", "ap-southeast-4", "sa-east-1")),
        (["trn1n.32xlarge"], ("us-east-2", "us-east-1", "us-west-2")),
        # Wanted together.
        (["trn2.3xlarge", "trn2.48xlarge"], ("ap-south-2",)),
        # No Region has both.
        (
            ["trn1n.32xlarge", "trn2.3xlarge"],
            ("us-east-2", "ap-south-2", "ap-southeast-4", "sa-east-1", "us-east-1", "us-west-2"),
        ),
    ],
)
def test_the_catalogue_is_asked_first_and_the_home_region_comes_first(types, found):
    assert ask(*types) == (found, [])


def test_regions_that_sell_blocks_only_are_among_them():
    found, asked = ask("trn1.32xlarge", home="eu-central-1")
    assert "eu-north-1" in found
    assert "eu-north-1" not in regions_offering("trn1.32xlarge")
    assert (list(found), asked) == (sorted(found), [])


@pytest.mark.parametrize(
    ("types", "home", "every"),
    [
        (["trn9.48xlarge"], "us-west-2", False),
        (["trn2.48xlarge", "trn9.48xlarge"], "us-west-2", False),
        ([], "us-west-2", False),
        (["trn2.48xlarge"], "us-west-2", True),
        (["trn2.48xlarge"], "us-gov-west-1", False),
        (["trn2.48xlarge"], "cn-north-1", False),
    ],
)
def test_aws_is_asked_when_the_catalogue_does_not_know(types, home, every):
    found, asked = ask(*types, home=home, every=every)
    assert set(found) == set(REGIONS)
    assert found[0] == (home if home in REGIONS else "ap-south-1")
    assert asked == [("DescribeRegions", home)]


def test_no_answer_is_the_failure():
    found, _ = ask("trn9.48xlarge", DescribeRegions=DENIED)
    assert (found.kind, found.permission) == ("denied", "ec2:DescribeRegions")


def test_the_catalogue_has_commercial_regions_only():
    assert not [name for name in region_names() if name.startswith(("cn-", "us-gov-", "us-iso"))]
