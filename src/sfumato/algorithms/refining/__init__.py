"""Top-down search: ladders down every column, guards over every promise, and a score to choose by."""
