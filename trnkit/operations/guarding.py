"""`trnkit guard`: finds the enforcer of a cluster and tells it what a person wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.config import load_cluster
from trnkit.errors import AwsError, UsageError
from trnkit.operations.guard_answer import GuardAction, GuardAnswer, read_answer

if TYPE_CHECKING:
    from trnkit.aws.session import AwsSession
    from trnkit.config import ClusterConfig

CHANGES: tuple[GuardAction, ...] = ("approve", "call-off", "release", "stop-now")
"""Actions that change something."""

_STACK = "Guard"
_LOGICAL_ID = "SpendEnforcer"
_TYPE = "AWS::Lambda::Function"


class Guard:
    """The enforcer of the cluster that a file describes."""

    def __init__(self, file: str, session: AwsSession | None = None) -> None:
        """Read the file; nothing is asked yet.

        Args:
            file: The cluster file.
            session: Where AWS is asked; the credentials in use when left out.

        Raises:
            UnreadableInputError: The file cannot be read.
            ConfigurationError: It describes no cluster.
            UsageError: It has nothing that enforces anything.
        """
        from trnkit.aws.session import AwsSession

        self._cluster = load_cluster(file).config
        _refuse_without_enforcement(self._cluster, file)
        self._session = session or AwsSession()

    @property
    def cluster(self) -> str:
        """The cluster's name."""
        return self._cluster.name

    def ask(self, action: GuardAction, *, by: str | None = None, most: int = 20) -> GuardAnswer:
        """Ask or tell the enforcer.

        Args:
            action: What.
            by: Who wants it; by default the IAM user or role of the credentials.
            most: Most entries of the audit trail.

        Raises:
            AwsError: There is no enforcer, it failed or answers what cannot be read, or AWS gave no
                answer.
        """
        from trnkit.aws.lambda_function import LambdaGateway

        region = self._cluster.region
        payload: dict[str, Any] = {"action": action}
        if action in CHANGES:
            payload["by"] = by or self._caller()
        if action == "audit":
            payload["most"] = most
        function = self._function()
        told = LambdaGateway(self._session, region).invoke(function, payload)
        return read_answer(self.cluster, action, function, told)

    def _function(self) -> str:
        from trnkit.aws.cloudformation import CloudFormationGateway

        stack = f"{self._cluster.name}-{_STACK}"
        found = [
            made.physical_id
            for made in CloudFormationGateway(self._session, self._cluster.region).resources(stack)
            if made.type == _TYPE and made.logical_id.startswith(_LOGICAL_ID)
        ]
        if len(found) != 1:
            raise AwsError(
                f"stack {stack} in {self._cluster.region} has no enforcer; deploy it: "
                f"cdk deploy '{self._cluster.name}/{_STACK}'"
            )
        return found[0]

    def _caller(self) -> str:
        from trnkit.aws.sts import StsGateway

        caller = StsGateway(self._session, self._cluster.region).caller()
        return f"{caller.kind} {caller.name}".strip()


def _refuse_without_enforcement(cluster: ClusterConfig, file: str) -> None:
    watchdog = cluster.budget.watchdog
    if watchdog is None or (watchdog.enforcement is None and watchdog.idle_shutdown is None):
        raise UsageError(
            f"{file}: there is no budget.watchdog.enforcement and no budget.watchdog.idle_shutdown"
        )
