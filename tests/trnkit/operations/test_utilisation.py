"""`--mfu`."""

from __future__ import annotations

import pytest

from trnkit.errors import UsageError
from trnkit.layout.cost.machines import ASSUMED_UTILISATION
from trnkit.operations.utilisation import read_utilisation

TYPES = ("trn2.48xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge")


def test_families_and_types_are_told_together_and_apart():
    told = read_utilisation(["trn2=0.35, p5=0.40", "p6-b200.48xlarge=1"], TYPES)
    assert told.default == ASSUMED_UTILISATION
    assert told.told == (("trn2", 0.35), ("p5", 0.4), ("p6-b200.48xlarge", 1.0))
    assert told.of("p5en.48xlarge") == ASSUMED_UTILISATION


def test_all_others_have_a_name():
    told = read_utilisation(["all=0.5,trn2=0.3"], TYPES)
    assert (told.of("p5.48xlarge"), told.of("trn2.48xlarge")) == (0.5, 0.3)


def test_nothing_told_is_the_same_for_all():
    assert read_utilisation([], TYPES).is_equal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p5n=0.4", "--mfu p5n is no kind that is compared: p5en, p5 are"),
        ("trn2", "--mfu 'trn2' is no kind and share"),
        ("=0.4", "--mfu '=0.4' is no kind and share"),
        ("", "--mfu '' is no kind and share"),
        ("trn2=0.4,", "--mfu '' is no kind and share"),
        ("trn2=0", "shares above 0 and up to 1"),
        ("trn2=40", "shares above 0 and up to 1"),
        ("trn2=-0.1", "shares above 0 and up to 1"),
        ("trn2=nan", "shares above 0 and up to 1"),
        ("trn2=inf", "shares above 0 and up to 1"),
        ("trn2=0.3=0.4", "is no kind and share"),
        ("trn2=0.3,trn2=0.4", "--mfu trn2 is told twice: keep one"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message):
    with pytest.raises(UsageError) as refused:
        read_utilisation([text], TYPES)
    assert message in str(refused.value)
