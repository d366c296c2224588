"""Parameters and images as AWS publishes them, put into moto, which has neither."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import boto3

ACCOUNT = "123456789012"
BASE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
TOLD = (
    "Supported EC2 instances: Inf2, Trn1, Trn1n, Trn2, Trn3. Neuron SDK 2.32.0. Release notes: "
    "https://docs.aws.amazon.com/dlami/latest/devguide/appendix-ami-release-notes.html"
)


class Published:
    """What AWS has put where everybody may read it."""

    def image(self, region="us-east-2", *, name="Base (Ubuntu 24.04) 20260818", description=TOLD):
        """Make an image; returns its id."""
        from moto.ec2.models import ec2_backends

        client = boto3.client("ec2", region_name=region)
        image_id = client.register_image(Name=name)["ImageId"]
        image = ec2_backends[ACCOUNT][region].amis[image_id]
        image.description, image.architecture = description, "x86_64"
        image.creation_date = datetime(2026, 8, 18, 12, tzinfo=UTC)
        return image_id

    def parameter(self, value, name=BASE, region="us-east-2"):
        """Set a parameter, below /aws/ too, where moto lets nobody write."""
        from moto.ssm.models import Parameter, ssm_backends

        held = ssm_backends[ACCOUNT][region]._parameters[name]
        held.append(
            Parameter(
                account_id=ACCOUNT,
                name=name,
                value=value,
                parameter_type="String",
                description=None,
                allowed_pattern=None,
                keyid=None,
                last_modified_date=datetime(2026, 8, 21, tzinfo=UTC),
                version=len(held) + 1,
                data_type="text",
            )
        )


@contextlib.contextmanager
def published():
    """An AWS of this process."""
    from moto import mock_aws

    with mock_aws():
        yield Published()
