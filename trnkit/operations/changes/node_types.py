"""Which resource types are nodes, hold capacity for them, or are what they depend on."""

from __future__ import annotations

NODES: dict[str, str] = {
    "AWS::AutoScaling::AutoScalingGroup": "Auto Scaling group",
    "AWS::Batch::ComputeEnvironment": "compute environment",
    "AWS::EC2::EC2Fleet": "fleet",
    "AWS::EC2::Instance": "instance",
    "AWS::EC2::SpotFleet": "fleet",
    "AWS::ECS::CapacityProvider": "capacity provider",
    "AWS::EKS::Cluster": "cluster",
    "AWS::EKS::Nodegroup": "node group",
    "AWS::PCS::Cluster": "cluster",
    "AWS::PCS::ComputeNodeGroup": "compute node group",
    "AWS::SageMaker::Cluster": "cluster",
}
"""Types whose replacement or deletion ends nodes, with what one is called."""

CAPACITY = frozenset(
    {
        "AWS::EC2::CapacityReservation",
        "AWS::EC2::CapacityReservationFleet",
    }
)
"""Types that hold capacity."""

DEPENDED_ON: dict[str, str] = {
    "AWS::EC2::EIPAssociation": "its public address",
    "AWS::EC2::InternetGateway": "the way to the internet",
    "AWS::EC2::NatGateway": "the way to the internet",
    "AWS::EC2::NetworkAclEntry": "a rule of the network ACL",
    "AWS::EC2::NetworkInterface": "a network interface",
    "AWS::EC2::Route": "a route",
    "AWS::EC2::SecurityGroup": "a security group",
    "AWS::EC2::SecurityGroupEgress": "an outbound rule",
    "AWS::EC2::SecurityGroupIngress": "an inbound rule",
    "AWS::EC2::Subnet": "a subnet",
    "AWS::EC2::SubnetRouteTableAssociation": "a subnet's route table",
    "AWS::EC2::TransitGatewayAttachment": "a way to other networks",
    "AWS::EC2::VPC": "the VPC",
    "AWS::EC2::VPCEndpoint": "the private way to a service",
    "AWS::EC2::VPCGatewayAttachment": "the way to the internet",
    "AWS::EFS::MountTarget": "the address at which nodes mount the file system",
    "AWS::FSx::DataRepositoryAssociation": "the link between a folder and its S3 path (files that "
    "were not exported are in the file system only)",
    "AWS::IAM::InstanceProfile": "the role of instances",
    "AWS::IAM::ManagedPolicy": "permissions",
    "AWS::IAM::Policy": "permissions",
    "AWS::IAM::Role": "a role",
    "AWS::IAM::RolePolicy": "permissions",
    "AWS::S3::BucketPolicy": "permissions",
    "AWS::Budgets::Budget": "a budget with its alerts",
    "AWS::CloudWatch::Alarm": "an alarm",
    "AWS::SNS::Subscription": "a recipient of alerts",
    "AWS::SNS::Topic": "a topic with its recipients",
}
"""Types on which what runs depends from moment to moment, with what a deletion takes away."""
