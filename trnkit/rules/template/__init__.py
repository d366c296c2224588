"""One rule a file over CloudFormation templates; the engine finds each by its `RULE`."""
