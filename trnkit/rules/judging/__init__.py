"""What rules share when they judge: parts of a cluster file, verdicts said once, and wording."""
