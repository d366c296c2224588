"""docs/preflight.md: what `trnkit preflight` asks an account, check by check."""

from __future__ import annotations

from scripts.doc_pages.markdown import page, table, wrap
from trnkit.aws.permissions import read_operations
from trnkit.aws.session import CALLS_AT_ONCE
from trnkit.operations.preflight.check import PreflightCheck, list_checks
from trnkit.operations.preflight.preflight import MOST_SECONDS

_INTRO = """\
`trnkit preflight cluster.yaml` asks the account of your credentials what would otherwise be known
minutes into a deployment, or when the first node does not come. The file is checked offline first;
with an error in it nobody is asked. Every question only reads."""

_STATUS = """\
- `ok`: AWS said so.
- `fail`: the deployment, or its nodes, would fail. A finding of severity error.
- `warning`: it would work, and not well, or not for long.
- `unknown`: AWS gave no answer (denied, throttled, no time left), or the answer does not tell. A
  finding of severity warning whose message begins with `unknown`; it is never ok. Give the
  permission that it names, or leave the check out with `--skip` and know that you did."""

_CODES = [
    ("0", "nothing failed and everything was answered; warnings may be there"),
    ("1", "something failed or is unknown, or the file has errors"),
    ("2", "the file could not be read, or the command was called wrongly"),
    ("3", "the account could not be asked at all: no credentials, expired ones, no network"),
]

_TIME = f"""\
All checks run at once, with at most {CALLS_AT_ONCE} calls of a service and Region under way. A call
has 5 seconds to connect and 20 to answer, and is tried again up to five times, slower when AWS
throttles.
`--timeout` bounds all of it together ({MOST_SECONDS:g} seconds unless you say otherwise): a check
without an answer by then is unknown, and the others keep theirs. On a terminal each check is told
as it ends."""

_CHOICE = """\
`--only` and `--skip` take names or ids, and can be repeated. `--format json` has every check with
all its answers under `checks`, and `passed`; `--format sarif` has the findings, at the lines of the
cluster file that they are about. `--output FILE` writes the report there."""

_POLICY = """\
`trnkit iam-policy` prints the smallest policy with which `preflight`, `plan`, `images refresh` and
`catalog refresh` are answered; it is made of the table below, which is also all that the code can
ask. `--parameter NAME` adds a parameter of your
own that holds an image's id. A message never repeats an ARN or an account id that AWS told, with
one exception: credentials of another account than the file's."""

_LIMITS = """\
Not asked yet: capacity itself, which no call tells; reservations behind a resource group (unknown);
network acls, security groups, endpoint policies and DNS settings of an existing VPC; network
interface, VPC, FSx and SageMaker quotas; KMS keys, buckets of S3 links, budgets and cost tags."""


def render() -> str:
    """The page."""
    checks = list_checks()
    return page(
        "# Preflight",
        wrap(_INTRO),
        table(
            ["Check", "Name", "What must hold"],
            [(f"[{c.id}](#{c.id.lower()})", f"`{c.name}`", c.title) for c in checks],
        ),
        "## What an answer means",
        _STATUS,
        table(["Exit code", "Meaning"], _CODES),
        "## Time and choice",
        wrap(_TIME),
        wrap(_CHOICE),
        "## Permissions",
        wrap(_POLICY),
        table(
            ["Operation", "Permission", "What for"],
            [
                (
                    f"{o.service} {o.name}",
                    f"`{o.permission}`" if o.permission else "none",
                    o.purpose,
                )
                for o in read_operations()
            ],
        ),
        "## The checks",
        *[block for check in checks for block in _check(check)],
        "## What is not asked",
        wrap(_LIMITS),
    )


def _check(check: PreflightCheck) -> list[str]:
    asks = ", ".join(operation.name for operation in check.needs)
    return [
        f"### {check.id}",
        f"**{check.title}** (`{check.name}`)",
        wrap(check.why),
        wrap(f"Asks {asks}. [AWS's page]({check.source})"),
    ]
