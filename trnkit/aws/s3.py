"""S3: where a bucket is, what its policy says, and what encrypts its new objects."""

from __future__ import annotations

from dataclasses import dataclass

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

HEAD_BUCKET = ReadOperation(
    service="s3",
    name="HeadBucket",
    permission="s3:ListBucket",
    purpose="that a bucket exists, and its Region",
)
GET_BUCKET_POLICY = ReadOperation(
    service="s3",
    name="GetBucketPolicy",
    permission="s3:GetBucketPolicy",
    purpose="whether a bucket's policy denies what the cluster does with it",
)
GET_BUCKET_ENCRYPTION = ReadOperation(
    service="s3",
    name="GetBucketEncryption",
    permission="s3:GetEncryptionConfiguration",
    purpose="the key that encrypts a bucket's new objects",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketHead:
    """What S3 says of a bucket to whoever may list it.

    Attributes:
        region: Where it is; None when S3 did not say.
    """

    region: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketEncryption:
    """What encrypts new objects by default.

    Attributes:
        algorithm: `AES256`, `aws:kms` or `aws:kms:dsse`.
        kms_key: Id or ARN of the key: not for messages; None for S3's own, and for the AWS
            managed key of S3 where nothing else is named.
        has_bucket_key: Whether KMS is asked for the bucket, and not for each object.
    """

    algorithm: str
    kms_key: str | None
    has_bucket_key: bool

    @property
    def is_kms(self) -> bool:
        """Whether KMS is asked for each object or bucket."""
        return self.algorithm.startswith("aws:kms")


class S3Gateway(Gateway):
    """Describes buckets; one of another Region is best asked about there."""

    service = "s3"
    operations = (HEAD_BUCKET, GET_BUCKET_POLICY, GET_BUCKET_ENCRYPTION)

    def head(self, name: str) -> BucketHead:
        """Whether a bucket exists, wherever it is.

        Args:
            name: The bucket's name.

        Raises:
            AwsFailure: AWS gave no answer, there is no such bucket, or the caller may not list it.
                The failure's `home` is the bucket's Region, where S3 told that all the same.
        """
        # The client follows S3 to the bucket's Region by itself.
        told = self._ask(HEAD_BUCKET, about=name, Bucket=name)
        return BucketHead(region=told.get("BucketRegion"))

    def policy(self, name: str) -> str | None:
        """The policy of a bucket of the caller's own account.

        Args:
            name: The bucket's name.

        Raises:
            AwsFailure: AWS gave no answer; with code `MethodNotAllowed`, the bucket is of another
                account, whose policies S3 tells nobody else.

        Returns:
            A JSON document; None when the bucket has no policy.
        """
        try:
            return self._ask(GET_BUCKET_POLICY, about=name, Bucket=name).get("Policy")
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND and failure.code == "NoSuchBucketPolicy":
                return None
            raise

    def encryption(self, name: str) -> BucketEncryption | None:
        """What encrypts the new objects of a bucket.

        Args:
            name: The bucket's name.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            None when S3 names no default.
        """
        answer = self._ask(GET_BUCKET_ENCRYPTION, about=name, Bucket=name)
        for rule in answer.get("ServerSideEncryptionConfiguration", {}).get("Rules", ()):
            default = rule.get("ApplyServerSideEncryptionByDefault")
            if default:
                return BucketEncryption(
                    algorithm=default["SSEAlgorithm"],
                    kms_key=default.get("KMSMasterKeyID"),
                    has_bucket_key=rule.get("BucketKeyEnabled", False),
                )
        return None
