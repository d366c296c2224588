"""The Neuron driver of the nodes in templates, as far as their image tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.judging.neuron_skew import (
    driver_of_eks_release,
    driver_of_parameter,
    newest_eks_driver,
)
from trnkit.rules.reading.neuron_hosts import NEWEST

if TYPE_CHECKING:
    from trnkit.rules.judging.neuron_skew import HostDriver
    from trnkit.rules.reading.neuron_hosts import NeuronHost


def driver_of_image(host: NeuronHost) -> HostDriver | None:
    """The driver that the image of nodes brings; None when not known."""
    if host.parameter is not None:
        if host.parameter.template_parameter:
            return None
        return driver_of_parameter(host.parameter.name, is_pinned=host.parameter.is_pinned)
    if host.eks_release == NEWEST:
        return newest_eks_driver()
    return driver_of_eks_release(host.eks_release) if host.eks_release else None


def may_be_older(host: NeuronHost, driver: HostDriver | None) -> bool:
    """Whether nodes keep what was the newest image when their stack or group was last deployed."""
    parameter = host.parameter
    is_deployed = parameter is not None and parameter.resolved_at == "deployment"
    return host.eks_release == NEWEST or (is_deployed and driver is not None and not driver.most)
