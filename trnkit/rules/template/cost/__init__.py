"""Rules over CloudFormation templates that are about cost."""
