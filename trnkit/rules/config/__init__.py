"""One rule a file over the cluster file; the engine finds each by its `RULE`."""
