"""Support for long or interrupted work: progress, time limits, atomic and durable files, private folders, keys."""
