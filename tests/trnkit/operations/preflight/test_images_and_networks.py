"""Images, and what is asked of an existing VPC, where something is wrong."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    IMAGE,
    NAT_ROUTE,
    OWN,
    SUBNET,
    TABLE,
    Refusal,
    instance,
    running,
    subnet,
    table,
)


def image(**changes):
    entry = {
        "ImageId": IMAGE,
        "Architecture": "x86_64",
        "RootDeviceName": "/dev/sda1",
        "State": "available",
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 105}}],
    }
    return {"DescribeImages": {"Images": [entry | changes]}}


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (image(), "ok", f"{IMAGE} is there, x86_64"),
        (image(Architecture="arm64"), "fail", "is for arm64, and trn2.48xlarge runs x86_64"),
        (image(State="pending"), "fail", f"image {IMAGE} is pending"),
        (image(RootDeviceName="/dev/xvda"), "warning", "is /dev/xvda, and the launch template's"),
        (
            image(BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 513}}]),
            "fail",
            "has 512 GiB, and image",
        ),
        (
            image(BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 512}}]),
            "ok",
            "is there",
        ),
        ({"DescribeImages": Refusal("InvalidAMIID.NotFound")}, "fail", "sees no image"),
        ({"DescribeImages": {"Images": []}}, "fail", "sees no image"),
        ({"GetParameter": Refusal("ParameterNotFound")}, "fail", "has no parameter"),
    ],
)
def test_images(answer, status, words, ask):
    done = ask("image", **answer)
    assert done.status == status
    assert words in done.results[0].message


def test_an_image_that_nobody_sees_may_be_hidden_by_the_account_s_own_setting(ask):
    (result,) = ask("image", DescribeImages={"Images": []}).results
    assert "Allowed AMIs" in result.remedy


def test_a_parameter_that_holds_no_id(ask):
    told = {
        "GetParameter": {"Parameter": {"Value": "{}"}},
        "DescribeImages": Refusal("InvalidAMIID.Malformed"),
    }
    assert ask("image", **told).status == "fail"


def test_a_denied_parameter_of_one_s_own_has_its_option(ask):
    own = {"image": {"ssm_parameter": "/ours/ami"}}
    (result,) = ask("image", make_cluster(own), GetParameter=DENIED).results
    assert result.remedy.endswith(
        "prints all of them, with `--parameter NAME` also for one of your own"
    )


def test_types_that_are_not_told_hide_no_image_that_does_not_fit(ask):
    group = {"instance_type": "c7i.large", "root_volume_size_gib": 100}
    told = image(State="pending") | {"DescribeInstanceTypes": DENIED}
    done = ask("image", make_cluster(group), **told)
    assert [result.status for result in done.results] == ["fail", "fail", "unknown"]
    assert done.results[1].path == ("compute", "node_groups", 0, "root_volume_size_gib")


def test_a_fixed_image_asks_for_no_parameter_and_equal_images_are_asked_for_once(ask):
    fixed = {"image": {"ami_id": IMAGE}}
    done = ask("image", make_cluster(fixed, fixed))
    assert [result.status for result in done.results] == ["ok"]
    assert [name for _, name, _ in ask.sessions[0].asked] == ["DescribeImages"]


def test_a_lock_without_the_image_is_told_without_asking(ask):
    done = ask("image", make_cluster({"image": {"lock_file": "images.lock"}}))
    command = "trnkit images refresh cluster.yaml"
    assert (done.status, done.results[0].command) == ("fail", command)
    assert ask.sessions[0].asked == []


HERE = make_cluster(network=IMPORTED)


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({}, "ok", f"{SUBNET} is in use2-az3 with 1000 free addresses"),
        ({"VpcId": "vpc-00000000000000001"}, "fail", "is in vpc-00000000000000001, and vpc_id is"),
        (
            {"AvailabilityZoneId": "use2-az1"},
            "fail",
            "in zone use2-az1, and the file says use2-az3",
        ),
        ({"AvailableIpAddressCount": 4}, "ok", "4 free addresses"),
        ({"AvailableIpAddressCount": 3}, "fail", "has 3 free addresses, and the cluster takes 4"),
    ],
)
def test_subnets(changes, status, words, ask):
    done = ask("subnets", HERE, DescribeSubnets=subnet(**changes))
    assert done.status == status
    assert words in done.results[0].message


def test_every_interface_with_an_address_counts(ask):
    cluster = make_cluster({"efa": {"layout": "all-efa"}}, network=IMPORTED)
    told = {"DescribeSubnets": subnet(AvailableIpAddressCount=63)}
    assert "takes 64 more" in ask("subnets", cluster, **told).results[0].message


@pytest.mark.parametrize(
    ("keys", "proposes"), [({"efa": {"layout": "all-efa"}}, True), ({}, False)]
)
def test_a_layout_with_fewer_addresses_is_proposed_where_the_file_has_another(keys, proposes, ask):
    told = {"DescribeSubnets": subnet(AvailableIpAddressCount=1)}
    (result, *_) = ask("subnets", make_cluster(keys, network=IMPORTED), **told).results
    assert result.status == "fail"
    assert ("`efa.layout: ena-primary`" in result.remedy) is proposes


def test_addresses_that_the_cluster_s_own_nodes_have_are_not_needed_again(ask):
    told = {
        "DescribeSubnets": subnet(AvailableIpAddressCount=1),
        "DescribeInstances": running(*[instance(Tags=OWN)] * 3),
    }
    assert ask("subnets", HERE, **told).status == "ok"
    told["DescribeInstances"] = running(*[instance()] * 3)
    assert ask("subnets", HERE, **told).status == "fail"


def test_what_is_certain_stays_when_nobody_says_what_runs(ask):
    told = subnet(AvailableIpAddressCount=1, AvailabilityZoneId="use2-az1")
    done = ask("subnets", HERE, DescribeSubnets=told, DescribeInstances=DENIED)
    assert [result.status for result in done.results] == ["fail", "unknown"]


def test_every_subnet_is_asked_for(ask):
    more = {
        "storage_subnet_id": "subnet-0fedcba9876543210",
        "control_plane_subnet_ids": ["subnet-00000000000000001"],
    }
    existing = IMPORTED["existing"] | more

    def answer(told, region):
        (subnet_id,) = told["SubnetIds"]
        return subnet(SubnetId=subnet_id, AvailabilityZoneId="use2-az1")

    done = ask("subnets", make_cluster(network={"existing": existing}), DescribeSubnets=answer)
    paths = {result.path[2]: result.status for result in done.results}
    assert paths == {
        "compute_subnet_id": "fail",
        "storage_subnet_id": "fail",
        "control_plane_subnet_ids": "ok",
    }


@pytest.mark.parametrize("name", ["subnets", "ways-out"])
def test_a_vpc_of_the_cluster_s_own_is_not_there_to_be_asked_about(name, ask):
    assert ask(name).status == "ok"
    assert ask.sessions[0].asked == []


def endpoint(service, *, kind="Interface", **changes):
    return {
        "VpcEndpointId": f"vpce-{service}",
        "ServiceName": f"com.amazonaws.us-east-2.{service}",
        "VpcEndpointType": kind,
        "State": "available",
        "PrivateDnsEnabled": kind == "Interface",
        "RouteTableIds": [TABLE] if kind == "Gateway" else [],
    } | changes


def route(target, destination="0.0.0.0/0", **changes):
    told = {"DestinationCidrBlock": destination, "GatewayId": target, "State": "active"} | changes
    return {name: value for name, value in told.items() if value is not None}


S3 = endpoint("s3", kind="Gateway")
TO_INTERNET = route("igw-0123456789abcdef0")
TO_NOTHING = NAT_ROUTE | {"State": "blackhole"}
TO_S3 = route("vpce-s3", DestinationCidrBlock=None, DestinationPrefixListId="pl-63a5400a")
INBOUND_S3 = endpoint("s3", DnsOptions={"PrivateDnsOnlyForInboundResolverEndpoint": True})
SERVICES = ("autoscaling", "ec2", "ssm", "ssmmessages", "logs", "monitoring")
WHOLE = {service: endpoint(service) for service in SERVICES}


def closed(*endpoints, routes=()):
    return {
        "DescribeRouteTables": table(*routes),
        "DescribeVpcEndpoints": {"VpcEndpoints": list(endpoints)},
    }


def without(service):
    return [entry for name, entry in WHOLE.items() if name != service]


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ({}, "ok", "has a way out through nat-"),
        (
            {"DescribeRouteTables": table(NAT_ROUTE | {"State": "blackhole"})},
            "fail",
            "is a black hole: nat-0123456789abcdef0 is gone",
        ),
        (
            {
                "DescribeRouteTables": table(
                    {
                        "DestinationCidrBlock": "0.0.0.0/0",
                        "GatewayId": "igw-0123456789abcdef0",
                        "State": "active",
                    }
                )
            },
            "fail",
            "leads to igw-0123456789abcdef0, and nodes have no public address",
        ),
        (closed(S3, *WHOLE.values()), "ok", "has endpoints of all that nodes need to boot"),
        (closed(*WHOLE.values()), "fail", "has neither a default route nor S3"),
        (
            closed(S3 | {"RouteTableIds": ["rtb-00000000000000001"]}, *WHOLE.values()),
            "fail",
            "has neither a default route nor S3",
        ),
        (closed(endpoint("s3"), *WHOLE.values()), "ok", "has endpoints of all"),
        (closed(S3, *without("autoscaling")), "fail", "no endpoint of autoscaling"),
        (
            closed(S3, *without("autoscaling"), endpoint("autoscaling", PrivateDnsEnabled=False)),
            "fail",
            "no endpoint of autoscaling with private DNS",
        ),
        (
            closed(S3, *without("autoscaling"), endpoint("autoscaling", State="pending")),
            "fail",
            "no endpoint of autoscaling",
        ),
        (closed(S3, *without("ec2")), "warning", "no endpoint of ec2"),
        (closed(S3, *without("ssm")), "warning", "no endpoint of ssm"),
        (closed(S3, *without("logs")), "warning", "no endpoint of logs"),
        (closed(S3, *without("monitoring")), "warning", "no endpoint of monitoring"),
        # A network behind a transit gateway may have the endpoints, which nobody sees from here.
        (
            closed(
                S3,
                routes=[
                    {
                        "DestinationCidrBlock": "10.0.0.0/8",
                        "TransitGatewayId": "tgw-0123456789abcdef0",
                        "State": "active",
                    }
                ],
            ),
            "unknown",
            "unless one that this account does not see serves them",
        ),
        ({"DescribeRouteTables": {"RouteTables": []}}, "unknown", "sees no route table"),
    ],
)
def test_ways_out(answer, status, words, ask):
    done = ask("ways-out", HERE, **answer)
    assert done.status == status
    assert any(words in result.message for result in done.results)


@pytest.mark.parametrize("default", [TO_INTERNET, TO_NOTHING])
@pytest.mark.parametrize(
    ("endpoints", "routes", "statuses", "words"),
    [
        # Nodes ask nothing else, and need no way out.
        ((S3, *WHOLE.values()), (), ["ok"], "has endpoints of all that nodes need"),
        ((S3, *without("ec2")), (), ["warning"], "no endpoint of ec2"),
        ((S3, *without("autoscaling")), (), ["fail"], "the default route of"),
        ((*WHOLE.values(),), (), ["fail"], "the default route of"),
        (
            (*WHOLE.values(),),
            (route("tgw-0123456789abcdef0", "10.0.0.0/8"),),
            ["unknown"],
            "neither a usable default route nor S3",
        ),
    ],
)
def test_a_default_route_that_is_no_use(default, endpoints, routes, statuses, words, ask):
    done = ask("ways-out", HERE, **closed(*endpoints, routes=[default, *routes]))
    assert [result.status for result in done.results] == statuses
    assert words in done.results[0].message


@pytest.mark.parametrize(
    ("routes", "status"),
    [
        ([TO_S3], "fail"),
        ([route("local", "10.0.0.0/16")], "fail"),
        ([route("igw-0123456789abcdef0", "52.0.0.0/8")], "fail"),
        ([route(None, None, DestinationIpv6CidrBlock="::/0", NatGatewayId="nat-1")], "fail"),
        ([route("tgw-0123456789abcdef0", "10.0.0.0/8", State="blackhole")], "fail"),
        # All addresses in two halves, through a NAT gateway or a firewall.
        ([route(None, half, NatGatewayId="nat-1") for half in ("0.0.0.0/1", "128.0.0.0/1")],
         "unknown"),
        ([route(None, "52.0.0.0/8", NetworkInterfaceId="eni-1")], "unknown"),
        ([route("vpce-1", "52.0.0.0/8")], "unknown"),
        ([route("lgw-1", "192.168.0.0/16")], "unknown"),
    ],
)  # fmt: skip
def test_routes_may_lead_where_nobody_sees(routes, status, ask):
    assert ask("ways-out", HERE, **closed(routes=routes)).status == status


def test_names_of_s3_for_others_alone_lead_no_node_there(ask):
    done = ask("ways-out", HERE, **closed(INBOUND_S3, *WHOLE.values()))
    assert "nor S3" in done.results[0].message
    assert ask("ways-out", HERE, **closed(INBOUND_S3, S3, *WHOLE.values())).status == "ok"


def test_the_subnet_s_own_table_comes_before_the_main_one(ask):
    def answer(told, region):
        names = {entry["Name"] for entry in told["Filters"]}
        return table(NAT_ROUTE) if names == {"association.subnet-id"} else table()

    assert ask("ways-out", HERE, DescribeRouteTables=answer).status == "ok"

    def main_only(told, region):
        names = {entry["Name"] for entry in told["Filters"]}
        return {"RouteTables": []} if names == {"association.subnet-id"} else table(NAT_ROUTE)

    assert ask("ways-out", HERE, DescribeRouteTables=main_only).status == "ok"


def test_endpoints_that_the_cluster_makes_are_not_missed(ask):
    existing = IMPORTED["existing"] | {
        "create_s3_gateway_endpoint": True,
        "route_table_ids": [TABLE],
    }
    made = {"existing": existing, "interface_endpoints": list(SERVICES)}
    assert ask("ways-out", make_cluster(network=made), **closed()).status == "ok"
    other = made | {"existing": existing | {"route_table_ids": ["rtb-00000000000000001"]}}
    assert ask("ways-out", make_cluster(network=other), **closed()).status == "fail"


def test_the_owner_s_endpoints_of_a_shared_vpc_are_not_seen(ask):
    shared = {"existing": IMPORTED["existing"] | {"shared": True}}
    assert ask("ways-out", make_cluster(network=shared), **closed()).status == "unknown"
