"""Where MiniStack's ``AWS::Lambda::Function`` does something else than AWS's, put right.

Its Lambda keeps and tells where calls that failed go; only the way from the template to it loses
that.
"""

from __future__ import annotations

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties
from trnkit.emulation.server.handler_changes import then

_DEAD_LETTERS = "DeadLetterConfig"


def install() -> None:
    """Repair it, once, before its first request."""
    handlers = module("ministack.services.cloudformation.provisioners")._RESOURCE_HANDLERS
    then(handlers["AWS::Lambda::Function"], _set_dead_letters)


def _set_dead_letters(physical_id: str, new: Properties, old: Properties) -> None:
    """Give to Lambda what MiniStack's type drops.

    Source: https://docs.aws.amazon.com/lambda/latest/api/API_DeadLetterConfig.html
    """
    config = module("ministack.services.lambda_svc")._functions[physical_id]["config"]
    if new.get(_DEAD_LETTERS):
        config[_DEAD_LETTERS] = dict(new[_DEAD_LETTERS])
    else:
        config.pop(_DEAD_LETTERS, None)
