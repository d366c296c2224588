"""Rules over CloudFormation templates that are about stacks, and who may do what in them."""
