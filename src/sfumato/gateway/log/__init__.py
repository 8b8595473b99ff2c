"""The audit log: entries, the hash chain on disk, verification, and notices."""
