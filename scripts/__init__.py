"""What developers run: the set-up and the generators."""
