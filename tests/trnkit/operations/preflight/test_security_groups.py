"""TRN913: groups in any shape in which EC2 tells their rules."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import DENIED, VPC
from tests.trnkit.operations.preflight.networks import (
    COMPUTE_BLOCK,
    FILES,
    GOOD_NODES,
    LUSTRE_THERE,
    MORE,
    NODES,
    SERVERS,
    WEB,
    associations,
    existing_lustre,
    file_systems,
    group,
    groups,
    interfaces,
    network,
    permission,
    prefix_list,
)

ANOTHER_VPC = "vpc-0fedcba9876543210"
SELF = permission(NODES)
NOBODY = group(SERVERS, [], [])


@pytest.fixture
def judge(ask):
    """Ask the check about a cluster whose nodes are in a group of the file."""

    def run(*there, node_group=None, storage=None, main=NODES, **changes):
        named = {"security_group_id": main} if main else {}
        cluster = make_cluster(node_group or {}, network=network(**named), storage=storage or {})
        told = {
            "DescribeSecurityGroups": groups(*there),
            "fsx.DescribeFileSystems": LUSTRE_THERE,
            "DescribeNetworkInterfaces": interfaces(SERVERS),
        }
        return ask("security-groups", cluster, **told | changes)

    return run


def problem(done):
    (found,) = [result for result in done.results if result.status != "ok"]
    return found


@pytest.mark.parametrize("where", [{"network": network()}, {}])
def test_a_file_that_names_no_group_asks_nothing(where, ask):
    assert ask("security-groups", make_cluster(**where)).status == "ok"
    assert ask.sessions[0].asked == []


@pytest.mark.parametrize(
    ("ingress", "egress"),
    [
        ([SELF], [SELF, WEB]),
        # NET-04: the group itself is the second of several peers.
        ([permission(MORE, NODES)], [permission(SERVERS, NODES), WEB]),
        # Blocks and prefix lists beside it in the same rule.
        (
            [permission(NODES, cidrs=("10.0.0.0/8",), prefix_lists=("pl-1",))],
            [permission(NODES, cidrs=("0.0.0.0/0",))],
        ),
        # Ports told with all protocols mean nothing.
        ([permission(NODES, FromPort=-1, ToPort=-1)], [permission(NODES), WEB]),
        ([permission(NODES, FromPort=0, ToPort=0)], [permission(NODES), WEB]),
    ],
)
def test_a_group_that_is_right_in_another_shape_passes(ingress, egress, judge):
    done = judge(group(NODES, ingress, egress))
    assert done.status == "ok", done.results


@pytest.mark.parametrize(
    ("ingress", "egress", "words", "remedy"),
    [
        # NET-02: everything to everywhere is no superset for EFA.
        (
            [SELF],
            [permission(cidrs=("0.0.0.0/0",))],
            "has no rule for all traffic out to itself",
            "add an egress rule of protocol -1 that names sg-0123456789abcdef0 itself",
        ),
        (
            [permission(cidrs=("10.0.0.0/16",))],
            [SELF, WEB],
            "has no rule for all traffic in from itself",
            "add an ingress rule of protocol -1",
        ),
        (
            [permission(cidrs=("0.0.0.0/0",))],
            [permission(cidrs=("0.0.0.0/0",))],
            "has no rule for all traffic in from and none out to itself",
            "add an ingress rule and an egress rule of protocol -1 that name",
        ),
        # EFA is no TCP.
        (
            [SELF],
            [permission(NODES, ports=(0, 65535)), WEB],
            "has no rule for all traffic out to itself",
            "add an egress rule",
        ),
        (
            [permission(MORE)],
            [SELF, WEB],
            "has no rule for all traffic in from itself",
            "add an ingress rule",
        ),
        (
            [permission(NODES, prefix_lists=("pl-1",), UserIdGroupPairs=[])],
            [SELF, WEB],
            "has no rule for all traffic in from itself",
            "add an ingress rule",
        ),
    ],
)
def test_the_half_of_the_self_rules_that_is_missing(ingress, egress, words, remedy, judge):
    done = judge(group(NODES, ingress, egress))
    found = problem(done)
    assert found.status == "fail"
    assert words in found.message
    assert "0.0.0.0/0 too, do not count" in found.message
    assert found.remedy.startswith(remedy)
    assert found.path == ("network", "existing", "security_group_id")


def test_the_command_adds_the_missing_rule(judge):
    done = judge(group(NODES, [SELF], [permission(cidrs=("0.0.0.0/0",))]))
    assert problem(done).command == (
        "aws ec2 authorize-security-group-egress --region us-east-2 --group-id "
        "sg-0123456789abcdef0 --ip-permissions "
        "'IpProtocol=-1,UserIdGroupPairs=[{GroupId=sg-0123456789abcdef0}]'"
    )


def test_the_command_adds_both_rules_where_both_are_missing(judge):
    first, second = problem(judge(group(NODES, [], [WEB]))).command.split(" && ")
    assert "authorize-security-group-ingress" in first
    assert "authorize-security-group-egress" in second
    assert second == first.replace("ingress", "egress")


def test_nodes_without_efa_need_no_self_rules(judge):
    done = judge(group(NODES, [], [WEB]), node_group={"instance_type": "trn1.2xlarge"})
    assert done.status == "ok"


def test_another_group_of_the_nodes_may_have_the_rules(judge):
    bare, whole = group(NODES, [], []), group(MORE, [permission(MORE)], [permission(MORE), WEB])
    added = {"additional_security_group_ids": [MORE]}
    assert judge(bare, whole, node_group=added).status == "ok"
    assert judge(bare, whole).status == "fail"


@pytest.mark.parametrize(
    ("egress", "status"),
    [
        ([SELF, WEB], "ok"),
        ([SELF, permission(cidrs=("0.0.0.0/0",))], "ok"),
        ([SELF, permission(ports=(443, 443), prefix_lists=("pl-68a54001",))], "ok"),
        ([SELF, permission(MORE, ports=(443, 443))], "ok"),
        ([SELF, permission(ports=(80, 8080), cidrs=("10.0.0.0/16",))], "ok"),
        # Endpoints may be in the same group; S3's gateway endpoint is in none.
        ([SELF], "warning"),
        ([SELF, permission(ports=(444, 65535), cidrs=("0.0.0.0/0",))], "warning"),
        ([SELF, permission(ports=(443, 443), cidrs=("0.0.0.0/0",), IpProtocol="udp")], "warning"),
    ],
)
def test_nodes_call_aws_by_https(egress, status, judge):
    done = judge(group(NODES, [SELF], egress))
    assert done.status == status
    if status == "warning":
        assert "lets nodes call itself alone by TCP 443" in problem(done).message


def test_a_group_that_lets_nothing_out(judge):
    done = judge(group(NODES, [], []), node_group={"instance_type": "trn1.2xlarge"})
    assert problem(done).status == "fail"
    assert "lets nodes call nobody by TCP 443" in problem(done).message


def test_a_group_that_is_not_there(judge):
    done = judge(node_group={"additional_security_group_ids": [MORE]})
    assert [(result.status, result.path[-1]) for result in done.results] == [
        ("fail", "security_group_id"),
        ("fail", 0),
    ]


def test_a_group_of_another_vpc_is_refused_unless_it_is_associated(judge):
    whole = group(NODES, [SELF], [SELF, WEB], vpc_id=ANOTHER_VPC)
    assert f"is in {ANOTHER_VPC}, and the nodes are in {VPC}" in problem(judge(whole)).message
    here = associations(sg_0123456789abcdef0=VPC)
    assert judge(whole, DescribeSecurityGroupVpcAssociations=here).status == "ok"
    denied = judge(whole, DescribeSecurityGroupVpcAssociations=DENIED)
    assert denied.status == "unknown"


PLACE = ("storage", "existing_lustre_file_systems", 0, "security_group_id")


def lustre_rule(*peers, ports, description=None):
    return permission(*peers, ports=ports, description=description)


def test_rules_that_the_deployment_makes_need_not_be_there(judge):
    done = judge(GOOD_NODES, NOBODY, storage=existing_lustre())
    assert done.status == "ok", done.results


@pytest.mark.parametrize(
    ("nodes", "servers", "words"),
    [
        (
            [],
            ([lustre_rule(NODES, ports=(988, 988))], []),
            f"{SERVERS} has the ingress rule for TCP 988 from {NODES} already",
        ),
        (
            [],
            ([], [lustre_rule(MORE, NODES, ports=(1018, 1023))]),
            f"{SERVERS} has the egress rule for TCP 1018-1023 to {NODES} already",
        ),
        (
            [lustre_rule(SERVERS, ports=(988, 988), description="to the corpus")],
            ([], []),
            f"{NODES} has the egress rule for TCP 988 to {SERVERS} already",
        ),
    ],
)
def test_ec2_refuses_a_rule_that_is_there_already(nodes, servers, words, judge):
    of_nodes = group(NODES, [SELF], [SELF, WEB, *nodes])
    done = judge(of_nodes, group(SERVERS, *servers), storage=existing_lustre())
    assert problem(done).status == "fail"
    assert words in problem(done).message
    assert problem(done).path == PLACE


@pytest.mark.parametrize(
    "ingress",
    [
        # The deployment's own, from an earlier time.
        lustre_rule(NODES, ports=(988, 988), description="Lustre"),
        # Not the same: wider, or of another peer.
        lustre_rule(NODES, ports=(988, 1023)),
        lustre_rule(MORE, ports=(988, 988)),
        permission(ports=(988, 988), cidrs=("10.0.0.0/8",)),
        permission(NODES),
    ],
)
def test_other_rules_are_in_nobody_s_way(ingress, judge):
    done = judge(GOOD_NODES, group(SERVERS, [ingress], []), storage=existing_lustre())
    assert done.status == "ok", done.results


KEPT = existing_lustre(change_security_group=False)


@pytest.mark.parametrize(
    ("ingress", "status", "words"),
    [
        ([permission(NODES)], "ok", ""),
        ([lustre_rule(NODES, ports=(988, 1023))], "ok", ""),
        ([lustre_rule(MORE, NODES, ports=(988, 988)), lustre_rule(NODES, ports=(1018, 1023))],
         "ok", ""),
        # The rules that a deployment would make are somebody's here: they are what is wanted.
        ([lustre_rule(NODES, ports=(988, 988)), lustre_rule(NODES, ports=(1018, 1023))], "ok", ""),
        ([permission(ports=(988, 1023), cidrs=("10.0.0.0/16",))], "ok", ""),
        ([permission(ports=(988, 1023), cidrs=(COMPUTE_BLOCK,))], "ok", ""),
        ([permission(ports=(988, 1023), cidrs=("10.0.64.0/21", "10.0.72.0/21"))], "ok", ""),
        ([permission(ports=(988, 1023), cidrs=("10.0.64.0/21",))], "warning",
         "only from part of the nodes' subnet"),
        ([permission(ports=(988, 1023), cidrs=("10.1.0.0/16",))], "fail",
         f"{SERVERS} does not let TCP 988 and 1018-1023 in from the nodes"),
        ([lustre_rule(NODES, ports=(988, 988))], "fail",
         f"{SERVERS} does not let TCP 1018-1023 in from the nodes"),
        ([lustre_rule(NODES, ports=(988, 1022))], "warning", "only to some of the ports"),
        ([lustre_rule(MORE, ports=(988, 1023))], "fail", "does not let TCP 988 and 1018-1023 in"),
        # The list holds nothing, unless told.
        ([permission(ports=(988, 1023), prefix_lists=("pl-1",))], "fail", "every mount hangs"),
        ([], "fail", "every mount hangs"),
    ],
)  # fmt: skip
def test_a_group_that_somebody_else_keeps(ingress, status, words, judge):
    done = judge(GOOD_NODES, group(SERVERS, ingress, []), storage=KEPT)
    assert done.status == status, done.results
    if status != "ok":
        assert words in problem(done).message
        assert problem(done).path == PLACE


def test_the_nodes_further_groups_may_be_let_in(judge):
    of_more = group(MORE, [], [])
    servers = group(SERVERS, [lustre_rule(MORE, ports=(988, 1023))], [])
    added = {"additional_security_group_ids": [MORE]}
    assert judge(GOOD_NODES, of_more, servers, node_group=added, storage=KEPT).status == "ok"


def test_a_group_that_is_yet_to_be_made_cannot_be_let_in_yet(judge):
    closed = group(SERVERS, [lustre_rule(MORE, ports=(988, 1023))], [])
    found = problem(judge(closed, main=None, storage=KEPT))
    assert found.status == "warning"
    assert "output NodeSecurityGroupId" in found.remedy
    # Deployed before: the cluster's own groups are known by their tag.
    made = group(MORE, [], [], tags={"trnkit-cluster": "pretrain"})
    assert judge(closed, made, main=None, storage=KEPT).status == "ok"
    strangers = group(NODES, [], [], tags={"trnkit-cluster": "pretrain"})
    assert problem(judge(closed, strangers, main=None, storage=KEPT)).status == "fail"


def test_the_file_system_s_interfaces_are_in_the_group_that_the_file_says(judge):
    done = judge(
        GOOD_NODES, NOBODY, storage=existing_lustre(), DescribeNetworkInterfaces=interfaces(MORE)
    )
    assert problem(done).status == "fail"
    assert f"interfaces of {FILES} are in {MORE}, and the file says {SERVERS}" in (
        problem(done).message
    )
    both = interfaces(MORE, SERVERS)
    told = {"DescribeNetworkInterfaces": both}
    assert judge(GOOD_NODES, NOBODY, storage=existing_lustre(), **told).status == "ok"


@pytest.mark.parametrize(
    "told",
    [
        {"fsx.DescribeFileSystems": file_systems},
        {"DescribeNetworkInterfaces": {"NetworkInterfaces": []}},
        {
            "DescribeNetworkInterfaces": {
                "NetworkInterfaces": interfaces(SERVERS)["NetworkInterfaces"][:1]
            }
        },
    ],
)
def test_interfaces_that_the_account_does_not_see_are_unknown(told, judge):
    done = judge(GOOD_NODES, NOBODY, storage=existing_lustre(), **told)
    assert problem(done).status == "unknown"
    assert f"does not see the network interfaces of {FILES}" in problem(done).message


def test_a_group_of_another_account_that_is_left_alone_is_unknown(judge):
    done = judge(GOOD_NODES, storage=KEPT)
    assert problem(done).status == "unknown"
    assert problem(judge(GOOD_NODES, storage=existing_lustre())).status == "fail"


@pytest.mark.parametrize(
    ("blocks", "status"),
    [
        (["10.0.0.0/16"], "ok"),
        (["10.0.64.0/21", "10.0.72.0/21"], "ok"),
        (["10.0.64.0/21"], "warning"),
        (["10.1.0.0/16", "2600:1f14::/32"], "fail"),
    ],
)
def test_what_a_prefix_list_holds_decides(blocks, status, judge):
    servers = group(SERVERS, [permission(ports=(988, 1023), prefix_lists=("pl-1",))], [])
    told = {"GetManagedPrefixListEntries": prefix_list(*blocks)}
    assert judge(GOOD_NODES, servers, storage=KEPT, **told).status == status
    denied = judge(GOOD_NODES, servers, storage=KEPT, GetManagedPrefixListEntries=DENIED)
    assert denied.status == "unknown"


def test_a_list_of_other_ports_is_not_asked_for(judge, ask):
    told = prefix_list("10.0.64.0/20")
    rules = [
        permission(ports=(988, 1023), prefix_lists=("pl-1",)),
        permission(ports=(22, 22), prefix_lists=("pl-2",)),
    ]

    def answer(asked, region):
        return told if asked["PrefixListId"] == "pl-1" else DENIED

    servers = group(SERVERS, rules, [])
    done = judge(GOOD_NODES, servers, storage=KEPT, GetManagedPrefixListEntries=answer)
    assert done.status == "ok", done.results


def test_a_list_beside_a_rule_that_is_enough_is_not_asked_for(judge, ask):
    enough = permission(NODES, ports=(988, 1023), prefix_lists=("pl-1",))
    assert judge(GOOD_NODES, group(SERVERS, [enough], []), storage=KEPT).status == "ok"
    asked = {name for _, name, _ in ask.sessions[0].asked}
    assert "GetManagedPrefixListEntries" not in asked
