"""Kinds of mistakes with interfaces, networks and capacity."""

from __future__ import annotations

from tests.coverage.mistake import Mistake

_TEMPLATE = "constructs_lib/compute/test_trainium_launch_template.py"
_GROUP = "constructs_lib/network/test_efa_security_group.py"
_CAPACITY = "stacks/test_capacity.py"

INTERFACES = (
    Mistake(
        id="EFA-01",
        what="device indices count up with the network cards",
        rules=("TRN252",),
        tests=(f"{_TEMPLATE}::test_efa_01_04_10_interfaces_by_type",),
    ),
    Mistake(
        id="EFA-02",
        what="half of the EFA interfaces are missing",
        rules=(
            "TRN202",
            "TRN232",
            "TRN251",
        ),
        tests=(f"{_TEMPLATE}::test_efa_02_trn2_48xlarge_has_all_sixteen",),
    ),
    Mistake(
        id="EFA-03",
        what="an EFA-only interface is the primary one",
        rules=(
            "TRN232",
            "TRN251",
            "TRN252",
            "TRN259",
        ),
        tests=(f"{_TEMPLATE}::test_efa_03_every_layout_has_sixteen_and_an_addressed_primary",),
    ),
    Mistake(
        id="EFA-04",
        what="the number of cards is taken for the number of EFA interfaces",
        rules=("TRN251", "TRN252"),
        tests=(
            "trnkit/layout/test_efa.py::test_efa_04_seventeen_cards_of_which_the_first_takes_none",
            f"{_TEMPLATE}::test_efa_04_a_type_of_ones_own_with_a_plain_first_card",
        ),
    ),
    Mistake(
        id="EFA-05",
        what="a card has one slot, and the interface asks for the second",
        rules=("TRN252",),
        tests=("trnkit/layout/test_efa.py::test_efa_05_slots_of_a_card",),
    ),
    Mistake(
        id="EFA-06",
        what="a public address together with several interfaces",
        rules=(
            "TRN132",
            "TRN152",
        ),
        tests=(f"{_TEMPLATE}::test_efa_06_07_groups_on_every_interface_and_no_public_address",),
    ),
    Mistake(
        id="EFA-07",
        what="security groups beside the interfaces and on them",
        rules=("TRN253",),
        tests=(f"{_TEMPLATE}::test_efa_06_07_groups_on_every_interface_and_no_public_address",),
    ),
    Mistake(
        id="EFA-08",
        what="subnets inside the interfaces of a managed node group",
        rules=(
            "TRN550",
            "TRN566",
            "TRN570",
        ),
    ),
    Mistake(
        id="EFA-09",
        what="the EFA group is made and not attached",
        rules=(
            "TRN151",
            "TRN559",
            "TRN592",
        ),
    ),
    Mistake(
        id="EFA-10",
        what="EFA on a type that has none, or one",
        rules=(
            "TRN202",
            "TRN207",
            "TRN231",
            "TRN232",
            "TRN233",
            "TRN251",
            "TRN291",
            "TRN532",
        ),
        tests=(f"{_TEMPLATE}::test_efa_01_04_10_interfaces_by_type",),
    ),
    Mistake(
        id="EFA-11",
        what="EFA takes the slot that pods' addresses need",
        rules=(
            "TRN134",
            "TRN563",
        ),
    ),
    Mistake(
        id="EFA-13",
        what="keys in snake_case leave an empty launch template",
        rules=("TRN256",),
        tests=(f"{_TEMPLATE}::test_efa_13_14_the_template_is_complete_in_itself",),
    ),
    Mistake(
        id="EFA-14",
        what="a construct has no argument for interfaces, and an override escapes the checks",
        rules=("TRN251", "TRN252", "TRN253", "TRN256"),
        tests=(f"{_TEMPLATE}::test_efa_13_14_the_template_is_complete_in_itself",),
    ),
    Mistake(
        id="EFA-15",
        what="the device plug-in's list of types misses Trainium",
        rules=(
            "TRN535",
            "TRN653",
        ),
    ),
)

NETWORK = (
    Mistake(
        id="NET-01",
        what="the CDK drops the rule out to the group itself",
        rules=("TRN151",),
        tests=(f"{_GROUP}::test_net_01_all_traffic_with_itself",),
    ),
    Mistake(
        id="NET-02",
        what="0.0.0.0/0 is taken for a rule to the group itself",
        rules=("TRN112", "TRN151"),
        tests=(f"{_GROUP}::test_net_02_outbound_to_anywhere_is_web_ports_only",),
    ),
    Mistake(
        id="NET-04",
        what="a validator refuses a right group for its shape",
        tests=("trnkit/rules/test_template_rules.py::test_a_template_is_judged",),
        note="A mistake of validators; ours are held to right templates in many shapes.",
    ),
    Mistake(
        id="NET-06",
        what="the zone does not offer the instance type",
        rules=(
            "TRN101",
            "TRN102",
            "TRN130",
            "TRN153",
            "TRN240",
            "TRN591",
        ),
    ),
    Mistake(
        id="NET-07",
        what="without a region a stack sees two zones, or invented ones",
        rules=("TRN852",),
        tests=(
            "stacks/test_assembly.py::test_net_07_no_invented_zone_anywhere",
            "constructs_lib/network/test_cluster_vpc.py"
            "::test_net_07_fails_when_a_zone_name_stands_for_an_id",
        ),
        note="The cluster file has a region, always.",
    ),
    Mistake(
        id="NET-08",
        what="a cluster placement group over several zones",
        rules=(
            "TRN131",
            "TRN154",
            "TRN235",
            "TRN558",
            "TRN571",
        ),
        tests=(
            f"{_TEMPLATE}"
            "::test_ami_09_the_group_follows_the_version_number_and_stays_in_one_subnet",
        ),
    ),
    Mistake(
        id="NET-09",
        what="a type that no cluster placement group takes is in one",
        rules=("TRN288",),
        tests=("trnkit/layout/test_nodes.py::test_interfaces_and_placement",),
    ),
    Mistake(
        id="NET-10",
        what="traffic to S3 goes through the NAT gateway",
        rules=(
            "TRN114",
            "TRN155",
            "TRN173",
            "TRN175",
        ),
        tests=(
            "constructs_lib/network/test_cluster_vpc.py"
            "::test_net_10_every_private_route_table_has_the_s3_gateway_endpoint",
        ),
    ),
    Mistake(
        id="NET-11",
        what="endpoints of isolated subnets are incomplete or closed",
        rules=(
            "TRN111",
            "TRN115",
            "TRN160",
            "TRN161",
            "TRN162",
            "TRN173",
            "TRN174",
            "TRN175",
        ),
        tests=(
            "stacks/test_network_stack.py"
            "::test_net_11_isolated_nodes_have_an_endpoint_for_all_they_call",
        ),
    ),
    Mistake(
        id="NET-12",
        what="a network ACL blocks the answers",
        rules=(
            "TRN164",
            "TRN172",
        ),
    ),
    Mistake(
        id="NET-13",
        what="a control plane wants two zones, and nodes one",
        rules=(
            "TRN117",
            "TRN133",
            "TRN557",
            "TRN558",
        ),
        tests=(
            "stacks/test_network_stack.py"
            "::test_net_13_control_plane_subnets_reach_other_stacks_and_people",
        ),
    ),
)

CAPACITY = (
    Mistake(
        id="CAP-01",
        what="a Capacity Block without its market type",
        rules=(
            "TRN210",
            "TRN234",
            "TRN239",
            "TRN260",
            "TRN560",
            "TRN581",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
    ),
    Mistake(
        id="CAP-02",
        what="a Capacity Block in a placement group",
        rules=(
            "TRN216",
            "TRN235",
            "TRN261",
            "TRN581",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
    ),
    Mistake(
        id="CAP-03",
        what="a new placement group keeps nodes out of their reservation",
        rules=(
            "TRN216",
            "TRN235",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
        note="In a template alone it cannot be known in which group a reservation was made.",
    ),
    Mistake(
        id="CAP-04",
        what="the id of one kind of reservation with the switch of the other",
        rules=(
            "TRN210",
            "TRN217",
            "TRN221",
            "TRN236",
            "TRN260",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
    ),
    Mistake(
        id="CAP-05",
        what="mixed instances or a warm pool on a Capacity Block",
        rules=(
            "TRN239",
            "TRN262",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
    ),
    Mistake(
        id="CAP-06",
        what="the block is in one zone, the nodes in another",
        rules=("TRN215",),
        note="Where a block really is only the account tells.",
    ),
    Mistake(
        id="CAP-09",
        what="a block that is not active yet; Spot and a block together",
        rules=(
            "TRN210",
            "TRN213",
            "TRN237",
            "TRN242",
            "TRN260",
            "TRN285",
            "TRN440",
            "TRN441",
            "TRN442",
        ),
        note="The state of a block only the account tells.",
    ),
    Mistake(
        id="CAP-14",
        what="vCPUs are guessed from the name of the type",
        tests=(
            "trnkit/catalog/test_cases.py::test_cap_14_vcpus_are_a_fact_and_not_read_off_the_name",
            "trnkit/catalog/test_cases.py::test_cap_14_what_is_not_known_is_none_and_never_zero",
        ),
    ),
    Mistake(
        id="CAP-15",
        what="a region has the type and not its images, or the reverse",
        rules=(
            "TRN101",
            "TRN102",
            "TRN204",
            "TRN212",
            "TRN269",
        ),
    ),
    Mistake(
        id="CAP-16",
        what="a reservation without an end bills for ever",
        rules=(
            "TRN219",
            "TRN263",
        ),
        tests=(
            "constructs_lib/compute/test_capacity.py"
            "::test_cap_16_a_reservation_has_an_end_or_is_meant_to_have_none",
        ),
    ),
    Mistake(
        id="CAP-17",
        what="open reservations are passed by",
        rules=(
            "TRN222",
            "TRN238",
            "TRN265",
        ),
        tests=(f"{_CAPACITY}::test_cap_04_market_type_and_placement_of_each_kind",),
    ),
    Mistake(
        id="CAP-18",
        what="a group starts a template without instance type",
        rules=(
            "TRN256",
            "TRN267",
            "TRN564",
        ),
        tests=(f"{_TEMPLATE}::test_efa_13_14_the_template_is_complete_in_itself",),
    ),
)
