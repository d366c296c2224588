"""trnkit: AWS Trainium clusters from one YAML file, right before deploy.

This package is the domain: plain Python that never imports aws_cdk. The constructs are in
`constructs_lib`, the stacks in `stacks`.
"""

__version__ = "0.1.0"
