"""Whether a Region has the services that a file needs, as AWS publishes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.aws.ssm import GET_PARAMETER, SsmGateway

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.aws.session import AwsSession
    from trnkit.operations.planning.market import Told
    from trnkit.operations.planning.questions import Pending, Questions

# The parameters exist in some Regions only; this one has them for all.
_ASKED_IN = "us-east-1"


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
    gateway = SsmGateway(session, _ASKED_IN)
    return {
        service: questions.ask(
            GET_PARAMETER,
            _ASKED_IN,
            lambda service=service: gateway.has_service(region, service),
            about=f"{service} of {region}",
        )
        for service in dict.fromkeys(services)
    }


def told_services(asked: Mapping[str, Pending[bool]]) -> Told[Mapping[str, bool]]:
    """All answers, or the first failure: a part is no answer."""
    found: dict[str, bool] = {}
    for service, pending in asked.items():
        told = pending.told()
        if isinstance(told, AwsFailure):
            return told
        found[service] = told
    return found
