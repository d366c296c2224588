"""What watches spending of a cluster, and what stops it: two functions for AWS Lambda.

`watch.handler` is the watchdog, which only looks and counts; `enforce.handler` is the enforcer,
which acts on what the watchdog saw. Standard library and boto3 only.
"""
