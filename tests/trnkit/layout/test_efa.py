"""The interfaces of real types, exactly, and of types that nobody has made yet."""

import pytest

from trnkit.catalog import instance_type, instance_type_from_description, instance_type_names
from trnkit.layout.efa import EfaPlanError, InterfacePlan, plan_interfaces

LAYOUTS = ["ena-primary", "efa-primary", "all-efa"]
NO_EFA = ["trn1.2xlarge", "inf2.xlarge", "inf2.8xlarge", "inf2.24xlarge", "inf2.48xlarge"]


def plan(kind, layout="ena-primary", count=None):
    """(card, device, type) of each interface."""
    found = plan_interfaces(kind, layout=layout, efa_interfaces=count)
    return [(i.network_card_index, i.device_index, i.interface_type) for i in found]


def ena_primary(cards):
    return [
        (0, 0, "interface"),
        (0, 1, "efa-only"),
        *((card, 0, "efa-only") for card in range(1, cards)),
    ]


def efa_primary(cards):
    return [(0, 0, "efa"), *((card, 0, "efa-only") for card in range(1, cards))]


def all_efa(cards):
    return [(0, 0, "efa"), *((card, 1, "efa") for card in range(1, cards))]


CASES = [
    pytest.param(name, layout, expected(cards), id=f"{case} {name} {layout}")
    for name, cards, case in [
        ("trn1.32xlarge", 8, "EFA-02"),
        ("trn1n.32xlarge", 16, "EFA-02"),
        ("trn2.48xlarge", 16, "EFA-02"),
        ("trn2u.48xlarge", 16, "EFA-02"),
        ("trn2.3xlarge", 1, "EFA-10"),
    ]
    for layout, expected in zip(LAYOUTS, [ena_primary, efa_primary, all_efa], strict=True)
]


@pytest.mark.parametrize(("name", "layout", "expected"), CASES)
def test_every_interface_of_a_type(name, layout, expected):
    assert plan(instance_type(name), layout) == expected


@pytest.mark.parametrize(
    ("name", "layout", "count"),
    [
        pytest.param("trn2.48xlarge", "ena-primary", 17, id="EFA-03 trn2 with a plain primary"),
        pytest.param("trn2.48xlarge", "efa-primary", 16, id="EFA-03 trn2 with an EFA primary"),
        pytest.param("trn2.48xlarge", "all-efa", 16, id="trn2 with EFA on every card"),
        pytest.param("trn1.32xlarge", "ena-primary", 9, id="trn1"),
        pytest.param("trn1n.32xlarge", "ena-primary", 17, id="trn1n"),
        pytest.param("trn2.3xlarge", "ena-primary", 2, id="small trn2"),
    ],
)
def test_the_number_of_interfaces(name, layout, count):
    assert len(plan(instance_type(name), layout)) == count


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [*NO_EFA, "trn2.48xlarge", "trn1.32xlarge", "trn2.3xlarge"])
def test_no_efa_is_one_plain_interface(name, layout):
    kind = instance_type(name)
    count = None if name in NO_EFA else 0
    assert plan(kind, layout, count) == [(0, 0, "interface")]


def test_the_catalogue_has_no_type_without_a_case_here():
    with_efa = {case.values[0] for case in CASES}
    assert with_efa | set(NO_EFA) == set(instance_type_names())


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("ena-primary", [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("efa-primary", [(0, 0, "efa"), (1, 0, "efa-only")]),
        ("all-efa", [(0, 0, "efa"), (1, 1, "efa")]),
    ],
)
def test_fewer_on_request_fill_the_first_cards(layout, expected):
    assert plan(instance_type("trn2.48xlarge"), layout, 2) == expected


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        pytest.param(
            "trn2.48xlarge", 17, "has 16 EFA interfaces, 17 were asked for", id="17 of 16"
        ),
        pytest.param("trn2.3xlarge", 16, "has 1 EFA interfaces, 16 were", id="EFA-10 16 of 1"),
        pytest.param("trn1.2xlarge", 1, "has 0 EFA interfaces, 1 were", id="EFA-10 1 of 0"),
        pytest.param("trn1.32xlarge", 16, "has 8 EFA interfaces, 16 were", id="16 of 8"),
        pytest.param("trn2.48xlarge", -1, "cannot be negative, got -1", id="fewer than none"),
        pytest.param(
            "trn1.2xlarge", -1, "cannot be negative, got -1", id="fewer than none of none"
        ),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_that_cannot_be(name, asked, message, layout):
    with pytest.raises(EfaPlanError, match=message) as caught:
        plan(instance_type(name), layout, asked)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("layout", "further"),
    [
        ("ena-primary", (0, "efa-only")),
        ("efa-primary", (0, "efa-only")),
        ("all-efa", (1, "efa")),
    ],
)
def test_efa_04_seventeen_cards_of_which_the_first_takes_none(kind, layout, further):
    made = kind((0, 4, False), *((i, 4, True) for i in range(1, 17)), maximum_efa_interfaces=16)
    assert plan(made, layout) == [(0, 0, "interface"), *((i, *further) for i in range(1, 17))]


def test_efa_04_the_same_from_an_answer_of_ec2():
    cards = [
        {
            "NetworkCardIndex": index,
            "MaximumNetworkInterfaces": 2,
            "InterfaceTypes": ["interface"] if index == 0 else ["interface", "efa-only"],
        }
        for index in reversed(range(17))
    ]
    description = {
        "InstanceType": "trn9.96xlarge",
        "NetworkInfo": {
            "EfaSupported": True,
            "EfaInfo": {"MaximumEfaInterfaces": 16},
            "NetworkCards": cards,
        },
    }
    made = instance_type_from_description(description)
    assert plan(made) == [(0, 0, "interface"), *((i, 0, "efa-only") for i in range(1, 17))]


@pytest.mark.parametrize(
    ("slots", "layout", "expected"),
    [
        pytest.param(1, "ena-primary", [(0, 0, "efa"), (1, 0, "efa-only")], id="one: EFA at 0/0"),
        pytest.param(1, "efa-primary", [(0, 0, "efa"), (1, 0, "efa-only")], id="one, EFA first"),
        pytest.param(1, "all-efa", [(0, 0, "efa"), (1, 0, "efa")], id="one: device 0, not 1"),
        pytest.param(2, "all-efa", [(0, 0, "efa"), (1, 1, "efa")], id="two: device 1"),
        pytest.param(2, "ena-primary", [*ena_primary(2)], id="two"),
        pytest.param(None, "ena-primary", [*ena_primary(2)], id="unknown: as on every type so far"),
        pytest.param(None, "efa-primary", [*efa_primary(2)], id="unknown, EFA first"),
        pytest.param(None, "all-efa", [(0, 0, "efa"), (1, 0, "efa")], id="unknown: device 0"),
    ],
)
def test_efa_05_slots_of_a_card(kind, slots, layout, expected):
    made = kind((0, slots, True), (1, slots, True), maximum_efa_interfaces=2)
    assert plan(made, layout) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_of_the_cards_does_not_matter(kind, layout):
    cards = [(i, 2, True) for i in range(4)]
    made = kind(*cards, maximum_efa_interfaces=4)
    mixed = kind(cards[2], cards[0], cards[3], cards[1], maximum_efa_interfaces=4)
    assert plan(mixed, layout) == plan(made, layout)
    assert plan(mixed, layout, 2) == plan(made, layout, 2)


def test_cards_in_the_middle_that_take_no_efa_are_left_out(kind):
    cards = [(0, 2, True), (1, 2, False), (2, 2, None), (5, 2, True)]
    made = kind(*cards, maximum_efa_interfaces=3)
    assert plan(made, "efa-primary") == [(0, 0, "efa"), (2, 0, "efa-only"), (5, 0, "efa-only")]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("cards", "most", "message"),
    [
        pytest.param([], 16, "the network cards of trn9.96xlarge are not known", id="no cards"),
        pytest.param([(1, 2, True)], 1, "are not known", id="no card 0"),
        pytest.param([(0, 2, True)], None, "how many EFA interfaces", id="unknown maximum"),
        pytest.param([], None, "how many EFA interfaces", id="nothing known"),
        pytest.param([(0, 2, True)], 2, "1 network cards that take EFA", id="one EFA a card"),
        pytest.param([(0, 2, False)], 1, "0 network cards that take EFA", id="no card takes it"),
    ],
)
def test_types_of_which_too_little_is_known(kind, layout, cards, most, message):
    made = kind(*cards, maximum_efa_interfaces=most)
    with pytest.raises(EfaPlanError, match=message):
        plan(made, layout)
    assert plan(made, layout, 0) == [(0, 0, "interface")]


@pytest.mark.parametrize(
    ("interface_type", "is_efa", "has_ip_address"),
    [("interface", False, True), ("efa", True, True), ("efa-only", True, False)],
)
def test_what_each_kind_of_interface_brings(interface_type, is_efa, has_ip_address):
    interface = InterfacePlan(0, 1, interface_type)
    assert (interface.is_efa, interface.has_ip_address) == (is_efa, has_ip_address)
