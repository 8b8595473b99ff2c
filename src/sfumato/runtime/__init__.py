"""Support for long or interrupted work: progress, time limits, durable files, private folders, keys, JSON texts."""
