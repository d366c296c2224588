"""docs/preflight.md: what `trnkit preflight` asks an account, check by check."""

from __future__ import annotations

from pathlib import Path

from scripts.doc_pages.markdown import code, page, table, wrap
from trnkit.aws.permissions import read_operations
from trnkit.aws.session import CALLS_AT_ONCE
from trnkit.catalog.service_prices import service_item
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
has 5 seconds to connect and 20 to answer, and is tried up to five times, slower when AWS throttles.
`--timeout` bounds all of it together ({MOST_SECONDS:g} seconds unless you say otherwise): a check
without an answer by then is unknown, and the others keep theirs. The time counts from the start:
waiting for a sign-in and making clients are in it. A check that is not ok is told on standard error
as it ends, and how many are ok after the last, with a bar on a terminal (not with `NO_COLOR`).
Ctrl-C ends at once. A check that breaks is a mistake of trnkit: it is unknown, says so, and costs
no other its answer."""

_REPORT = """\
The text has each finding once, with its line and what to do. What one cause leaves open, such as a
missing permission or throttling, is one finding that names the checks that cannot tell. Below stand
how many findings the file's own rules have (`trnkit check` shows them), a row for each check, the
checks that have nothing to ask since the file has nothing for them, and how many pass, fail, are
unknown and warn."""

_CHOICE = """\
`--only` and `--skip` take names or ids, and can be repeated. `--format json` has every check with
all its answers under `checks`, `passed`, and what the file's own rules find under `file_findings`;
a check that has nothing to ask is `ok`, and its `applies` is false. `--format sarif` has the
findings, at the lines of the cluster file that they are about. `--format junit` has a case for each
check with its time: an error where it is unknown, skipped where there is nothing to ask. `--output
FILE` writes the report there, and the text to standard output; with exit code 3 JSON and JUnit say
why there too. A SARIF log is not written then: one without results would tell a code host that what
was found before is mended. `trnkit rules TRN906` explains a check without asking anybody.

An answer that asks for something says what, its `remedy`, and may have two commands. `command` does
what the remedy says, or the first of what it names, and changes something. `look` changes nothing:
it shows more, and is told as ``see: `...` ``. Both run as they are in any shell."""

_GATE = """\
Only exit code 0 lets a deployment go on: what is unknown ends it too. The files of this section are
in `examples/gate`: `deploy.sh`, `preflight-role-trust.json` and `github-actions.yml`. The script
runs in your checkout of trnkit after `make setup`, since `npx cdk` finds the CDK and the app of
`cdk.json` in the current folder; `trnkit` alone runs anywhere. This is `deploy.sh`:"""

_GATE_MAKE = """\
In a makefile or a shell one line does, in the checkout too: `trnkit preflight cluster.yaml && npx
cdk deploy -c config=cluster.yaml '**'`. The credentials of the preflight need not be those of the
deployment: it only reads. Minutes may lie between both, and others use the account meanwhile; a
gate right before the deployment is worth the most."""

_GATE_ROLE = """\
A pipeline needs no stored keys. GitHub signs a token for the job, and IAM lets the job assume a
role for it, once the account has [GitHub as an identity provider](https://docs.aws.amazon.com/IAM/\
latest/UserGuide/id_roles_providers_create_oidc.html). The role's trust policy names one branch of
one repository, so that no pull request of a stranger gets it. This is `preflight-role-trust.json`;
write your account's id for `111122223333`, and your repository for `example/clusters`:"""

_GATE_COMMANDS_PLACE = """\
These commands make the role, in the checkout, and need rights on IAM that the role itself does not
get:"""

_GATE_COMMANDS = """\
aws iam create-role --role-name trnkit-preflight \\
  --assume-role-policy-document file://examples/gate/preflight-role-trust.json
trnkit iam-policy > trnkit-reads.json
aws iam put-role-policy --role-name trnkit-preflight --policy-name trnkit-reads \\
  --policy-document file://trnkit-reads.json
"""

_GATE_WORKFLOW = """\
The workflow, `github-actions.yml`, belongs to your copy of trnkit under `.github/workflows`: its
second job runs `make setup` and `npx cdk` in that checkout. Write your own ids, Region and address
of trnkit. It has two jobs with two roles: the first can only read, and the second, which may
deploy, starts after it passed. Findings stand beside the lines of the cluster file in GitHub's code
scanning. The environment `production` is where you can ask for an approval; GitHub then names it in
the token, so that the deployer's trust policy has `repo:example/clusters:environment:production`
instead of the branch."""

_GATE_JUDGED = """\
The tests of trnkit run the script before accounts that refuse, and read the workflow and the trust
policy. Other pipelines need the same three things: credentials of a role with the policy, the
command, and its exit code ([in hooks and pipelines](ci.md))."""

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "gate"

_POLICY = """\
`trnkit iam-policy` prints the smallest policy with which `preflight`, `plan`, `images refresh`,
`catalog refresh` and `prices refresh` are answered; it is made of the table below, which is also
all that the code can ask. `--parameter NAME` adds a parameter of your own that holds an image's id.
A message never repeats an ARN or an account id that AWS told, with
one exception: credentials of another account than the file's."""

_REQUEST = service_item("cost-explorer-requests").prices[0]

_COST = f"""\
AWS bills requests to Cost Explorer's API, ${_REQUEST.usd_per_unit:.2f} each
({_REQUEST.date}). `cost-tag` makes one where a budget counts a tag or the anomaly
monitor watches one, `anomaly-monitor` one where the file has `anomaly_detection`, unless it is
certain already that no monitor can be made; accounts with very many monitors answer in pages, of
which each is one."""

_LIMITS = """\
Not asked yet: capacity itself, which no call tells;
rules of Route 53 Resolver, network ACLs of the subnets of NAT gateways and endpoints; quotas of
internet gateways, launch templates and S3 buckets; KMS keys of alert topics; which deployment
types of FSx a zone has, and who pays for the requests to a bucket of another account, which no
call tells; whether an address that AWS Budgets writes to itself has been confirmed."""


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
        wrap(_REPORT),
        wrap(_CHOICE),
        "## What it costs",
        wrap(_COST),
        "## As a gate",
        *_gate(),
        "## Permissions",
        wrap(_POLICY),
        table(
            ["Operation", "Permission", "What for"],
            [
                (
                    f"{o.service} {o.name}",
                    ", ".join(f"`{action}`" for action in (o.permission, *o.also) if action)
                    or "none",
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


def _gate() -> list[str]:
    def example(name: str, language: str) -> str:
        return code((_EXAMPLES / name).read_text(encoding="utf-8"), language)

    return [
        wrap(_GATE),
        example("deploy.sh", "sh"),
        wrap(_GATE_MAKE),
        "### In GitHub Actions",
        wrap(_GATE_ROLE),
        example("preflight-role-trust.json", "json"),
        wrap(_GATE_COMMANDS_PLACE),
        code(_GATE_COMMANDS, "sh"),
        wrap(_GATE_WORKFLOW),
        example("github-actions.yml", "yml"),
        wrap(_GATE_JUDGED),
    ]


def _check(check: PreflightCheck) -> list[str]:
    asks = ", ".join(operation.name for operation in check.needs)
    return [
        f"### {check.id}",
        f"**{check.title}** (`{check.name}`)",
        wrap(check.why),
        wrap(f"Asks {asks}. [AWS's page]({check.source})"),
    ]
