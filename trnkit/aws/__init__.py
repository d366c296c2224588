"""The only room with boto3: one narrow gateway a service, frozen answers, one place for errors."""
