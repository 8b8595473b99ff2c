"""Compiled loops of clustering; `covers` holds the loss that all of them compute."""
