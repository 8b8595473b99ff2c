"""What files of all formats have in common, and formats that no engine reads, which are converted to tables."""
