"""Bucketization: values stay unchanged; buckets hide which record has which sensitive value."""
