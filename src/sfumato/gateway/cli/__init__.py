"""The commands of `sfumato gateway`."""
