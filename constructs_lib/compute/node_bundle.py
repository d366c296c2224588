"""The files that make a node ready, published to S3 with the stack."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from aws_cdk import Arn, ArnComponents, IgnoreMode, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3_assets as s3_assets
from constructs import Construct

FOLDER = Path(__file__).parent / "assets" / "node"
_NOT_SHIPPED = ("__pycache__", "*.pyc", ".*")


class NodeBundle(Construct):
    """Boot scripts, node check and monitoring, as one asset that nodes fetch.

    Creates no resource; launch templates (`AWS::EC2::LaunchTemplate`) name it. The CDK publishes
    the files as a zip archive to the bootstrap bucket of the account and Region, before the stack
    is deployed. Its key is a digest of the files, so nodes of an older launch template find theirs
    for as long as the bucket keeps it (`cdk gc` may not), and a change of any file is a change of
    the launch template.

    The digest of all files goes with the node's user data: a node runs none before it has checked
    all.

    Source: https://docs.aws.amazon.com/cdk/v2/guide/assets.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeBoot, NodeBundle, NodeRole
        >>> stack = Stack(App(), "Compute")
        >>> bundle = NodeBundle(stack, "NodeBundle")
        >>> bundle.grant_read(NodeRole(stack, "NodeRole").role)
        >>> boot = NodeBoot(bundle=bundle)
    """

    region: str
    """Region of the bucket."""

    bucket_name: str
    """Name of the bucket."""

    object_key: str
    """Key of the archive in it."""

    digest: str
    """SHA-256 of the list of all files and their digests."""

    version: str
    """First 16 digits of the digest of all files: the folder on the node."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        """Stage the files.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
        """
        super().__init__(scope, construct_id)
        self.digest = digest = hashlib.sha256(f"{file_digests()}\n".encode()).hexdigest()
        asset = s3_assets.Asset(
            self,
            "Files",
            path=str(FOLDER),
            exclude=list(_NOT_SHIPPED),
            ignore_mode=IgnoreMode.GLOB,
            # The CDK's own digest takes in more than names and contents.
            asset_hash=digest,
        )
        self.region = Stack.of(self).region
        self.bucket_name = asset.s3_bucket_name
        self.object_key = asset.s3_object_key
        self.version = digest[:16]

    def grant_read(self, role: iam.IRole) -> None:
        """Let a role fetch this archive and nothing else of the bucket.

        A bootstrap bucket with a key of your own needs `kms:Decrypt` besides, which only its owner
        can give.

        Args:
            role: The nodes' role.
        """
        place = f"{self.bucket_name}/{self.object_key}"
        arn = Arn.format(
            ArnComponents(service="s3", region="", account="", resource=place), Stack.of(self)
        )
        role.add_to_principal_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[arn]))


@cache
def file_digests() -> str:
    """A line for each file: its SHA-256 digest, two spaces, its path; as `sha256sum -c` reads."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(FOLDER).as_posix()}"
        for path in _files(FOLDER)
    ]
    return "\n".join(sorted(lines, key=lambda line: line[66:]))


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if any(path.match(pattern) for pattern in _NOT_SHIPPED):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
