"""Launch templates: what moto's answers mix up or leave unchecked.

moto puts the tags of the template itself among those of its instances, keeps the user data of later
versions in another type than that of the first, and shows the template's tags as they were when it
was made.
"""

from __future__ import annotations

import base64
import binascii
import copy
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.services.ec2.refusing import missing, refuse, tags_for

USER_DATA_BYTES = 16 * 1024
"""Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html"""


def checked_user_data(
    encoded: str | bytes | None, code: str = "InvalidUserData.Malformed"
) -> bytes:
    """What user data decodes to.

    Args:
        encoded: The user data in Base64.
        code: The error's code when it is too long, which differs between operations.

    Raises:
        EC2ClientError: It is not Base64, or too long.
    """
    if not encoded:
        return b""
    raw = encoded.encode() if isinstance(encoded, str) else encoded
    try:
        decoded = base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        refuse("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
    if len(decoded) > USER_DATA_BYTES:
        refuse(code, f"User data is limited to {USER_DATA_BYTES} bytes")
    return decoded


def checked_data(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The data of a template's version as moto keeps it.

    EC2 does not fully validate a template when it is made; what it refuses even then is user data.
    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html
    """
    from moto.ec2.utils import parse_user_data

    if not data:
        missing("LaunchTemplateData")
    kept = copy.deepcopy(dict(data))
    user_data = kept.pop("UserData", None)
    checked_user_data(str(user_data) if user_data else None)
    if user_data:
        kept["UserData"] = parse_user_data(user_data)
    return kept


def find(backend: Any, template_id: str | None, name: str | None) -> Any:
    """Moto's launch template by id or by name.

    Raises:
        EC2ClientError: There is no such template, or none is named.
    """
    if template_id and name:
        refuse(
            "InvalidParameterCombination",
            "You can specify either a launch template ID or a launch template name, not both.",
        )
    if template_id:
        return backend.get_launch_template(template_id)
    if name:
        return backend.get_launch_template_by_name(name)
    missing("launchTemplateId or launchTemplateName")


def version_of(backend: Any, specification: Mapping[str, Any]) -> Any:
    """The version that a launch names.

    Raises:
        EC2ClientError: There is no such template or version.
    """
    template = find(
        backend, specification.get("LaunchTemplateId"), specification.get("LaunchTemplateName")
    )
    wanted = str(specification.get("Version") or "$Default")
    if wanted.startswith("$") or wanted.isdigit():
        numbers = {"$Latest": template.latest_version_number}
        numbers["$Default"] = template.default_version_number
        number = numbers.get(wanted) or (int(wanted) if wanted.isdigit() else 0)
        if 1 <= number <= len(template.versions):
            return template.versions[number - 1]
    refuse(
        "InvalidLaunchTemplateId.VersionNotFound",
        f"Could not find the specified version {wanted} for the launch template with ID "
        f"{template.id}.",
    )


def _told(self: Any, template: Any) -> dict[str, Any]:
    return {
        "CreateTime": template.create_time,
        "CreatedBy": f"arn:{self.partition}:iam::{self.current_account}:root",
        "DefaultVersionNumber": template.default_version_number,
        "LatestVersionNumber": template.latest_version_number,
        "LaunchTemplateId": template.id,
        "LaunchTemplateName": template.name,
        "Tags": template.get_tags(),
    }


def _create(self: Any) -> Any:
    from moto.core.responses import ActionResult

    data = checked_data(self.params.get("LaunchTemplateData"))
    name = self.params.get("LaunchTemplateName") or missing("launchTemplateName")
    tags = tags_for(self.params.get("TagSpecifications"), "launch-template")
    self.error_on_dryrun()
    template = self.ec2_backend.create_launch_template(
        name, self.params.get("VersionDescription"), data, {"launch-template": tags}
    )
    return ActionResult({"LaunchTemplate": _told(self, template)})


def _create_version(self: Any) -> Any:
    """A version; the data of a source version stays where the request says nothing.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplateVersion.html
    """
    from moto.core.responses import ActionResult

    params: Mapping[str, Any] = self.params
    template_id, name = params.get("LaunchTemplateId"), params.get("LaunchTemplateName")
    template = find(self.ec2_backend, template_id, name)
    data = checked_data(params.get("LaunchTemplateData"))
    if source := params.get("SourceVersion"):
        named = {"LaunchTemplateId": template.id, "Version": source}
        data = {**copy.deepcopy(version_of(self.ec2_backend, named).data), **data}
    self.error_on_dryrun()
    version = template.create_version(data, params.get("VersionDescription"))
    told = {
        "CreateTime": version.create_time,
        "CreatedBy": f"arn:{self.partition}:iam::{self.current_account}:root",
        "DefaultVersion": template.is_default(version),
        "LaunchTemplateData": version.data,
        "LaunchTemplateId": template.id,
        "LaunchTemplateName": template.name,
        "VersionDescription": version.description,
        "VersionNumber": version.number,
    }
    return ActionResult({"LaunchTemplateVersion": told})


def install() -> None:
    """Put moto's answers right."""
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.responses import EC2Response

    response: Any = EC2Response
    template: Any = LaunchTemplate
    response.create_launch_template = _create
    response.create_launch_template_version = _create_version
    # Set once by moto, read by every Describe call: the tags of now instead.
    template.tags = property(lambda self: self.get_tags(), lambda self, value: None)
