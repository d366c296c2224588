"""Roles, instance profiles and policies, as IAM tells them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document, named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags


class Role:
    """``AWS::IAM::Role`` by GetRole and the lists of its policies."""

    name = "AWS::IAM::Role"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its trust, its policies and its tags.

        Other resources put policies on a role too; of those that are there, it tells the inline
        ones that the template names in the role, and the managed ones that are AWS's or named.
        """
        iam = clients("iam")
        answer = unless_gone(lambda: iam.get_role(RoleName=physical_id))
        if answer is None:
            return None
        role = answer["Role"]
        names = ("RoleName", "Path", "Description", "MaxSessionDuration")
        told = all_named(role, {name: name for name in names})
        told["AssumeRolePolicyDocument"] = document(role["AssumeRolePolicyDocument"])
        boundary = role.get("PermissionsBoundary", {})
        told["PermissionsBoundary"] = boundary.get("PermissionsBoundaryArn")
        attached = _pages(iam, "list_attached_role_policies", "AttachedPolicies", physical_id)
        arns = [policy["PolicyArn"] for policy in attached]
        wanted = properties.get("ManagedPolicyArns") or ()
        told["ManagedPolicyArns"] = [a for a in arns if ":iam::aws:" in a or a in wanted]
        inline = _pages(iam, "list_role_policies", "PolicyNames", physical_id)
        given = {policy.get("PolicyName") for policy in properties.get("Policies") or ()}
        told["Policies"] = [
            {"PolicyName": policy, "PolicyDocument": _inline(iam, "role", physical_id, policy)}
            for policy in inline
            if policy in given
        ]
        return told | {"Tags": own_tags(_pages(iam, "list_role_tags", "Tags", physical_id))}


class InstanceProfile:
    """``AWS::IAM::InstanceProfile`` by GetInstanceProfile."""

    name = "AWS::IAM::InstanceProfile"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its role and its path."""
        iam = clients("iam")
        answer = unless_gone(lambda: iam.get_instance_profile(InstanceProfileName=physical_id))
        if answer is None:
            return None
        profile = answer["InstanceProfile"]
        told = named(profile, {name: name for name in ("InstanceProfileName", "Path")})
        return told | {"Roles": [role["RoleName"] for role in profile["Roles"]]}


class InlinePolicy:
    """``AWS::IAM::Policy`` by GetRolePolicy, GetUserPolicy and GetGroupPolicy."""

    name = "AWS::IAM::Policy"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Who has it, and the document that each of them has."""
        iam = clients("iam")
        policy = properties["PolicyName"]
        told: dict[str, Any] = {}
        documents: list[Any] = []
        for kind in ("Role", "User", "Group"):
            holders: list[str] = []
            for holder in properties.get(f"{kind}s") or ():
                found = _inline(iam, kind.lower(), holder, policy)
                if found is not None:
                    holders.append(holder)
                    documents.append(found)
            if holders:
                told[f"{kind}s"] = holders
        if not documents:
            return None
        same = all(found == documents[0] for found in documents)
        return told | {
            "PolicyName": policy,
            "PolicyDocument": documents[0] if same else documents,
        }


class ManagedPolicy:
    """``AWS::IAM::ManagedPolicy`` by GetPolicy and GetPolicyVersion."""

    name = "AWS::IAM::ManagedPolicy"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its document, and those of the template's roles, users and groups that have it."""
        iam = clients("iam")
        answer = unless_gone(lambda: iam.get_policy(PolicyArn=physical_id))
        if answer is None:
            return None
        policy = answer["Policy"]
        version = iam.get_policy_version(
            PolicyArn=physical_id, VersionId=policy["DefaultVersionId"]
        )["PolicyVersion"]
        told = named(policy, {n: n for n in ("Description", "Path")})
        told["ManagedPolicyName"] = policy["PolicyName"]
        told["PolicyDocument"] = document(version["Document"])
        entities: dict[str, Any] = iam.list_entities_for_policy(PolicyArn=physical_id)
        for kind in ("Role", "User", "Group"):
            # A role may name the policy itself; only the policy's own list is the template's.
            holders = {holder[f"{kind}Name"] for holder in entities.get(f"Policy{kind}s", ())}
            given = properties.get(f"{kind}s")
            if given is not None:
                told[f"{kind}s"] = [holder for holder in given if holder in holders]
        return told


def _inline(iam: Any, kind: str, holder: str, policy: str) -> Any:
    get: Callable[..., Any] = getattr(iam, f"get_{kind}_policy")
    whose = {f"{kind.capitalize()}Name": holder}
    answer = unless_gone(lambda: get(**whose, PolicyName=policy))
    return None if answer is None else document(answer["PolicyDocument"])


def _pages(iam: Any, operation: str, member: str, role: str) -> list[Any]:
    pages = iam.get_paginator(operation).paginate(RoleName=role)
    return [item for page in pages for item in page[member]]


READERS = (Role(), InstanceProfile(), InlinePolicy(), ManagedPolicy())
