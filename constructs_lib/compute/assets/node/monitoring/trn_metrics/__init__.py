"""Metrics of a Trainium node as Prometheus text. Runs with Python 3.9 and nothing besides."""
