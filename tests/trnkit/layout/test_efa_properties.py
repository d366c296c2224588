"""What holds for the interfaces of any instance type whatever."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trnkit.catalog import NetworkCard, instance_type, instance_type_names
from trnkit.layout.efa import EfaPlanError, plan_interfaces

layouts = st.sampled_from(["ena-primary", "efa-primary", "all-efa"])
cards = st.lists(
    st.builds(
        NetworkCard,
        index=st.integers(min_value=0, max_value=20),
        maximum_network_interfaces=st.integers(min_value=1, max_value=6),
        efa_supported=st.sampled_from([True, False, None]),
    ),
    max_size=20,
    unique_by=lambda card: card.index,
)


@st.composite
def kinds(draw):
    return dataclasses.replace(
        instance_type("trn2.48xlarge"),
        network_cards=tuple(draw(cards)),
        maximum_efa_interfaces=draw(st.none() | st.integers(min_value=0, max_value=20)),
    )


def possible(kind, asked):
    """Whether a plan must exist: known, allowed, and one card for each EFA."""
    if asked == 0:
        return True
    most = kind.maximum_efa_interfaces
    wanted = most if asked is None else asked
    takers = [card for card in kind.network_cards if card.efa_supported is not False]
    known = most is not None and (wanted == 0 or any(c.index == 0 for c in kind.network_cards))
    return known and wanted <= min(most, len(takers))


@settings(deadline=None, max_examples=300)
@given(kind=kinds(), layout=layouts, asked=st.none() | st.integers(min_value=0, max_value=20))
def test_any_card_table(kind, layout, asked):
    if not possible(kind, asked):
        with pytest.raises(EfaPlanError):
            plan_interfaces(kind, layout=layout, efa_interfaces=asked)
        return
    plan = plan_interfaces(kind, layout=layout, efa_interfaces=asked)
    table = {card.index: card for card in kind.network_cards}
    places = [(i.network_card_index, i.device_index) for i in plan]
    efa = [i for i in plan if i.is_efa]

    assert len(efa) == (kind.maximum_efa_interfaces if asked is None else asked)
    assert places[0] == (0, 0)
    assert plan[0].interface_type != "efa-only"
    assert len(set(places)) == len(places)
    assert places == sorted(places)
    efa_cards = [i.network_card_index for i in efa]
    assert len(set(efa_cards)) == len(efa_cards)
    assert all(table[card].efa_supported is not False for card in efa_cards)
    if efa:
        assert all(device < table[card].maximum_network_interfaces for card, device in places)
    shuffled = dataclasses.replace(kind, network_cards=tuple(reversed(kind.network_cards)))
    assert plan_interfaces(shuffled, layout=layout, efa_interfaces=asked) == plan


@settings(deadline=None, max_examples=100)
@given(name=st.sampled_from(instance_type_names()), layout=layouts, data=st.data())
def test_fewer_interfaces_are_the_beginning_of_more(name, layout, data):
    kind = instance_type(name)
    most = kind.maximum_efa_interfaces
    more = data.draw(st.integers(min_value=min(1, most), max_value=most))
    fewer = data.draw(st.integers(min_value=min(1, most), max_value=more))
    plan = plan_interfaces(kind, layout=layout, efa_interfaces=more)
    part = plan_interfaces(kind, layout=layout, efa_interfaces=fewer)
    assert part == plan[: len(part)]
