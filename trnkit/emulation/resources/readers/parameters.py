"""Parameters, as Systems Manager tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document
from trnkit.emulation.resources.resource import Clients, Proof, Properties


class Parameter:
    """``AWS::SSM::Parameter`` by GetParameter and DescribeParameters."""

    name = "AWS::SSM::Parameter"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its value and what is said of it."""
        ssm = clients("ssm")
        answer = unless_gone(lambda: ssm.get_parameter(Name=physical_id))
        if answer is None:
            return None
        names = ("Name", "Type", "Value", "DataType")
        told = all_named(answer["Parameter"], {name: name for name in names})
        chosen = [{"Key": "Name", "Option": "Equals", "Values": [physical_id]}]
        for said in ssm.describe_parameters(ParameterFilters=chosen)["Parameters"]:
            told |= all_named(said, {n: n for n in ("Description", "AllowedPattern", "Tier")})
            if said.get("Policies"):
                told["Policies"] = [document(policy["PolicyText"]) for policy in said["Policies"]]
        tags = ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId=physical_id)
        listed = tags.get("TagList", ())
        own = {tag["Key"]: tag["Value"] for tag in listed if not tag["Key"].startswith("aws:")}
        return told | {"Tags": own}


READERS = (Parameter(),)
