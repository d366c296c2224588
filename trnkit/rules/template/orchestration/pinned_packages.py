"""TRN597: user data does not put an older Neuron driver or runtime on its node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog.neuron_sdk import driver_needs_runtime, runtime_needs_driver, version_key
from trnkit.findings import Severity
from trnkit.rules.judging.host_drivers import driver_of_image, may_be_older
from trnkit.rules.reading.neuron_hosts import neuron_hosts
from trnkit.rules.reading.neuron_packages import DRIVER, RUNTIME, pinned_packages
from trnkit.rules.reading.user_data import user_data_parts, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.rules.judging.neuron_skew import HostDriver
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for host in neuron_hosts(stack_set):
        data = host.user_data
        text = user_data_text(data) if data is not None else None
        if data is None or text is None:
            continue
        scripts = "\n".join(part.text for part in user_data_parts(data) if part.is_run)
        pinned, driver = pinned_packages(scripts), driver_of_image(host)
        fault = _apart(pinned) or _older_driver(pinned, driver)
        if fault is None and DRIVER not in text:
            fault = _old_runtime(pinned, driver)
        if fault is None:
            continue
        what, hint, is_of_the_image = fault
        yield Violation(
            message=f"{data.resource.logical_id}: user data installs {what}",
            hint=hint,
            resource=data.resource,
            path=data.path,
            severity=Severity.INFO if is_of_the_image and may_be_older(host, driver) else None,
            evidence=f"catalogue, releases of the Neuron SDK ({driver_needs_runtime()[0].date})",
        )


_Fault = tuple[str, str, bool]
_ONE_RELEASE = "install what one release of the SDK has, or leave the image's packages alone"
_LEAVE_IT = "leave the image's packages alone, or boot an image of the SDK that you want"


def _apart(pinned: Mapping[str, str]) -> _Fault | None:
    """A driver and a runtime that do not work together, both from the script."""
    driver, runtime = pinned.get(DRIVER), pinned.get(RUNTIME)
    if driver is None or runtime is None:
        return None
    both = f"{DRIVER} {driver} and {RUNTIME} {runtime}"
    for skew in driver_needs_runtime():
        if _is_before(runtime, skew.runtime) and not _is_before(driver, skew.driver):
            needs = f"from {skew.driver} the driver needs runtime {skew.runtime} or newer"
            return f"{both}: {needs}", _ONE_RELEASE, False
    for skew in runtime_needs_driver():
        if _is_part_of(runtime, skew.runtime) and _is_before(driver, skew.driver):
            needs = f"runtime {skew.runtime} needs driver {skew.driver} or newer"
            return f"{both}: {needs}", _ONE_RELEASE, False
    return None


def _older_driver(pinned: Mapping[str, str], image: HostDriver | None) -> _Fault | None:
    driver = pinned.get(DRIVER)
    if driver is None or image is None or image.least is None:
        return None
    if not _is_before(driver, image.least):
        return None
    what = f"{DRIVER} {driver} in place of {image.least} or newer, which {image.image} has"
    return what, _LEAVE_IT, True


def _old_runtime(pinned: Mapping[str, str], image: HostDriver | None) -> _Fault | None:
    """A runtime that the driver of the image does not take."""
    runtime = pinned.get(RUNTIME)
    if runtime is None or image is None or image.least is None:
        return None
    for skew in driver_needs_runtime():
        if _is_before(runtime, skew.runtime) and not _is_before(image.least, skew.driver):
            what = (
                f"{RUNTIME} {runtime} on {image.image}, whose driver is {image.least} or newer: "
                f"from {skew.driver} the driver needs runtime {skew.runtime} or newer"
            )
            return what, _LEAVE_IT, True
    return None


def _is_before(version: str, other: str) -> bool:
    """Whether it is older, as far as both are written: 2.31 is not before 2.31.7."""
    ours, theirs = version_key(version), version_key(other)
    length = min(len(ours), len(theirs))
    return ours[:length] < theirs[:length]


def _is_part_of(version: str, release: str) -> bool:
    wanted = version_key(release)
    return version_key(version)[: len(wanted)] == wanted


_EXAMPLE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: resolve:ssm:/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id
        UserData:
          Fn::Base64: |
            #!/bin/bash
            apt-get install -y --allow-downgrades %s
"""

RULE = TemplateRule(
    id="TRN597",
    title="user data puts no older Neuron driver or runtime on its node",
    severity=Severity.WARNING,
    why="A script that was written for an older SDK takes the image's driver back, or stops where "
    "apt refuses to. Jobs whose runtime is newer then find no device, or compute nothing.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/components/runtime.html",
    good=_EXAMPLE % "aws-neuronx-tools",
    bad=_EXAMPLE % "aws-neuronx-dkms=2.21.37.0",
    check=_check,
)
