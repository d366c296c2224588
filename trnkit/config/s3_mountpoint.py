"""`storage.s3_mountpoints[]`: S3 buckets that the nodes mount with Mountpoint for Amazon S3."""

from __future__ import annotations

from trnkit.config.storage_values import KmsKeyArn, MountedPrefix
from trnkit.config.values import Bool, MountPath, Section, Text, setting


class S3MountpointConfig(Section):
    """A bucket that exists already, or a part of it, mounted with Mountpoint for Amazon S3.

    Good for reading large objects, and for new files that are written from beginning to end. Not
    for checkpoints that are renamed, appended to or written over: those belong on Lustre. What is
    there already can be neither changed nor deleted through a mount. A cache on the node is not
    offered.
    """

    bucket_name: Text = setting(
        change="new nodes only",
        example="our-corpus",
        description="Name of a general purpose bucket in the cluster's region, also of another "
        "account whose bucket policy lets the nodes in. The nodes' role gets what it needs for "
        "this bucket.",
    )
    prefix: MountedPrefix | None = setting(
        None,
        change="new nodes only",
        example="tokenized/v2/",
        description="Part of the bucket to mount; the nodes see nothing beside it. Left out: all "
        "of it.",
    )
    mount_path: MountPath = setting(
        change="new nodes only", example="/data/corpus", description="Where the nodes mount it."
    )
    read_only: Bool = setting(
        True,
        change="new nodes only",
        description="false: every user of a node can add new files, too.",
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        example="arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        description="Key that the bucket's objects are encrypted with (SSE-KMS), for the nodes' "
        "role; the key's own policy must admit it, too. Left out: S3's own keys.",
    )
