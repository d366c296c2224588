"""Auto Scaling groups that launch as their template says."""
