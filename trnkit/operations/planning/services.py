"""Whether a Region has the services that a file needs, as AWS publishes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.ssm import GET_PARAMETER, SsmGateway

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.aws.session import AwsSession
    from trnkit.operations.planning.market import Told
    from trnkit.operations.planning.questions import Pending, Questions

# The parameters exist in some Regions only; these have them for all. One is enough; an organization
# that keeps its accounts out of some Regions may refuse the first ones.
# https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-global-infrastructure.html
_ASKED_IN = ("us-east-1", "us-east-2", "us-west-2", "eu-west-1")


def ask_services(
    questions: Questions, session: AwsSession, region: str, services: Sequence[str]
) -> dict[str, Pending[bool]]:
    """Ask for each service, all at once.

    Args:
        questions: Through which AWS is asked.
        session: Who asks.
        region: The Region that is meant.
        services: Names of services.
    """
    return {
        service: questions.ask(
            GET_PARAMETER,
            _ASKED_IN[0],
            lambda service=service: _has_service(session, region, service),
            about=f"{service} of {region}",
        )
        for service in dict.fromkeys(services)
    }


def _has_service(session: AwsSession, region: str, service: str) -> bool:
    """Whether a Region has a service, by the first Region that is let say so.

    Raises:
        AwsFailure: The first one gave no answer, or the organization lets none.
    """
    refused: list[AwsFailure] = []
    for asked_in in _ASKED_IN:
        try:
            return SsmGateway(session, asked_in).has_service(region, service)
        except AwsFailure as failure:
            if failure.kind is not FailureKind.DENIED_BY_ORGANIZATION:
                raise (refused or [failure])[0] from None
            refused.append(failure)
    raise refused[0]


def told_services(asked: Mapping[str, Pending[bool]]) -> Told[Mapping[str, bool]]:
    """All answers, or the first failure: a part is no answer."""
    found: dict[str, bool] = {}
    for service, pending in asked.items():
        told = pending.told()
        if isinstance(told, AwsFailure):
            return told
        found[service] = told
    return found
