"""Repositories of container images, as ECR tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import document, named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags


class Repository:
    """``AWS::ECR::Repository`` by DescribeRepositories and its two policies."""

    name = "AWS::ECR::Repository"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its settings, policies and tags."""
        ecr = clients("ecr")
        answer = unless_gone(lambda: ecr.describe_repositories(repositoryNames=[physical_id]))
        if answer is None or not answer["repositories"]:
            return None
        repository = answer["repositories"][0]
        told = named(
            repository,
            {"repositoryName": "RepositoryName", "imageTagMutability": "ImageTagMutability"},
        )
        scanning = repository.get("imageScanningConfiguration", {})
        told["ImageScanningConfiguration"] = named(scanning, {"scanOnPush": "ScanOnPush"})
        encryption = repository.get("encryptionConfiguration", {})
        told["EncryptionConfiguration"] = named(
            encryption, {"encryptionType": "EncryptionType", "kmsKey": "KmsKey"}
        )
        policy = unless_gone(lambda: ecr.get_repository_policy(repositoryName=physical_id))
        told["RepositoryPolicyText"] = document(policy["policyText"]) if policy else None
        lifecycle = unless_gone(lambda: ecr.get_lifecycle_policy(repositoryName=physical_id))
        text = lifecycle["lifecyclePolicyText"] if lifecycle else None
        told["LifecyclePolicy"] = {"LifecyclePolicyText": text} if text else None
        tags = ecr.list_tags_for_resource(resourceArn=repository["repositoryArn"])["tags"]
        return told | {"Tags": own_tags(tags)}


READERS = (Repository(),)
