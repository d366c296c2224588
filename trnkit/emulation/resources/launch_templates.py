"""Launch templates."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.ec2_calls import retag
from trnkit.emulation.resources.launch_calls import (
    tag_specifications,
    tags_of,
    without_nothing,
)
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties

_GONE = ("InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateName.NotFound")
_KIND = "launch-template"


class LaunchTemplate:
    """``AWS::EC2::LaunchTemplate`` by CreateLaunchTemplate; a change is a new version.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-launchtemplate.html
    """

    name = "AWS::EC2::LaunchTemplate"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it with its first version."""
        ec2 = place.clients("ec2")
        tags = tags_of(properties.get("TagSpecifications"), _KIND)
        members = {
            "LaunchTemplateName": properties.get("LaunchTemplateName") or place.name(125),
            "LaunchTemplateData": properties["LaunchTemplateData"],
            "VersionDescription": properties.get("VersionDescription"),
            "TagSpecifications": tag_specifications(_KIND, tags),
        }
        answer = ec2.create_launch_template(**request_of(ec2, "CreateLaunchTemplate", members))
        return _made(answer["LaunchTemplate"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Add a version; the default version stays, as CloudFormation leaves it."""
        ec2 = place.clients("ec2")
        changed = ("LaunchTemplateData", "VersionDescription")
        if any(old.get(name) != new.get(name) for name in changed):
            members = {
                "LaunchTemplateId": made.physical_id,
                **{name: new.get(name) for name in changed},
            }
            ec2.create_launch_template_version(
                **request_of(ec2, "CreateLaunchTemplateVersion", members)
            )
        old_tags, new_tags = (tags_of(p.get("TagSpecifications"), _KIND) for p in (old, new))
        if old_tags != new_tags:
            retag(place, made.physical_id, old_tags, new_tags)
        (told,) = ec2.describe_launch_templates(LaunchTemplateIds=[made.physical_id])[
            "LaunchTemplates"
        ]
        return _made(told)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it with all versions."""
        ec2 = place.clients("ec2")
        unless_gone(lambda: ec2.delete_launch_template(LaunchTemplateId=physical_id), *_GONE)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """The data of the latest version, by DescribeLaunchTemplateVersions."""
        ec2 = clients("ec2")
        answer = unless_gone(
            lambda: ec2.describe_launch_template_versions(
                LaunchTemplateId=physical_id, Versions=["$Latest"]
            ),
            *_GONE,
        )
        if not answer:
            return None
        (version,) = answer["LaunchTemplateVersions"]
        (template,) = ec2.describe_launch_templates(LaunchTemplateIds=[physical_id])[
            "LaunchTemplates"
        ]
        return without_nothing(
            {
                "LaunchTemplateName": template["LaunchTemplateName"],
                "LaunchTemplateData": version["LaunchTemplateData"],
                "VersionDescription": version.get("VersionDescription"),
                "TagSpecifications": tag_specifications(_KIND, template.get("Tags")),
            }
        )


def _made(template: dict[str, Any]) -> Made:
    return Made(
        template["LaunchTemplateId"],
        {
            "LaunchTemplateId": template["LaunchTemplateId"],
            "LatestVersionNumber": str(template["LatestVersionNumber"]),
            "DefaultVersionNumber": str(template["DefaultVersionNumber"]),
        },
    )


TYPES = (LaunchTemplate(),)
