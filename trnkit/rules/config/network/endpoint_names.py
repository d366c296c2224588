"""TRN116: interface endpoints are named as AWS names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import endpoint_services, find_endpoint_service
from trnkit.findings import Severity, nearest
from trnkit.layout.endpoints import GATEWAY_SERVICE
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_SERVICE = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)*")
_GATEWAYS = (GATEWAY_SERVICE, "dynamodb")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, name in enumerate(cluster.network.interface_endpoints):
        path = ("network", "interface_endpoints", index)
        place = f"network.interface_endpoints[{index}] is {name}"
        if name in _GATEWAYS:
            yield Violation(
                message=f"{place}, for which a gateway endpoint is free",
                hint="remove it; the S3 gateway endpoint is made without asking"
                if name == GATEWAY_SERVICE
                else "remove it, and add a gateway endpoint of your own",
                path=path,
                severity=Severity.WARNING,
            )
        elif _SERVICE.fullmatch(name) is None or name.startswith("com.amazonaws."):
            yield Violation(
                message=f"{place}, which is not the last part of an endpoint's name",
                hint=f"write {name.split('.', 3)[3]}"
                if re.fullmatch(r"com\.amazonaws\.[a-z0-9-]+\.[a-z0-9.-]+", name)
                else "write what follows com.amazonaws. and the region, like ecr.api",
                path=path,
            )
        elif find_endpoint_service(name) is None:
            close = nearest(name, [entry.service for entry in endpoint_services()])
            yield Violation(
                message=f"{place}, a service that the catalogue does not list",
                hint=did_you_mean(close, "see that the region has an endpoint of this name"),
                path=path,
                severity=Severity.WARNING,
            )


RULE = ConfigRule(
    id="TRN116",
    title="interface endpoints are named by the last part of their service's name",
    severity=Severity.ERROR,
    why="An endpoint for a name that AWS does not know fails at deployment. The list may be older "
    "than the service, so an unknown name is a warning.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html",
    good="network: {interface_endpoints: [ecr.api, ecr.dkr, secretsmanager]}\n",
    bad="network: {interface_endpoints: [com.amazonaws.us-east-2.ecr.api]}\n",
    check=_check,
)
