"""An emulated AWS on this machine, for the real CDK CLI to deploy to.

``server`` runs in a process of its own: MiniStack's CloudFormation engine in front, and behind it
the services of moto (EC2, Auto Scaling, FSx, EFS, Budgets, Cost Explorer) and of MiniStack (the
others). ``resources`` says for each resource type how it is made and how it is read back.
``clients`` and ``process`` are what others use of it.

Nothing here knows the toolkit's rules: what it refuses, it refuses by AWS's documents, moto's
instance data, botocore's models and the registry's schemas, so that it is a second opinion.
"""
