"""EventBridge Scheduler on moto's."""
