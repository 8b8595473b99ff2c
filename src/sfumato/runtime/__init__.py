"""What long or interrupted work needs: progress, time limits, files that appear when complete, append-only logs."""
