"""Tables to try things on: the running example, seeded generators and loaders for well-known files."""

from sfumato.datasets.hospital import hospital, hospital_schema

__all__ = ["hospital", "hospital_schema"]
