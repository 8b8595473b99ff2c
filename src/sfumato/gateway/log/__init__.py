"""The audit log: entries, the hash chain on disk, its verification and report, and notices."""
