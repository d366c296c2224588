"""What check service-linked-roles is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations import Situation


def role(told, region):
    """Whatever role is asked for, as a service-linked one."""
    path, name = "/aws-service-role/x.amazonaws.com/", told["RoleName"]
    return {
        "Role": {
            "Path": path,
            "RoleName": name,
            "RoleId": "AROAEXAMPLEEXAMPLEEX",
            "Arn": f"arn:aws:iam::{ACCOUNT}:role{path}{name}",
            "CreateDate": "2026-01-01T00:00:00Z",
        }
    }


SITUATION = Situation(
    empty=("ok", "role AWSServiceRoleForAutoScaling does not exist yet, and is made with"),
    cluster=make_cluster({"capacity": {"type": "spot"}}),
    empty_cluster=make_cluster(),
    well={"GetRole": role},
    nothing={"GetRole": Refusal("NoSuchEntity", status=404)},
)
