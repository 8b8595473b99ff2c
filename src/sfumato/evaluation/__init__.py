"""Evaluation: how useful a release still is. Workloads run learners, clusterers and queries on raw and masked data."""
