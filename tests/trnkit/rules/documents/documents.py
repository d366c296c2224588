"""Right documents of each format, in the styles that people use, and parts to make wrong ones of.

Each must stay without errors and warnings; the tests of the rules change one thing in them.
"""

from __future__ import annotations

NODE_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: trn2
spec:
  template:
    metadata:
      labels: {workload: train}
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: neuron
      taints:
        - {key: aws.amazon.com/neuron, value: "true", effect: NoSchedule}
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: ["amd64"]
        - key: node.kubernetes.io/instance-type
          operator: In
          values: ["trn2.48xlarge"]
        - key: karpenter.sh/capacity-type
          operator: In
          values: ["reserved", "on-demand"]
        - key: topology.kubernetes.io/zone
          operator: In
          values: ["us-east-2a", "us-east-2c"]
  limits: {cpu: 1536}
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 5m}
"""
NODE_CLASS = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: neuron
spec:
  role: KarpenterNodeRole-train
  amiSelectorTerms:
    - alias: al2023@v20260714
  subnetSelectorTerms:
    - tags: {karpenter.sh/discovery: train}
  securityGroupSelectorTerms:
    - tags: {karpenter.sh/discovery: train}
  capacityReservationSelectorTerms:
    - id: cr-0123456789abcdef0
  instanceStorePolicy: RAID0
  metadataOptions:
    httpTokens: required
    httpPutResponseHopLimit: 2
  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs: {volumeSize: 500Gi, volumeType: gp3}
"""
KARPENTER = f"{NODE_POOL}---\n{NODE_CLASS}"

EFA_INTERFACES = "  networkInterfaces:\n" + "".join(
    f"    - {{networkCardIndex: {card}, deviceIndex: {device}, interfaceType: {kind}}}\n"
    for card, device, kind in [
        (0, 0, "interface"),
        (0, 1, "efa-only"),
        *((card, 0, "efa-only") for card in range(1, 16)),
    ]
)

EKSCTL = """\
# A cluster whose Trainium nodes are in the zone of their reservation.
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig

metadata:
  name: train
  region: us-east-2
  version: "1.33"

iam:
  withOIDC: true

availabilityZones: ["us-east-2a", "us-east-2b", "us-east-2c"]

managedNodeGroups:
  - name: system
    instanceType: m6i.large
    desiredCapacity: 2
    iam: {withAddonPolicies: {ebs: true, fsx: true}}

  - name: trn2
    instanceType: trn2.48xlarge
    amiFamily: AmazonLinux2023
    minSize: 4
    desiredCapacity: 4
    maxSize: 4
    volumeSize: 500
    privateNetworking: true
    efaEnabled: true
    availabilityZones: ["us-east-2c"]
    capacityReservation:
      capacityReservationTarget:
        capacityReservationID: cr-0123456789abcdef0
    instanceMarketOptions:
      marketType: capacity-block
    taints:
      - {key: aws.amazon.com/neuron, value: "true", effect: NoSchedule}
"""

PARALLELCLUSTER = """\
Region: us-west-2
Image:
  Os: ubuntu2204
HeadNode:
  InstanceType: c5.4xlarge
  Networking:
    SubnetId: subnet-0123456789abcdef0
  Ssh:
    KeyName: key
  LocalStorage: {RootVolume: {Size: 200}}
Scheduling:
  Scheduler: slurm
  SlurmSettings:
    QueueUpdateStrategy: DRAIN
  SlurmQueues:
    - Name: compute1
      CapacityType: ONDEMAND
      Networking:
        SubnetIds:
          - subnet-0123456789abcdef1
        PlacementGroup:
          Enabled: true
      CustomActions:
        OnNodeConfigured:
          Script: s3://example-bucket/install_neuron.sh
      Iam:
        S3Access: [{BucketName: example-bucket}]
      ComputeResources:
        - Name: queue1-i1
          InstanceType: trn1.32xlarge
          MinCount: 0
          MaxCount: 16
          DisableSimultaneousMultithreading: false
          Efa:
            Enabled: true
SharedStorage:
  - MountDir: /home/shared
    Name: efs
    StorageType: Efs
  - MountDir: /fsx
    Name: fsx
    StorageType: FsxLustre
    FsxLustreSettings:
      StorageCapacity: 4800
      DeploymentType: PERSISTENT_2
      PerUnitStorageThroughput: 250
      DataRepositoryAssociations:
        - {Name: data, FileSystemPath: /data, DataRepositoryPath: s3://example-bucket/data}
"""

PYTORCH_JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: pretrain
spec:
  elasticPolicy: {rdzvBackend: c10d}
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: OnFailure
      template:
        metadata: {labels: {job: pretrain}}
        spec:
          nodeSelector:
            node.kubernetes.io/instance-type: trn2.48xlarge
          tolerations:
            - {key: aws.amazon.com/neuron, operator: Exists, effect: NoSchedule}
          volumes:
            - {name: shm, emptyDir: {medium: Memory}}
            - {name: fsx, persistentVolumeClaim: {claimName: fsx}}
          initContainers:
            - {name: wait, image: busybox, command: [sh, -c, "true"]}
          containers:
            - name: pytorch
              image: 111122223333.dkr.ecr.us-east-2.amazonaws.com/pretrain:1
              env: [{name: FI_PROVIDER, value: efa}]
              resources:
                requests:
                  aws.amazon.com/neuron: 16
                  vpc.amazonaws.com/efa: 16
                  hugepages-2Mi: 5120Mi
                  memory: 1900Gi
                  cpu: "180"
                limits:
                  aws.amazon.com/neuron: 16
                  vpc.amazonaws.com/efa: 16
                  hugepages-2Mi: 5120Mi
                  memory: 1900Gi
"""

MPI_JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: nccom}
spec:
  slotsPerWorker: 1
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec: {containers: [{name: launcher, image: example.com/nccom:1}]}
    Worker:
      replicas: 2
      template:
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                  - matchExpressions:
                      - key: node.kubernetes.io/instance-type
                        operator: In
                        values: [trn1.32xlarge]
          containers:
            - name: worker
              image: example.com/nccom:1
              resources:
                limits: {aws.amazon.com/neuron: 16, vpc.amazonaws.com/efa: 8}
"""

SERVING = """\
apiVersion: v1
kind: Service
metadata: {name: serve}
spec: {selector: {app: serve}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 2
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      containers:
        - name: vllm
          image: public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:1
          resources:
            requests: {aws.amazon.com/neuroncore: "2", memory: 24Gi}
            limits: {aws.amazon.com/neuroncore: "2", memory: 24Gi}
"""

DAEMON_SET = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: neuron-monitor, namespace: monitoring}
spec:
  selector: {matchLabels: {app: neuron-monitor}}
  template:
    metadata: {labels: {app: neuron-monitor}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: node.kubernetes.io/instance-type
                    operator: In
                    values: [trn1.32xlarge, inf2.xlarge]
      containers:
        - {name: monitor, image: "public.ecr.aws/neuron/neuron-monitor:1.3.0"}
"""

STORAGE_CLASS = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fsx}
provisioner: fsx.csi.aws.com
parameters:
  subnetId: subnet-0123456789abcdef0
  securityGroupIds: sg-0123456789abcdef0
  deploymentType: PERSISTENT_2
  perUnitStorageThroughput: "250"
  fileSystemTypeVersion: "2.15"
  automaticBackupRetentionDays: "1"
  dataCompressionType: LZ4
mountOptions: [flock]
"""
STORED = f"{STORAGE_CLASS}---\n{PYTORCH_JOB}"

LAID_OUT = f"{KARPENTER}{EFA_INTERFACES}  kubelet: {{maxPods: 50}}\n"

RIGHT = {
    "karpenter": KARPENTER,
    "karpenter with a layout of interfaces": LAID_OUT,
    "eksctl": EKSCTL,
    "parallelcluster": PARALLELCLUSTER,
    "pytorch job": PYTORCH_JOB,
    "mpi job": MPI_JOB,
    "serving": SERVING,
    "storage class": STORED,
}
