"""Compiled loops of bucketization, each named after the module that uses it."""
