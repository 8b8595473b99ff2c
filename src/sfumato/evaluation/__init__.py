"""What a release is still good for: learners, clusterers, queries and the workloads that compare them."""
