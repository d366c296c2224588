"""Lambda: runs one function, once, and hands back what it answers."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError

from trnkit.aws.change_operation import ChangeOperation
from trnkit.aws.gateway import Gateway
from trnkit.errors import AwsError

INVOKE = ChangeOperation(
    service="lambda",
    name="Invoke",
    permission="lambda:InvokeFunction",
    # CloudFormation names the function by stack and logical id, and shortens both.
    resources=("arn:aws:lambda:*:*:function:*SpendEnforcer*",),
    purpose="tell the enforcer of a cluster's spending what a person wants",
)
_LONGEST_ERROR = 300


class LambdaGateway(Gateway):
    """Invokes functions of one Region."""

    service = "lambda"
    operations = ()
    changes = (INVOKE,)

    def invoke(self, function: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Run a function and wait for its answer; nothing is sent twice.

        Args:
            function: Its name.
            payload: What it is given.

        Raises:
            AwsFailure: AWS gave no answer.
            AwsError: The function failed.
        """
        told = self._ask(
            INVOKE, about=function, FunctionName=function, Payload=json.dumps(payload).encode()
        )
        try:
            text = told["Payload"].read()
        except BotoCoreError as error:
            raise self._failure(error, INVOKE, function) from None
        if "FunctionError" in told:
            raise AwsError(f"function {function} failed: {_words_of(text)}; look at its log")
        answer = json.loads(text, parse_constant=_refuse_constant)
        if not isinstance(answer, dict):
            raise ValueError(f"no JSON object: {answer!r}")
        return answer


def _words_of(text: bytes) -> str:
    """What a function that failed says of it: whatever it wrote, if anything."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = text.decode(errors="replace")
    if isinstance(told, dict):
        told = told.get("errorMessage")
    # Whoever shows it escapes what else a terminal would obey.
    words = " ".join(str(told or "it says nothing more").split())
    return words[:_LONGEST_ERROR]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"no JSON: {name}")
