"""What AWS says of images, as entries of a lock: only what can be read without guessing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from trnkit.config.image_lock import LockedImage
from trnkit.config.yaml_reader import clipped
from trnkit.errors import TrnkitError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from trnkit.aws.ec2 import ImageDescription
    from trnkit.aws.ssm import ParameterValue

_AMI = re.compile(r"ami-([0-9a-f]{8}|[0-9a-f]{17})")
_SDK = re.compile(r"Neuron SDK[^0-9\n]{0,20}([0-9]+(?:\.[0-9]+){1,3})", re.IGNORECASE)
# The list must end as a list does: what goes on in words may be read wrongly.
_FAMILIES = re.compile(
    r"Supported (?:EC2 )?instances?: *([A-Za-z]+[0-9][A-Za-z0-9-]*"
    r"(?:(?:, *and +|, *| +and +)[A-Za-z]+[0-9][A-Za-z0-9-]*)*) *(?:[.;|\n]|$)",
    re.IGNORECASE,
)


class DescribesImages(Protocol):
    """EC2, as far as it is needed here."""

    def images(self, image_ids: Sequence[str]) -> dict[str, ImageDescription]:
        """Describe images; one that does not exist is left out."""
        ...


class ImageValueError(TrnkitError):
    """A parameter holds something that is no id of an image."""


def locked_from(
    values: Sequence[ParameterValue], ec2: DescribesImages, *, region: str, today: date
) -> list[LockedImage]:
    """What parameters hold, with what EC2 says of it.

    Args:
        values: The parameters.
        ec2: Where to ask about the images.
        region: The Region of both.
        today: The day the parameters were asked.

    Raises:
        ImageValueError: One of them holds no id of an image.
        AwsError: EC2 gave no answer, or has no such image.
    """
    ids = {value.name: _image_id(value, region) for value in values}
    described = ec2.images(sorted(set(ids.values())))
    return [
        _locked(
            _facts(described.get(image_id)),
            ssm_parameter=name,
            region=region,
            ami_id=image_id,
            resolved=today.isoformat(),
        )
        for name, image_id in ids.items()
    ]


def _image_id(value: ParameterValue, region: str) -> str:
    if _AMI.fullmatch(value.value) is None:
        raise ImageValueError(
            f"the parameter {value.name} in {region} holds {clipped(value.value)!r}, which is no "
            "id of an image; name one that holds an id alone, as those that end in image_id do"
        )
    return value.value


def _facts(image: ImageDescription | None) -> dict[str, Any]:
    if image is None:
        return {}
    told = image.description or ""
    sdk, families = _SDK.search(told), _FAMILIES.search(told)
    return {
        "name": image.name,
        "created": (image.creation_date or "")[:10],
        "neuron_sdk": sdk[1] if sdk else None,
        "instance_families": _each_once(families[1]) if families else None,
        "architecture": image.architecture,
        "root_device_name": image.root_device_name,
        "root_volume_size_gib": image.root_volume_size_gib,
    }


def _each_once(families: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.split(r"(?:, *and +|, *| +and +)", families)))


def _locked(facts: dict[str, Any], **needed: str) -> LockedImage:
    """An entry; a fact in a form that a lock does not know is left out, like one not told."""
    try:
        return LockedImage.model_validate(facts | needed)
    except ValidationError as error:
        strange = {detail["loc"][0] for detail in error.errors()}
        return LockedImage.model_validate(
            {key: value for key, value in facts.items() if key not in strange} | needed
        )
