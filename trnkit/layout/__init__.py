"""What follows: pure derivations from configuration and catalogue.

No clock, no network, no files: the same input gives the same answer, in tests without CDK too.
"""
