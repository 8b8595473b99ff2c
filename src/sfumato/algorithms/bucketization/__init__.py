"""Bucketization: values are published as they are, and which sensitive value is whose is hidden."""
