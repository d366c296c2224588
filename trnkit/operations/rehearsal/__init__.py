"""The rehearsal of a deployment: the real CDK CLI against an AWS that this machine emulates."""
