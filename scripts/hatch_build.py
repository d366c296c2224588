# pyright: basic
"""What hatchling does for a wheel beyond copying the packages."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CdkAppHook(BuildHookInterface):
    """Puts the CDK app and the examples into a wheel.

    An editable installation finds them in the checkout.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files unless the build is an editable one."""
        if version == "standard":
            for name in ("app.py", "cdk.json"):
                build_data["force_include"][name] = f"trnkit/_cdk_app/{name}"
            build_data["force_include"]["examples"] = "trnkit/_examples"
