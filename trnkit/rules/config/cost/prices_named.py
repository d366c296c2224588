"""TRN446: what a file of prices names exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.prices_file import PricesFile
    from trnkit.config.yaml_reader import Path

_KEY = ("budget", "prices_file")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    file = cluster.budget.prices
    for path, told, hint in _objections(file) if file else ():
        yield Violation(
            message=f"{format_path(_KEY)}: {format_path(path)} {told}", hint=hint, path=_KEY
        )


def _objections(file: PricesFile) -> Iterator[tuple[Path, str, str]]:
    """Of what people write: what a refresh wrote has AWS's own names."""
    from trnkit.catalog import region_names
    from trnkit.findings import nearest
    from trnkit.rules.judging.instance_names import judge_priced_name
    from trnkit.rules.judging.region_shape import is_region_shaped
    from trnkit.rules.judging.wording import did_you_mean

    for path, name in _types(file):
        objection = judge_priced_name(name)
        if objection is not None:
            yield path, objection.text, objection.hint
    for path, region in _regions(file):
        # What has the shape of a Region may be newer than the catalogue.
        if not is_region_shaped(region):
            close = nearest(region, region_names())
            yield (
                path,
                f"is {region}, and no Region has such a name",
                did_you_mean(close, "write it as AWS has it"),
            )


def _types(file: PricesFile) -> Iterator[tuple[Path, str]]:
    for index, entry in enumerate(file.prices):
        if entry.instance_type is not None:
            yield ("prices", index, "instance_type"), entry.instance_type
    for index, subject in enumerate(file.discount.not_on if file.discount else ()):
        if "." in subject:
            yield ("discount", "not_on", index), subject


def _regions(file: PricesFile) -> Iterator[tuple[Path, str]]:
    if file.region is not None:
        yield ("region",), file.region
    for index, entry in enumerate(file.prices):
        if entry.region is not None:
            yield ("prices", index, "region"), entry.region


RULE = ConfigRule(
    id="TRN446",
    title="what a file of prices names exists",
    severity=Severity.WARNING,
    why="A price under a misspelt name counts for nothing, and a type that a discount should leave "
    "alone gets it.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html",
    good="budget: {prices_file: examples/prices/agreement.yaml}\n",
    bad="budget: {prices_file: tests/trnkit/rules/prices/misspelt.yaml}\n",
    check=_check,
)
