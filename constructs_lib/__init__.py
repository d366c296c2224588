"""How it is built: one public CDK construct a file, by capability.

    from constructs_lib.network import ClusterVpc, EfaSecurityGroup
    from constructs_lib.compute import TrainiumLaunchTemplate
    from constructs_lib.storage import LustreFileSystem
    from constructs_lib.cost import BudgetAlarm

Every construct works alone, takes keyword arguments in AWS's own terms, takes other people's
resources by CDK interface (`ec2.IVpc`, `iam.IRole`), and checks its arguments before it creates
anything. None reads the environment, a file of the user or the network.
"""
