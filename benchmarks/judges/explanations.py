"""What each judge is for, and why what it says of the right templates stands."""

from __future__ import annotations

from typing import Final

PURPOSES: Final = {
    "trnkit": "Trainium clusters: what is accepted, and then fails late, hangs, runs slowly, or "
    "loses data or money; all templates of a cluster together",
    "cfn-lint": "any template: the registry's schemas, functions, and values by Region",
    "cloudformation-validate": "any template: AWS's own engine for schemas and further rules",
    "CDK's validator": "any CDK app: the engine before, in the version that the CDK has inside; "
    "and what the CDK itself refuses to make of a template",
    "cdk-nag": "security and operation of any CDK app: the pack AwsSolutions, without our "
    "acknowledgements",
    "checkov": "security and compliance of anything: its checks for CloudFormation",
}
"""By judge."""

REASONS: Final = {
    "E3628": "cfn-lint's list of types per Region lacks trn2.3xlarge and trn2u.48xlarge, which AWS "
    "offers, and trn3-example.48xlarge, which is made up for an example",
    "AwsSolutions-AS3": "acknowledged: scaling events are for whoever runs the cluster",
    "AwsSolutions-IAM4": "acknowledged: AWS's own minimum for Session Manager",
    "AwsSolutions-IAM5": "acknowledged: nodes use every object of what they mount and own",
    "AwsSolutions-L1": "acknowledged: the functions are tested with Python 3.13, which Lambda "
    "maintains",
    "AwsSolutions-S1": "acknowledged: CloudTrail's data events log who reads checkpoints",
    "AwsSolutions-SQS3": "acknowledged: this queue is where failed runs of a function end",
    "AwsSolutions-VPC7": "acknowledged: flow logs are asked for in the cluster file",
    "CKV_AWS_18": "CloudTrail's data events log who reads checkpoints",
    "CKV_AWS_158": "these log groups hold addresses and file names; CloudWatch Logs encrypts them",
    "CKV_AWS_115": "small accounts have ten executions at once, of which nine cannot be reserved; "
    "two runs at once do no harm",
    "CKV_AWS_116": "runs that failed go to the function's destination, which is a queue",
    "CKV_AWS_117": "the functions reach AWS's own APIs alone, and nothing in a VPC",
    "CKV_AWS_119": "DynamoDB encrypts the ledger with a key of its own; it holds ids, times and "
    "amounts",
    "CKV_AWS_173": "these variables hold prices and names, and Lambda encrypts them with a key of "
    "its own",
    "CKV_AWS_27": "the queues have SQS's own encryption (SqsManagedSseEnabled), which the check "
    "does not look at",
}
"""By rule of another judge."""
