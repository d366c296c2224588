"""Rules over the cluster file that are about observability."""
