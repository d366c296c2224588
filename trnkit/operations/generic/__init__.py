"""Judges of any CloudFormation template that we did not write, beside our rules."""
