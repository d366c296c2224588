"""TRN912: entries by number, the first that fits decides; both directions, between subnets."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import SUBNET, Refusal
from tests.trnkit.operations.preflight.networks import (
    COMPUTE_BLOCK,
    LUSTRE_THERE,
    STORAGE,
    STORAGE_BLOCK,
    acls,
    entry,
    existing_lustre,
    file_systems,
    network,
    subnets,
)
from trnkit.aws.ec2_network_rules import AclEntry, NetworkAcl
from trnkit.operations.preflight.acl_judgement import passages, public_blocks

LUSTRE = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}
HOME = {"home_file_system": {}}
COMPUTE_ACL = "acl-0123456789abcdef0 of subnet-0123456789abcdef0"
STORAGE_ACL = "acl-0fedcba9876543210 of subnet-0fedcba9876543210"
ALL = entry(100, "allow")
HTTPS_OUT = entry(100, "allow", (443, 443), egress=True)
ANSWERS_IN = entry(110, "allow", (1024, 65535), egress=False)


@pytest.fixture
def judge(ask):
    """Ask the check about a cluster with a subnet for its file systems."""

    def run(answer, storage=None, *, apart=True, **changes):
        place = {"storage_subnet_id": STORAGE} if apart else {}
        cluster = make_cluster(network=network(**place), storage=storage or {})
        told = {"DescribeSubnets": subnets, "DescribeNetworkAcls": answer} | changes
        return ask("network-acls", cluster, **told)

    return run


def problems(done):
    return [result for result in done.results if result.status != "ok"]


def test_a_vpc_of_the_cluster_s_own_has_no_acls_yet(ask):
    assert ask("network-acls").status == "ok"
    assert ask.sessions[0].asked == []


@pytest.mark.parametrize(
    ("entries", "status", "words"),
    [
        ([ALL], "ok", "lets nodes call out"),
        ([HTTPS_OUT, ANSWERS_IN], "ok", "lets nodes call out"),
        # As AWS's own example of a custom network ACL.
        ([HTTPS_OUT, entry(140, "allow", (32768, 65535), egress=False)], "ok", "call out"),
        ([HTTPS_OUT, entry(140, "allow", (32768, 60999), egress=False)], "ok", "call out"),
        # A port less than Linux may give to a call.
        (
            [HTTPS_OUT, entry(140, "allow", (32768, 60998), egress=False)],
            "warning",
            "lets TCP 60999 in from public addresses only in part, no entry allows the rest",
        ),
        (
            [HTTPS_OUT, entry(140, "allow", (49152, 65535), egress=False)],
            "warning",
            "lets TCP 32768-49151 in from public addresses only in part",
        ),
        # Ports that no call is given are nobody's loss.
        ([entry(50, "deny", (3389, 3389)), ALL], "ok", "lets nodes call out"),
        # Blocks of wrongdoers before the rest.
        ([entry(50, "deny", cidr="203.0.113.0/24"), ALL], "ok", "lets nodes call out"),
        ([], "ok", "lets nodes call out"),
        (
            [ANSWERS_IN],
            "fail",
            f"{COMPUTE_ACL} lets no TCP 443 out to public addresses, no entry allows it",
        ),
        (
            [HTTPS_OUT],
            "fail",
            f"{COMPUTE_ACL} lets no TCP 32768-60999 in from public addresses, no entry allows it",
        ),
        ([entry(90, "deny", (443, 443), egress=True), ALL], "fail", "entry 90 denies it"),
        # The lowest number decides, wherever it stands in the answer.
        ([ALL, entry(90, "deny", (443, 443), egress=True)], "fail", "entry 90 denies it"),
        ([ALL, entry(110, "deny", (443, 443), egress=True)], "ok", "lets nodes call out"),
        # The VPC alone: S3 has public addresses behind a gateway endpoint, and private ones behind
        # an endpoint with interfaces.
        (
            [entry(100, "allow", cidr="10.0.0.0/8")],
            "warning",
            "is for nodes that reach all of AWS, S3 too, through interface endpoints",
        ),
        (
            [HTTPS_OUT, entry(100, "allow", cidr="10.0.0.0/8", egress=False)],
            "warning",
            "lets TCP 32768-60999 in from public addresses by no entry",
        ),
        # The deny is about another protocol, or about IPv6.
        (
            [[{**entry(10, "deny", (443, 443))[0], "Protocol": "17"}], ALL],
            "ok",
            "lets nodes call out",
        ),
        (
            [
                [
                    {
                        "RuleNumber": 10,
                        "Egress": True,
                        "RuleAction": "deny",
                        "Protocol": "-1",
                        "Ipv6CidrBlock": "::/0",
                    }
                ],
                ALL,
            ],
            "ok",
            "lets nodes call out",
        ),
    ],
)
def test_the_way_out(entries, status, words, judge):
    done = judge(acls(*entries))
    assert done.status == status, done.results
    assert words in done.results[0].message


def test_the_remedy_names_the_entry_that_is_in_the_way(judge):
    (problem,) = problems(judge(acls(entry(90, "deny", (443, 443), egress=True), ALL)))
    assert problem.remedy == (
        "add an egress entry that allows TCP 443 to 0.0.0.0/0, with a number below 90"
    )
    assert problem.look.endswith("--network-acl-ids acl-0123456789abcdef0")
    assert problem.path == ("network", "existing", "compute_subnet_id")


NOT_LUSTRE = [*entry(100, "allow", (443, 443)), *entry(110, "allow", (1024, 65535))]


def test_a_subnet_that_nobody_sees_is_told_once_for_all_file_systems_in_it(judge):
    both = LUSTRE["lustre_file_systems"]
    both = [*both, both[0] | {"name": "more"}]

    def compute_alone(told, region):
        seen = [s for s in subnets(told, region)["Subnets"] if s["SubnetId"] != STORAGE]
        return {"Subnets": seen}

    storage = {"lustre_file_systems": both, **HOME}
    done = judge(acls(ALL), storage, DescribeSubnets=compute_alone)
    (problem,) = problems(done)
    assert problem.message.startswith(f"the network ACL of {STORAGE} cannot be judged")


def test_a_file_system_in_the_nodes_subnet_asks_no_network_acl(judge):
    only_out = acls(HTTPS_OUT, ANSWERS_IN)
    assert judge(only_out, LUSTRE, apart=False).status == "ok"
    assert judge(only_out, LUSTRE, apart=True).status == "fail"


@pytest.mark.parametrize(
    ("storage_entries", "words"),
    [
        (
            NOT_LUSTRE,
            [
                f"{STORAGE_ACL} lets no TCP 988 and 1018-1023 in from {COMPUTE_BLOCK}, no entry "
                "allows it: nodes cannot mount file system fsx",
                f"{STORAGE_ACL} lets no TCP 988 and 1018-1023 out to {COMPUTE_BLOCK}",
            ],
        ),
        (
            [*entry(80, "deny", (988, 988), egress=False), *ALL],
            [f"lets no TCP 988 in from {COMPUTE_BLOCK}, entry 80 denies it"],
        ),
        (
            [*entry(80, "deny", (1018, 1023), "10.0.0.0/16", egress=True), *ALL],
            [f"lets no TCP 1018-1023 out to {COMPUTE_BLOCK}, entry 80 denies it"],
        ),
        (
            [*entry(80, "deny", (1018, 1020), egress=True), *ALL],
            [f"lets TCP 1018-1020 out to {COMPUTE_BLOCK} only in part, entry 80 denies the rest"],
        ),
        # Half of the nodes' subnet.
        (
            [*entry(80, "deny", None, "10.0.72.0/21", egress=False), *ALL],
            [f"lets TCP 988 and 1018-1023 in from {COMPUTE_BLOCK} only in part, entry 80 denies"],
        ),
        # Not from there.
        ([*entry(80, "deny", None, "10.0.80.0/20"), *ALL], []),
        (
            [*entry(90, "allow", (988, 1023), COMPUTE_BLOCK), *entry(95, "deny")],
            [],
        ),
        # Two blocks that are the subnet together.
        (
            [
                *entry(90, "allow", (988, 1023), "10.0.64.0/21"),
                *entry(91, "allow", (988, 1023), "10.0.72.0/21"),
            ],
            [],
        ),
    ],
)
def test_lustre_between_subnets_at_the_file_system_s_side(storage_entries, words, judge):
    found = problems(judge(acls(ALL, storage=storage_entries), LUSTRE))
    assert len(found) == len(words), found
    for problem, expected in zip(found, words, strict=True):
        assert expected in problem.message
        assert problem.path == ("network", "existing", "storage_subnet_id")


def test_lustre_between_subnets_at_the_nodes_side(judge):
    found = problems(judge(acls(HTTPS_OUT, ANSWERS_IN), LUSTRE))
    assert [problem.message for problem in found] == [
        f"{COMPUTE_ACL} lets no TCP 988 and 1018-1023 {way} {STORAGE_BLOCK}, no entry allows it: "
        "nodes cannot mount file system fsx"
        for way in ("in from", "out to")
    ]


@pytest.mark.parametrize(
    ("storage_entries", "status"),
    [
        (
            [
                *entry(90, "allow", (2049, 2049), COMPUTE_BLOCK, egress=False),
                *entry(90, "allow", (1024, 65535), COMPUTE_BLOCK, egress=True),
            ],
            "ok",
        ),
        # The ports are open, and the answers have no way back.
        (entry(90, "allow", (2049, 2049), COMPUTE_BLOCK), "fail"),
        (entry(90, "allow", (32768, 65535), COMPUTE_BLOCK), "fail"),
    ],
)
def test_the_home_file_system_answers_at_any_port_of_a_call(storage_entries, status, judge):
    done = judge(acls(ALL, storage=storage_entries), HOME)
    assert done.status == status
    if status == "fail":
        assert "nodes cannot mount the home file system" in problems(done)[0].message


def test_an_existing_file_system_is_judged_where_fsx_says_that_it_is(judge):
    told = {"fsx.DescribeFileSystems": LUSTRE_THERE}
    done = judge(acls(ALL, storage=NOT_LUSTRE), existing_lustre(), apart=False, **told)
    assert done.status == "fail"
    assert all(
        problem.path == ("storage", "existing_lustre_file_systems", 0, "file_system_id")
        for problem in problems(done)
    )


def test_a_file_system_that_the_account_does_not_see_is_unknown(judge):
    done = judge(acls(ALL), existing_lustre(), **{"fsx.DescribeFileSystems": file_systems})
    assert done.status == "unknown"
    assert "sees no subnet of fs-0123456789abcdef0" in problems(done)[0].message
    # What is certain about the nodes' own subnet stays.
    assert done.results[0].status == "ok"


def test_the_owner_s_acl_of_a_shared_subnet_is_not_seen(judge):
    done = judge({"NetworkAcls": []})
    assert done.status == "unknown"


def test_a_subnet_of_another_account_leaves_the_nodes_own_judged(judge):
    def one(told, region):
        if told["SubnetIds"] == [SUBNET]:
            return subnets(told, region)
        return Refusal("InvalidSubnetID.NotFound")

    done = judge(acls(ALL), LUSTRE, DescribeSubnets=one)
    assert [result.status for result in done.results] == ["ok", "unknown"]


def acl(*entries):
    listed = [
        AclEntry(
            number=number,
            is_egress=False,
            allows=allows,
            protocol="6",
            cidr=cidr,
            first=first,
            last=last,
        )
        for number, allows, cidr, first, last in entries
    ]
    return NetworkAcl(acl_id="acl-1", entries=tuple(listed))


def test_ports_that_fare_alike_are_one_piece():
    found = passages(
        acl((10, True, "0.0.0.0/0", 0, 20), (20, True, "10.0.0.0/8", 15, 30)),
        10,
        40,
        [IPv4Network("10.1.0.0/16")],
        egress=False,
    )
    assert [(p.first, p.last, p.admits_all) for p in found] == [
        (10, 14, True),
        (15, 20, True),
        (21, 30, True),
        (31, 40, False),
    ]


def test_a_smaller_block_before_a_larger_one_takes_its_addresses_alone():
    (found,) = passages(
        acl((10, False, "10.1.128.0/17", 0, 65535), (20, True, "10.0.0.0/8", 0, 65535)),
        443,
        443,
        [IPv4Network("10.1.0.0/16")],
        egress=False,
    )
    assert (found.admits_some, found.admits_all, found.denied_by) == (True, False, (10,))


def test_aws_s_own_last_entry_is_nobody_s_to_blame():
    (found,) = passages(
        acl((32767, False, "0.0.0.0/0", 0, 65535)),
        443,
        443,
        [IPv4Network("10.0.0.0/8")],
        egress=False,
    )
    assert (found.admits_some, found.denied_by) == (False, ())


def test_public_blocks_and_private_ones_are_all_addresses():
    private = ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16")
    blocks = public_blocks()
    assert not any(b.overlaps(IPv4Network(p)) for b in blocks for p in private)
    both = [*blocks, *map(IPv4Network, private)]
    assert sum(block.num_addresses for block in both) == 2**32
