"""Rules over documents of other tools (Karpenter, eksctl, ParallelCluster, Kubernetes)."""
