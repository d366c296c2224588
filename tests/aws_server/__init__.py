"""An AWS on 127.0.0.1 that the real command line is run against.

It speaks AWS's protocols as botocore's models describe them. What the emulated AWS of rehearsals
has (instance types, offerings and zones as AWS publishes them, networks, parameters, reservations)
comes from there; what it lacks is told in `account`. Each answer is checked against the output
shape of its operation, each call is remembered, and `faults` makes the network and AWS as bad as
they are.
"""
