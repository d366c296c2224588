"""Telling the work on a node that the node is about to go.

Runs on the node, with the system's Python (3.9 or later) and nothing else, as root. It ends no
process by itself: it says when the node goes, runs what the site put into /etc/trnkit/drain.d, and
signals what /etc/trnkit/drain.conf names, if that handles the signal. docs/capacity-blocks.md
explains it.
"""
